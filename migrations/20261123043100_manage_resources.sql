-- Administration by the API: missions, tiers, badges, challenges, seasons, stages and automations. They have names, and are created, read,
-- changed and deleted alike. A view of each kind shows its records; `private.managed_kinds` says the rest.

set local lock_timeout = '3s';

create table private.managed_kinds (
  kind     text   primary key,
  of_table name   not null unique,
  members  text[] not null,
  kept     text
);

comment on table  private.managed_kinds is 'Kinds of records that the admin API manages by id or name.';
comment on column private.managed_kinds.of_table is 'Table of schema public, and view of schema manage.';
comment on column private.managed_kinds.members is 'Columns that a request may set.';
comment on column private.managed_kinds.kept is 'What to do instead if a record cannot be deleted.';

alter table private.managed_kinds enable row level security;

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, kept) values
  ('private.managed_kinds', 'stay', 'the same in every project', null, '', true);

insert into private.managed_kinds (kind, of_table, members, kept) values
  ('mission',    'missions',        '{name,points}', 'Players have completed this mission. Set its points to 0 or unmap its codes.'),
  ('tier',       'tiers',           '{name,min_points}', null),
  ('badge',      'badges',          '{name,metric,threshold}', 'Players have earned this badge. Change its name or raise its threshold.'),
  ('challenge',  'challenges',      '{name,metric,target,starts_at,ends_at,reward_points}', 'Players have completed this challenge. Change its ends_at to end it.'),
  ('season',     'seasons',         '{name,starts_at,ends_at}', null),
  ('stage',      'pipeline_stages', '{name,position,probability}', 'The stage has deals. Move them to another stage first.'),
  ('automation', 'automations',     '{name,event,conditions,actions,active}', null);

-- Errors ----------------------------------------------------------------------------------------------------------------

create function private.reject(
  code text, message text, field text default null, rule text default null, extra jsonb default null) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- A record in `extra` keeps its members that are null.
  raise exception '%', code using errcode = 'PL434', detail = jsonb_build_object('message', message)
    || case when extra is not null then jsonb_build_object('extra', extra) else '{}' end
    || case when field is not null then jsonb_build_object('details', jsonb_build_array(jsonb_build_object('field', field, 'message', rule))) else '{}' end;
end
$$;

comment on function private.reject(text, text, text, text, jsonb) is
  'Rejects a request of administration with an error code of the API, its message, the invalid field and more members of the error.';

create function private.reject_unknown(kind text, ref text, field text, names text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  max_listed constant integer := 20;
begin
  if field is null then
    perform private.reject('not_found', format('There is no %s with this id or name.', replace(kind, '_', ' ')));
  end if;
  perform private.reject('unprocessable', 'The request refers to something that does not exist.', field,
    'does not exist in this workspace' || case
      when not private.caller_has(case kind
        when 'user' then '{read:users}'::text[]
        when 'stage' then '{read:deals,read:settings,manage:workspace}'
        else '{read:settings,manage:gamification}' end) then ''
      when coalesce(cardinality(names), 0) = 0 then '; there are none'
      else '; there are ' || array_to_string(names[1:max_listed], ', ')
           || case when cardinality(names) > max_listed then ' and more' else '' end
    end);
end
$$;

comment on function private.reject_unknown(text, text, text, text[]) is
  'Rejects a reference: with 404 if it is the path (no field), else with 422 and the names that exist, if the caller may read them.';

create function private.managed_table(kind text) returns name
language sql stable
set search_path = ''
as $$ select k.of_table from private.managed_kinds k where k.kind = managed_table.kind $$;

comment on function private.managed_table(text) is 'The table of a kind.';

create function private.managed_id(kind text, ref text, field text default null) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  wanted constant text := app.normalize_name(ref);
  found  uuid[];
  names  text[];
begin
  if pg_input_is_valid(wanted, 'uuid') then
    execute format('select array_agg(r.id) from public.%I r where r.tenant_id = $1 and r.id = $2', private.managed_table(kind))
      into found using own, wanted::uuid;
  end if;
  if found is null then
    execute format('select array_agg(r.id order by r.created_at) from public.%I r where r.tenant_id = $1 and app.normalize_name(r.name) = $2',
                   private.managed_table(kind))
      into found using own, wanted;
  end if;
  if found is null then
    execute format('select array_agg(r.name order by r.name) from public.%I r where r.tenant_id = $1', private.managed_table(kind)) into names using own;
    perform private.reject_unknown(kind, ref, field, names);
  elsif cardinality(found) > 1 then
    perform private.reject('conflict', format('Several records have this name (%s). Use an id.', left(btrim(ref), 100)), field,
                           'is ambiguous', jsonb_build_object('ids', to_jsonb(found)));
  end if;
  return found[1];
end
$$;

comment on function private.managed_id(text, text, text) is
  'The id of the record with this id or name (case-insensitive) in the tenant of the transaction. Rejects unknown and ambiguous ones.';

-- Names -----------------------------------------------------------------------------------------------------------------

create function private.find_name_conflict(of_table name, tenant_id uuid, name text, own_id uuid, starts_at timestamptz, ends_at timestamptz) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  holder uuid;
begin
  execute format(
    'select r.id from public.%I r where r.tenant_id = $1 and app.normalize_name(r.name) = app.normalize_name($2) and r.id is distinct from $3 %s limit 1',
    of_table, case when of_table in ('seasons', 'challenges') then 'and r.starts_at < $5 and $4 < r.ends_at' else '' end)
    into holder using tenant_id, name, own_id, starts_at, ends_at;
  return holder;
end
$$;

comment on function private.find_name_conflict(name, uuid, text, uuid, timestamptz, timestamptz) is
  'The record that has this name already; for challenges and seasons, one of an overlapping time.';

create function private.check_name() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  row    constant jsonb := to_jsonb(new);
  holder uuid;
begin
  new.name := normalize(btrim(new.name), nfc);
  if char_length(new.name) not between 1 and 255 or new.name ~ '[[:cntrl:]]' then
    perform private.refuse_argument('name', 'must have 1 to 255 characters, and no control characters');
  elsif app.normalize_name(new.name) !~ '[^[:space:]]' then
    perform private.refuse_argument('name', 'must have a visible character');
  end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_table_name || new.tenant_id::text, 0));
  holder := private.find_name_conflict(tg_table_name, new.tenant_id, new.name, new.id, (row ->> 'starts_at')::timestamptz, (row ->> 'ends_at')::timestamptz);
  if holder is not null then
    raise exception 'name: "%" already exists (id %). Use another name, or change the existing record.', new.name, holder
      using errcode = 'unique_violation', detail = holder::text, constraint = 'name_taken', table = tg_table_name;
  end if;
  return new;
