-- Administration by the API: missions, tiers, badges, challenges, seasons, stages and automations. They have names, and are created, read,
-- changed and deleted alike. A view of each kind shows its records; `private.managed_kinds` says the rest.

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
  wanted constant text := private.normalize_name(ref);
  found  uuid[];
  names  text[];
begin
  if pg_input_is_valid(wanted, 'uuid') then
    execute format('select array_agg(r.id) from public.%I r where r.tenant_id = $1 and r.id = $2', private.managed_table(kind))
      into found using own, wanted::uuid;
  end if;
  if found is null then
    execute format('select array_agg(r.id order by r.created_at) from public.%I r where r.tenant_id = $1 and private.normalize_name(r.name) = $2',
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
    'select r.id from public.%I r where r.tenant_id = $1 and private.normalize_name(r.name) = private.normalize_name($2) and r.id is distinct from $3 %s limit 1',
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
  elsif private.normalize_name(new.name) !~ '[^[:space:]]' then
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
    execute format('create trigger check_name before insert on public.%I for each row execute function private.check_name()', t.of_table);
    execute format(
      'create trigger check_new_name before update of name%s on public.%I for each row when (old.name <> new.name%s) execute function private.check_name()',
      case when t.has_times then ', starts_at, ends_at' else '' end, t.of_table,
      case when t.has_times then ' or (old.starts_at, old.ends_at) <> (new.starts_at, new.ends_at)' else '' end);
  end loop;
end
$$;

-- Views -----------------------------------------------------------------------------------------------------------------
-- They belong to the owner, so each names its tenant. `version` is that of the members which a request sets; what the service counts
-- does not change it.

create function private.format_utc(moment timestamptz) returns text
language sql immutable
set search_path = ''
as $$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

comment on function private.format_utc(timestamptz) is 'A moment as the API writes it: UTC with microseconds.';

create function private.version_of(record json, counted text[] default '{}') returns text
language sql immutable
set search_path = ''
as $$ select left(md5((record::jsonb - counted)::text), 20) $$;

comment on function private.version_of(json, text[]) is 'The version of a record, without the members that the service counts.';

create view manage.missions as
  select m.id, m.name, m.created_at, r.record, private.version_of(r.record, '{completions}') as version
  from public.missions m
  cross join lateral (select json_build_object(
    'id', m.id, 'name', m.name, 'points', m.points,
    'codes', array(select mc.code from public.mission_codes mc where mc.tenant_id = m.tenant_id and mc.mission_id = m.id order by mc.code),
    'completions', (select count(*) from public.mission_codes mc
                    join public.activities a on a.tenant_id = mc.tenant_id and a.activity_code = mc.code and a.voided_at is null
                    where mc.tenant_id = m.tenant_id and mc.mission_id = m.id),
    'created_at', private.format_utc(m.created_at)) as record) as r
  where m.tenant_id = (select app.tenant_id());

create view manage.tiers as
  select t.id, t.name, t.created_at, r.record, private.version_of(r.record) as version
  from public.tiers t
  cross join lateral (select json_build_object(
    'id', t.id, 'name', t.name, 'min_points', t.min_points, 'created_at', private.format_utc(t.created_at)) as record) as r
  where t.tenant_id = (select app.tenant_id());

create view manage.badges as
  select b.id, b.name, b.created_at, r.record, private.version_of(r.record, '{earned_by}') as version
  from public.badges b
  cross join lateral (select json_build_object(
    'id', b.id, 'name', b.name, 'metric', b.metric, 'threshold', b.threshold,
    'earned_by', (select count(*) from public.earned_badges e where e.tenant_id = b.tenant_id and e.badge_id = b.id),
    'created_at', private.format_utc(b.created_at)) as record) as r
  where b.tenant_id = (select app.tenant_id());

create view manage.challenges as
  select c.id, c.name, c.created_at, r.record, private.version_of(r.record, '{completed_by}') as version
  from public.challenges c
  cross join lateral (select json_build_object(
    'id', c.id, 'name', c.name, 'metric', c.metric, 'target', c.target,
    'starts_at', private.format_utc(c.starts_at), 'ends_at', private.format_utc(c.ends_at), 'reward_points', c.reward_points,
    'completed_by', (select count(*) from public.completed_challenges d where d.tenant_id = c.tenant_id and d.challenge_id = c.id),
    'created_at', private.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

create view manage.seasons as
  select s.id, s.name, s.created_at, r.record, private.version_of(r.record) as version
  from public.seasons s
  cross join lateral (select json_build_object(
    'id', s.id, 'name', s.name, 'starts_at', private.format_utc(s.starts_at), 'ends_at', private.format_utc(s.ends_at),
    'created_at', private.format_utc(s.created_at)) as record) as r
  where s.tenant_id = (select app.tenant_id());

create view manage.pipeline_stages as
  select s.id, s.name, s.created_at, r.record, private.version_of(r.record, '{deals}') as version
  from public.pipeline_stages s
  cross join lateral (select json_build_object(
    'id', s.id, 'name', s.name, 'position', s.position, 'probability', s.probability,
    'deals', (select count(*) from public.deals d where d.tenant_id = s.tenant_id and d.stage_id = s.id),
    'created_at', private.format_utc(s.created_at)) as record) as r
  where s.tenant_id = (select app.tenant_id());

create view manage.automations as
  select a.id, a.name, a.created_at, r.record, private.version_of(r.record) as version
  from public.automations a
  cross join lateral (select json_build_object(
    'id', a.id, 'name', a.name, 'event', a.event, 'conditions', a.conditions, 'actions', a.actions, 'active', a.active,
    'created_at', private.format_utc(a.created_at)) as record) as r
  where a.tenant_id = (select app.tenant_id());

comment on view manage.missions is 'Missions of the tenant as the admin API shows them.';
comment on view manage.tiers is 'Tiers of the tenant as the admin API shows them.';
comment on view manage.badges is 'Badges of the tenant as the admin API shows them.';
comment on view manage.challenges is 'Challenges of the tenant as the admin API shows them.';
comment on view manage.seasons is 'Seasons of the tenant as the admin API shows them.';
comment on view manage.pipeline_stages is 'Stages of the tenant as the admin API shows them.';
comment on view manage.automations is 'Automations of the tenant as the admin API shows them.';

-- Reading ---------------------------------------------------------------------------------------------------------------

create function private.admin_record(kind text, id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  answer jsonb;
begin
  execute format('select jsonb_build_object(''record'', v.record, ''version'', v.version) from manage.%I v where v.id = $1', private.managed_table(kind))
    into answer using id;
  return answer;
end
$$;

comment on function private.admin_record(text, uuid) is 'A record as the admin API shows it, with its version.';

create function manage.read_record(kind text, ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_record(kind, private.managed_id(kind, ref)) $$;

comment on function manage.read_record(text, text) is 'Reads the record with this id or name.';

create function private.contains_text(text text, search text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$ select strpos(app.fold(normalize(coalesce(text, ''), nfc)), app.fold(normalize(search, nfc))) > 0 $$;

comment on function private.contains_text(text, text) is 'Whether a text contains the search text, ignoring case and accents.';

create function private.search_in(expression text, page jsonb) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when page ->> 'search' is null then 'true' else format($c$private.contains_text(%s, $1 ->> 'search')$c$, expression) end $$;

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

create function manage.list_records(kind text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    private.managed_table(kind),
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_records(text, jsonb) is 'A page of records; page has limit, offset, sort (name or created_at), descending and search.';

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

create function private.set_codes(mission_id uuid, codes jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  own  constant uuid := app.tenant_id();
  code text;
begin
  for code in select mc.code from public.mission_codes mc
              where mc.tenant_id = own and mc.mission_id = set_codes.mission_id and not codes ? mc.code order by 1 loop
    perform private.unmap_activity_code(own, code);
  end loop;
  for code in select distinct c from jsonb_array_elements_text(codes) as c order by 1 loop
    perform private.map_activity_code(own, code, mission_id);
  end loop;
end
$$;

comment on function private.set_codes(uuid, jsonb) is 'Maps exactly these activity codes to a mission.';

-- Automations -----------------------------------------------------------------------------------------------------------
create function private.resolve_body(kind text, body jsonb, caller jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  member text;
  action record;
  person uuid;
  fault  text;
begin
  foreach member in array array['starts_at', 'ends_at'] loop
    if body ? member then
      body := jsonb_set(body, array[member], to_jsonb(private.moment_of(own, member, body ->> member)));
    end if;
  end loop;
  if kind = 'automation' and jsonb_typeof(body -> 'actions') = 'array' then
    if body ? 'event' then
      -- Faults of form come before names that do not exist.
      fault := private.automation_fault(body ->> 'event', coalesce(body -> 'conditions', '[]'), (
        select coalesce(jsonb_agg(case when a ->> 'type' = 'move_stage' and a ? 'stage' or a ->> 'type' = 'assign_owner' and a ? 'user'
                                       then '{"type": "add_tag", "tag": "x"}' else a end order by n), '[]')
        from jsonb_array_elements(body -> 'actions') with ordinality as s (a, n)), own);
      if fault is not null then
        perform private.reject('validation', 'Fix these fields.', split_part(fault, ': ', 1), substr(fault, strpos(fault, ': ') + 2));
      end if;
    end if;
    for action in select value as it, ordinality - 1 as n from jsonb_array_elements(body -> 'actions') with ordinality loop
      select key into member from jsonb_each(action.it) where key in ('stage', 'user') and jsonb_typeof(value) <> 'string' order by key limit 1;
      if found then
        perform private.reject('validation', 'Fix these fields.', format('actions[%s].%s', action.n, member), 'must be a string');
      elsif action.it ? 'stage' then
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'stage' || jsonb_build_object(
          'stage_id', private.managed_id('stage', action.it ->> 'stage', format('actions[%s].stage', action.n))));
      elsif action.it ? 'user' then
        perform private.expect_own_scopes('{read:users}', caller, 'Naming a user also requires read:users.');
        select u.id into person from public.users u
        where u.tenant_id = own and lower(btrim(action.it ->> 'user')) in (u.id::text, lower(u.email));
        if not found then
          perform private.reject_unknown('user', action.it ->> 'user', format('actions[%s].user', action.n),
            array(select u.email from public.users u where u.tenant_id = own order by u.email limit 21));
        end if;
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'user' || jsonb_build_object('user_id', person));
      end if;
    end loop;
  end if;
  return body;
end
$$;

comment on function private.resolve_body(text, jsonb, jsonb) is 'Replaces dates by timestamps, and names of stages and users by ids, in a body.';

create function private.expect_valid(kind text, of_row jsonb, old_row jsonb default '{}') returns void
language plpgsql
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  own_id   constant uuid := (old_row ->> 'id')::uuid;
  of_table constant name := private.managed_table(kind);
  holder uuid;
  fault  text;
begin
  -- The lock of private.check_name, so that a record that SQL is creating is found here.
  perform pg_advisory_xact_lock(hashtextextended(of_table || own::text, 0));
  if kind in ('challenge', 'season') and (of_row ->> 'ends_at')::timestamptz <= (of_row ->> 'starts_at')::timestamptz then
    perform private.reject('validation', 'Fix these fields.', 'ends_at', 'must be later than starts_at');
  elsif kind = 'automation' and (of_row -> 'active' = 'true' or of_row - '{name,active}'::text[] <> old_row - '{name,active}'::text[]) then
    -- An automation whose stage or user is gone can still be stopped and renamed.
    fault := private.automation_fault(of_row ->> 'event', of_row -> 'conditions', of_row -> 'actions', own);
    if fault is not null then
      perform private.reject('validation', 'Fix these fields.', split_part(fault, ': ', 1), substr(fault, strpos(fault, ': ') + 2));
    end if;
  elsif kind = 'tier' then
    select t.id into holder from public.tiers t
    where t.tenant_id = own and t.min_points = (of_row ->> 'min_points')::bigint and t.id is distinct from own_id;
    if found then
      perform private.reject('conflict', 'Another tier begins at this number of points.', 'min_points', 'is taken by another tier',
                             jsonb_build_object('existing_id', holder));
    end if;
  end if;
  -- Names that several records had before names were unique stay until they change.
  if (of_row -> 'name', (of_row ->> 'starts_at')::timestamptz, (of_row ->> 'ends_at')::timestamptz)
     is distinct from (old_row -> 'name', (old_row ->> 'starts_at')::timestamptz, (old_row ->> 'ends_at')::timestamptz) then
    holder := private.find_name_conflict(of_table, own, of_row ->> 'name', own_id,
                                  (of_row ->> 'starts_at')::timestamptz, (of_row ->> 'ends_at')::timestamptz);
  end if;
  if holder is not null then
    perform private.reject('conflict', format('Another %s has this name.', kind), 'name', 'is taken',
                           jsonb_build_object('existing_id', holder));
  end if;
end
$$;

comment on function private.expect_valid(text, jsonb, jsonb) is 'Rejects a record (before the change: old_row) whose members contradict each other or are taken.';

create function private.set_members(kind text, id uuid, body jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  of_table  constant name := private.managed_table(kind);
  changes   constant text := (
    select string_agg(format('%1$I = (jsonb_populate_record(r, $3)).%1$I', m), ', ')
    from private.managed_kinds k, unnest(k.members) as m where k.kind = set_members.kind and body ? m);
begin
  if changes is not null then
    execute format('update public.%I r set %s where r.tenant_id = $1 and r.id = $2', of_table, changes) using app.tenant_id(), id, body;
  end if;
  if kind = 'mission' and body ? 'codes' then
    perform private.set_codes(id, body -> 'codes');
  end if;
end
$$;

comment on function private.set_members(text, uuid, jsonb) is 'Sets the members of a record that the body has.';

create function private.expect_automation_scopes(automation jsonb, caller jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  record constant text := split_part(automation ->> 'event', '.', 1);
begin
  -- An automation acts without a token later, so its author needs the scopes of its actions.
  perform private.expect_own_scopes(
    array[case record when 'lead' then 'read:leads' when 'deal' then 'read:deals' else 'read:users' end]
    || array(select distinct case when a ->> 'type' = 'award_points' then 'manage:gamification' when record = 'deal' then 'write:deals' else 'write:leads' end
             from jsonb_array_elements(automation -> 'actions') as a),
    caller, 'An automation can only do what your own token may do.');
end
$$;

comment on function private.expect_automation_scopes(jsonb, jsonb) is
  'Rejects an automation whose event the caller may not read, or whose actions it may not do.';

create function manage.create_record(kind text, body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  of_table constant name := private.managed_table(kind);
  given    jsonb := case kind when 'automation' then '{"conditions": [], "active": true}' else '{}'::jsonb end || body;
  new_id   uuid;
begin
  if kind = 'automation' then
    perform private.expect_automation_scopes(given, caller);
  end if;
  given := private.resolve_body(kind, given, caller);
  perform private.check_record_limit('public.' || quote_ident(of_table), 'true', 500, replace(of_table, '_', ' '));
  perform private.expect_valid(kind, given);
  execute format(
    'insert into public.%1$I (tenant_id, %2$s) select $1, %2$s from jsonb_populate_record(null::public.%1$I, $2) returning id', of_table,
    (select string_agg(quote_ident(m), ', ') from private.managed_kinds k, unnest(k.members) as m where k.kind = create_record.kind and given ? m))
    into new_id using own, given;
  if kind = 'mission' and given ? 'codes' then
    perform private.set_codes(new_id, given -> 'codes');
  end if;
  return private.admin_record(kind, new_id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_record(text, jsonb, jsonb) is 'Creates a record and returns it.';

create function manage.update_record(kind text, ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own      constant uuid := app.tenant_id();
  own_id   constant uuid := private.managed_id(kind, ref);
  of_table constant name := private.managed_table(kind);
  given    jsonb;
  of_row   jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('room public.' || of_table || own, 0));
  execute format('select to_jsonb(r) from public.%I r where r.tenant_id = $1 and r.id = $2 for update', of_table) into of_row using own, own_id;
  if of_row is null then
    -- Another request deleted it while this one waited for the lock.
    perform private.reject_unknown(kind, ref, null, null);
  end if;
  perform private.expect_version(versions, private.admin_record(kind, own_id));
  -- The scopes come first: what a caller may not do tells it nothing about the names that there are.
  if kind = 'automation' and body <> '{"active": false}' then
    perform private.expect_automation_scopes(of_row || body, caller);
  end if;
  given := private.resolve_body(kind, body, caller);
  perform private.expect_valid(kind, of_row || given, of_row);
  perform private.set_members(kind, own_id, given);
  return private.admin_record(kind, own_id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_record(text, text, jsonb, jsonb, jsonb) is 'Changes the members of a record that the body has, and returns the record.';

create function manage.delete_record(kind text, ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own     constant uuid := app.tenant_id();
  own_id  constant uuid := private.managed_id(kind, ref);
  kept    constant text := (select k.kept from private.managed_kinds k where k.kind = delete_record.kind);
  is_kept boolean;
begin
  execute format('select true from public.%I r where r.tenant_id = $1 and r.id = $2 for update', private.managed_table(kind)) into is_kept using own, own_id;
  if is_kept is null then
    perform private.reject_unknown(kind, ref, null, null);
  end if;
  perform private.expect_version(versions, private.admin_record(kind, own_id));
  is_kept := case kind
    when 'mission'   then exists (select from public.point_entries e where e.tenant_id = own and e.mission_id = own_id)
    when 'badge'     then exists (select from public.earned_badges e where e.tenant_id = own and e.badge_id = own_id)
    when 'challenge' then exists (select from public.completed_challenges c where c.tenant_id = own and c.challenge_id = own_id)
    when 'stage'     then exists (select from public.deals d where d.tenant_id = own and d.stage_id = own_id)
    else false
  end;
  if is_kept then
    perform private.reject('conflict', kept);
  elsif kind = 'mission' then
    perform private.set_codes(own_id, '[]');
  end if;
  begin
    execute format('delete from public.%I r where r.tenant_id = $1 and r.id = $2', private.managed_table(kind)) using own, own_id;
  exception when foreign_key_violation then
    -- Another request began to use it after the check above.
    perform private.reject('conflict', kept);
  end;
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.delete_record(text, text, jsonb) is 'Deletes a record that nothing else needs.';
