-- Gamification: missions and the activity codes that complete them.
--
-- Recording an activity with a mapped code completes the mission and awards its points in the same statement. Mapping a
-- code awards points for activities already recorded; unmapping reverses them.

-- Missions ------------------------------------------------------------------------------------------------------------

create table public.missions (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  points     integer     not null check (points >= 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.missions is 'Missions and the points for each completion.';
comment on column public.missions.points is 'Points for future completions; existing entries keep theirs.';

alter table public.missions enable row level security;
grant select on public.missions to api;

create policy "A tenant sees its own missions" on public.missions
  for select to api using (tenant_id = (select app.tenant_id()));

-- Codes ---------------------------------------------------------------------------------------------------------------

create table public.mission_codes (
  tenant_id  uuid        not null,
  code       text        not null check (code ~ '^[0-9]{3}$' and code <> '000'),
  mission_id uuid        not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, code),
  foreign key (tenant_id, mission_id) references public.missions (tenant_id, id)
);

comment on table public.mission_codes is
  'Maps activity codes to missions; adding, changing or removing a row recounts recorded activities.';

create index mission_codes_mission_idx on public.mission_codes (tenant_id, mission_id);

alter table public.mission_codes enable row level security;
grant select on public.mission_codes to api;

create policy "A tenant sees its own mapping" on public.mission_codes
  for select to api using (tenant_id = (select app.tenant_id()));

-- Recording activities takes this lock in shared mode and mapping codes takes it exclusively, so that concurrent
-- operations neither miss an activity nor count it twice.
create function private.mapping_lock_key(tenant_id uuid) returns bigint
language sql immutable parallel safe
return hashtextextended('mission_codes:' || tenant_id::text, 0);

comment on function private.mapping_lock_key(uuid) is
  'Key of the advisory lock that serializes mapping a tenant''s codes with recording its activities.';

create function private.remap_code() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.mapping_lock_key(coalesce(new.tenant_id, old.tenant_id)));

  if tg_op <> 'INSERT' then
    insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
    select e.tenant_id, e.player_id, 'mission_reverted', -sum(e.points), -1, e.mission_id, e.activity_id
    from public.activities a
    join public.point_entries e on e.tenant_id = a.tenant_id and e.activity_id = a.id
    where a.tenant_id = old.tenant_id and a.activity_code = old.code and a.voided_at is null and e.mission_id = old.mission_id
    group by e.tenant_id, e.player_id, e.mission_id, e.activity_id
    having sum(e.completions) > 0;
  end if;

  if tg_op <> 'DELETE' then
    insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
    select a.tenant_id, c.player_id, 'mission_completed', m.points, 1, m.id, a.id
    from public.activities a
    join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
    join public.missions m      on m.tenant_id = a.tenant_id and m.id = new.mission_id
    where a.tenant_id = new.tenant_id and a.activity_code = new.code and a.voided_at is null;
  end if;
  return null;
end
$$;

comment on function private.remap_code() is
  'Trigger: mapping a code awards points for recorded activities; unmapping reverses them.';

create trigger mission_codes_count
  after insert or delete on public.mission_codes
  for each row execute function private.remap_code();
create trigger mission_codes_recount
  after update on public.mission_codes
  for each row when ((old.tenant_id, old.code, old.mission_id) is distinct from (new.tenant_id, new.code, new.mission_id))
  execute function private.remap_code();
create trigger mission_codes_no_truncate
  before truncate on public.mission_codes
  execute function private.refuse_change();

-- When activities are recorded (activity/activities.sql) -----------------------------------------------------------------------------

create function private.award_missions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.mapping_lock_key(t.tenant_id))
  from (select distinct tenant_id from recorded order by tenant_id) as t;

  insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
  select r.tenant_id, c.player_id, 'mission_completed', m.points, 1, m.id, r.id
  from recorded r
  join public.mission_codes mc on mc.tenant_id = r.tenant_id and mc.code = r.activity_code
  join public.missions m       on m.tenant_id = mc.tenant_id and m.id = mc.mission_id
  join public.collaborators c  on c.tenant_id = r.tenant_id and c.id = r.collaborator_id
  where r.voided_at is null;
  return null;
end
$$;

comment on function private.award_missions() is
  'Trigger: completes the missions of recorded activities whose codes are mapped, for a whole statement at once.';

create trigger activities_award_missions
  after insert on public.activities
  referencing new table as recorded
  for each statement execute function private.award_missions();