end
$$;

comment on function private.check_name() is 'Trigger: trims the name of a record and rejects one that another record has.';

do $$
declare
  t record;
begin
  for t in select k.of_table, k.of_table in ('seasons', 'challenges') as has_times from private.managed_kinds k loop
    -- allow: expand-contract: creates triggers only
    execute format('create trigger check_name before insert on public.%I for each row execute function private.check_name()', t.of_table);
    -- allow: expand-contract: creates triggers only
    execute format(
      'create trigger check_new_name before update of name%s on public.%I for each row when (old.name <> new.name%s) execute function private.check_name()',
      case when t.has_times then ', starts_at, ends_at' else '' end, t.of_table,
      case when t.has_times then ' or (old.starts_at, old.ends_at) <> (new.starts_at, new.ends_at)' else '' end);
  end loop;
end
$$;

-- Reading ---------------------------------------------------------------------------------------------------------------

create function private.search_in(expression text, page jsonb) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when page ->> 'search' is null then 'true' else format($c$app.contains_text(%s, $1 ->> 'search')$c$, expression) end $$;

comment on function private.search_in(text, jsonb) is 'The condition of a page with search on an expression of its view, for private.list_page.';

create function private.list_page(of_view text, condition text, sort text, page jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  answer jsonb;
begin
  -- Records can be costly, such as the position of a player, so the rows of the page are found first.
  execute format($sql$
    select jsonb_build_object('total', (select count(*) from manage.%1$I v where %2$s),
      'records', coalesce((
        select jsonb_agg(v.record order by p.place)
        from unnest(array(select v.%4$I from manage.%1$I v where %2$s order by %3$s
                          limit ($1 ->> 'limit')::integer offset ($1 ->> 'offset')::bigint)) with ordinality as p (key, place)
        join manage.%1$I v on v.%4$I = p.key), '[]'))
  $sql$, of_view, condition, sort, case of_view when 'activity_codes' then 'name' when 'cost_centers' then 'code' else 'id' end)
  into answer using page;
  return answer;
end
$$;

comment on function private.list_page(text, text, text, jsonb) is 'A page of a view of schema manage: its records and their total.';

-- Writing ---------------------------------------------------------------------------------------------------------------

create function private.expect_version(versions jsonb, shown jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if versions is not null and shown is null then
    perform private.reject('precondition_failed', 'The record does not exist, but If-Match requires it.');
  elsif jsonb_typeof(versions) = 'array' and not versions ? (shown ->> 'version') then
    perform private.reject('precondition_failed', 'The record has changed since you read it. Compare it with `current` and retry.',
                           extra => jsonb_build_object('current', shown -> 'record', 'version', shown -> 'version'));
  end if;
end
$$;

comment on function private.expect_version(jsonb, jsonb) is
  'Rejects the request if versions (an array; * is any, null is no condition) lacks the one of the record, or there is no record.';

create function private.check_record_limit(of_table text, condition text, most integer, noun text) returns void
language plpgsql
set search_path = ''
as $$
declare
  used integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('room ' || of_table || app.tenant_id(), 0));
  execute format('select count(*) from %s r where r.tenant_id = $1 and %s', of_table, condition) into used using app.tenant_id();
  if used >= most then
    perform private.reject('unprocessable', format('The workspace has %s %s. The limit is %s. Delete one first.', used, noun, most));
  end if;
end
$$;

comment on function private.check_record_limit(text, text, integer, text) is 'Rejects a record that would be one too many.';
