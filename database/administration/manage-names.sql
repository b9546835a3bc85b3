-- Missions, tiers, badges, challenges, seasons, stages and automations have names, which are unique in a tenant.

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
  for t in
    select of_table, of_table in ('seasons', 'challenges') as has_times
    from unnest('{missions,tiers,badges,challenges,seasons,pipeline_stages,automations}'::text[]) as of_table
  loop
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