-- When an activity is voided (activity/activities.sql) -------------------------------------------------------------------------------

create function private.take_voided_points_back() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.mapping_lock_key(new.tenant_id));
  insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
  select e.tenant_id, e.player_id, 'activity_voided', -sum(e.points), -1, e.mission_id, e.activity_id
  from public.point_entries e
  where e.tenant_id = new.tenant_id and e.activity_id = new.id
  group by e.tenant_id, e.player_id, e.mission_id, e.activity_id
  having sum(e.completions) > 0;
  return null;
end
$$;

comment on function private.take_voided_points_back() is 'Trigger: voiding an activity reverses its points.';

create trigger activities_take_voided_points_back
  after update of voided_at on public.activities
  for each row when (old.voided_at is null and new.voided_at is not null)
  execute function private.take_voided_points_back();

-- When a collaborator's player changes (records/people.sql) -----------------------------------------------------------------------

create function private.move_completions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
  select e.tenant_id, side.player_id, side.reason, side.sign * sum(e.points), side.sign, e.mission_id, e.activity_id
  from public.activities a
  join public.point_entries e on e.tenant_id = a.tenant_id and e.activity_id = a.id and e.player_id = old.player_id,
       (values (old.player_id, 'mission_reverted', -1), (new.player_id, 'mission_completed', 1)) as side (player_id, reason, sign)
  where a.tenant_id = new.tenant_id and a.collaborator_id = new.id
  group by e.tenant_id, e.mission_id, e.activity_id, side.player_id, side.reason, side.sign
  having sum(e.completions) > 0;
  return null;
end
$$;

comment on function private.move_completions() is
  'Trigger: moves a collaborator''s completions to its new player with reversing and new entries.';

create trigger collaborators_move_completions
  after update on public.collaborators
  for each row when (old.player_id <> new.player_id)
  execute function private.move_completions();

-- When rows with point entries are removed (people, activity, missions) -----------------------------------------------

create function private.refuse_removal_with_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  has_points boolean := true;
begin
  if tg_op <> 'TRUNCATE' then
    -- Waits for transactions that are recording activities, so that none of their entries is missed.
    perform pg_advisory_xact_lock(private.mapping_lock_key(old.tenant_id));
    has_points := case tg_table_name
      when 'players' then exists (
        select from public.point_entries e where e.tenant_id = old.tenant_id and e.player_id = (to_jsonb(old) ->> 'id')::uuid)
      when 'missions' then exists (
        select from public.point_entries e where e.tenant_id = old.tenant_id and e.mission_id = (to_jsonb(old) ->> 'id')::uuid)
      else exists (
        select from public.point_entries e
        where e.tenant_id = old.tenant_id and e.activity_id = (to_jsonb(old) ->> 'id')::bigint)
    end;
  end if;
  if has_points then
    raise exception '%: referenced by point entries', tg_table_name
      using errcode = 'foreign_key_violation', hint = 'Rows that point entries refer to cannot be removed.';
  end if;
  return coalesce(new, old);
end
$$;

comment on function private.refuse_removal_with_points() is
  'Trigger: rejects DELETE, TRUNCATE or a new id for rows that ledger entries reference.';

create trigger players_refuse_removal before delete on public.players
  for each row execute function private.refuse_removal_with_points();
create trigger missions_refuse_removal before delete on public.missions
  for each row execute function private.refuse_removal_with_points();
create trigger activities_refuse_removal before delete on public.activities
  for each row execute function private.refuse_removal_with_points();

create trigger players_refuse_new_id before update of tenant_id, id on public.players
  for each row when ((old.tenant_id, old.id) <> (new.tenant_id, new.id))
  execute function private.refuse_removal_with_points();
create trigger missions_refuse_new_id before update of tenant_id, id on public.missions
  for each row when ((old.tenant_id, old.id) <> (new.tenant_id, new.id))
  execute function private.refuse_removal_with_points();

create trigger players_no_truncate before truncate on public.players
  execute function private.refuse_removal_with_points();
create trigger missions_no_truncate before truncate on public.missions
  execute function private.refuse_removal_with_points();
create trigger activities_no_truncate before truncate on public.activities
  execute function private.refuse_removal_with_points();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.create_mission(tenant_id uuid, name text, points integer) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name), private.expect_number('points', points, 0);
  insert into public.missions (tenant_id, name, points) values (tenant_id, name, points) returning id
$$;

comment on function admin.create_mission(uuid, text, integer) is
  'Creates a mission that awards points (0 or more) for each completion, and returns its id.';

create function private.expect_activity_code(code text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (code ~ '^[0-9]{3}$' and code <> '000') is not true then
    perform private.refuse_argument('code', format('"%s" is not a valid activity code', code), array['three digits, 001 to 999']);
  end if;
end
$$;

comment on function private.expect_activity_code(text) is 'Rejects an invalid activity code.';

create function private.expect_mission(tenant_id uuid, mission_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.missions m where m.tenant_id = expect_mission.tenant_id and m.id = expect_mission.mission_id) then
    perform private.refuse_argument(
      'mission_id', case when mission_id is null then 'is required' else format('mission %s does not exist in this tenant', mission_id) end,
      array(select format('%s (%s)', m.id, m.name) from public.missions m where m.tenant_id = expect_mission.tenant_id order by m.name));
  end if;
end
$$;

comment on function private.expect_mission(uuid, uuid) is 'Rejects an unknown mission id and lists the tenant''s missions.';

create function private.map_activity_code(tenant_id uuid, code text, mission_id uuid) returns void
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_activity_code(code), private.expect_mission(tenant_id, mission_id);
  insert into public.mission_codes as mc (tenant_id, code, mission_id) values (tenant_id, code, mission_id)
  on conflict on constraint mission_codes_pkey do update set mission_id = excluded.mission_id
  where mc.mission_id <> excluded.mission_id
$$;

comment on function private.map_activity_code(uuid, text, uuid) is
  'Maps an activity code (001 to 999) to a mission, including recorded activities; remapping it reverses the former mission''s points.';

create function private.unmap_activity_code(tenant_id uuid, code text) returns void
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_activity_code(code);
  delete from public.mission_codes mc
  where mc.tenant_id = unmap_activity_code.tenant_id and mc.code = unmap_activity_code.code
$$;

comment on function private.unmap_activity_code(uuid, text) is 'Unmaps an activity code and reverses the points that it earned.';

create view admin.missions with (security_invoker = true) as
  select m.tenant_id, m.id, m.name, m.points,
         array(
           select mc.code from public.mission_codes mc where mc.tenant_id = m.tenant_id and mc.mission_id = m.id order by mc.code
         ) as codes,
         m.created_at
  from public.missions m;

comment on view admin.missions is 'Missions of all tenants with their activity codes.';

create view admin.activity_codes with (security_invoker = true) as
  select mc.tenant_id, mc.code, mc.mission_id, m.name as mission_name
  from public.mission_codes mc
  join public.missions m on m.tenant_id = mc.tenant_id and m.id = mc.mission_id;

comment on view admin.activity_codes is 'Activity codes mapped to a mission.';

create view admin.unmapped_activity_codes with (security_invoker = true) as
  select a.tenant_id, a.activity_code as code, count(*) as activities, max(a.created_at) as last_received_at
  from public.activities a
  where a.voided_at is null and not exists (
    select from public.mission_codes mc where mc.tenant_id = a.tenant_id and mc.code = a.activity_code
  )
  group by a.tenant_id, a.activity_code;

comment on view admin.unmapped_activity_codes is 'Activity codes that were sent but are not mapped to a mission.';

create view admin.mission_progress with (security_invoker = true) as
  select m.tenant_id, m.id as mission_id, m.name as mission_name, p.email, coalesce(u.name, c.name) as name,
         sum(e.completions) as completions, sum(e.points) as points, max(e.created_at) as last_change_at
  from public.point_entries e
  join public.missions m           on m.tenant_id = e.tenant_id and m.id = e.mission_id
  join public.players p            on p.tenant_id = e.tenant_id and p.id = e.player_id
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  group by m.tenant_id, m.id, m.name, p.email, u.name, c.name;

comment on view admin.mission_progress is 'Completions and points of each player in each mission.';

create view admin.point_entries with (security_invoker = true) as
  select e.tenant_id, e.id, p.email, e.points, e.reason, m.name as mission_name, e.event_id, a.external_id,
         coalesce(e.note, case when e.reason = 'activity_voided' then a.void_reason end) as note, e.created_at
  from public.point_entries e
  join public.players p       on p.tenant_id = e.tenant_id and p.id = e.player_id
  left join public.missions m on m.tenant_id = e.tenant_id and m.id = e.mission_id
  left join public.activities a on a.tenant_id = e.tenant_id and a.id = e.activity_id;

comment on view admin.point_entries is 'The points ledger: who gained or lost points, how many and why.';
