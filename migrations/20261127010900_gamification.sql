set local check_function_bodies = off;

-- Gamification: the points ledger, and the totals, standings and tiers derived from it.
--
--   point_entries  the ledger
--   point_days     points of a player at the start of a day, so that a period is the difference of two sums
--   tiers          thresholds in points
--
-- Entries are append-only and are written by the triggers of missions (gamification/missions.sql), events and activities
-- (gamification/point-rules.sql), challenges (gamification/recount.sql) and automations (automations/runs.sql). Each entry updates
-- its player's totals immediately.
--
-- Triggers defined in other files: an entry queues a recount of its player's badges and rankings
-- (gamification/recount-queue.sql).

-- The ledger ----------------------------------------------------------------------------------------------------------

-- No foreign keys to players, missions and activities: triggers write entries from those same rows, and checking a
-- thousand keys again would dominate the cost of a batch. Removing referenced rows is rejected instead
-- (gamification/missions.sql).
create table public.point_entries (
  id               bigint      generated always as identity,
  tenant_id        uuid        not null,
  player_id        uuid        not null,
  reason           text        not null check (reason in (
    'mission_completed', 'mission_reverted', 'deal_stage_changed', 'deal_won', 'lead_qualified', 'activity_completed',
    'challenge_completed', 'automation', 'activity_voided', 'adjustment'
  )),
  points           integer     not null,
  completions      smallint    not null default 0 check (completions between -1 and 1),
  mission_id       uuid,
  activity_id      bigint,
  event_id         text,
  deal_activity_id uuid,
  rule_id          uuid,
  note             text        check (reason <> 'adjustment' or btrim(note) <> ''),
  created_at       timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.point_entries is 'Append-only points ledger; errors are corrected by reversing entries.';
comment on column public.point_entries.reason is 'Why the points were awarded or reversed.';
comment on column public.point_entries.completions is 'Mission completions that the entry adds (1) or reverses (-1).';
comment on column public.point_entries.mission_id is 'The mission that was completed or whose completion was reversed.';
comment on column public.point_entries.activity_id is 'The activity that completed the mission.';
comment on column public.point_entries.event_id is 'The event that earned the points; null for missions and activities.';
comment on column public.point_entries.deal_activity_id is 'The logged activity that earned the points.';
comment on column public.point_entries.rule_id is 'The rule that awarded the points; also counts awards for max_per_day.';
comment on column public.point_entries.note is 'Why an admin adjusted the points.';

alter table public.point_entries enable row level security;
grant select on public.point_entries to api;

create policy "A tenant sees its own points" on public.point_entries
  for select to api using (tenant_id = (select app.tenant_id()));

-- Includes the columns that are summed for the partial days at the start and end of a period.
create index point_entries_player_idx   on public.point_entries (tenant_id, player_id, created_at) include (points, completions);
-- Serves mapping a code to another mission and voiding an activity.
create index point_entries_activity_idx on public.point_entries (tenant_id, activity_id) where activity_id is not null;

create trigger point_entries_append_only
  before update or delete on public.point_entries
  for each row execute function private.refuse_change();
create trigger point_entries_no_truncate
  before truncate on public.point_entries
  execute function private.refuse_change();

-- Periods -------------------------------------------------------------------------------------------------------------

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.point_days (
  tenant_id   uuid        not null,
  player_id   uuid        not null,
  began_at    timestamptz not null,
  points      bigint      not null,
  completions bigint      not null,
  primary key (tenant_id, player_id, began_at),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id) on delete cascade
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.point_days is
  'A player''s sums at the start of a day, one row per day with entries; maintained by trigger and read by app.points_between.';
comment on column public.point_days.began_at is
  'Midnight in the tenant''s time zone when the row was added; the sums stay correct if the time zone changes later.';
comment on column public.point_days.points is 'Points earned before began_at.';
comment on column public.point_days.completions is 'Completions before began_at.';

alter table public.point_days enable row level security;
grant select on public.point_days to api;

create policy "A tenant sees its own daily sums" on public.point_days
  for select to api using (tenant_id = (select app.tenant_id()));

-- The points before a time are the next stored sum minus the entries in between. A day's sum is stored with its first
-- entry, so at most the rest of one day is summed, and nothing if the time is midnight. Do not use coalesce here: under
-- row-level security, a comparison with coalesce cannot use an index.
create function app.points_between(tenant_id uuid, player_id uuid, since timestamptz, until timestamptz)
returns table (points bigint, completions bigint)
language sql stable rows 1
begin atomic
  select case when last.began_at is null then p.total_points else last.points end - coalesce(after_last.points, 0)
       - case when first.began_at is null then p.total_points else first.points end + coalesce(after_first.points, 0),
         case when last.began_at is null then p.total_completions else last.completions end - coalesce(after_last.completions, 0)
       - case when first.began_at is null then p.total_completions else first.completions end + coalesce(after_first.completions, 0)
  from public.players p
  left join lateral (
    select d.began_at, d.points, d.completions from public.point_days d
    where d.tenant_id = p.tenant_id and d.player_id = p.id and d.began_at >= points_between.since
    order by d.began_at limit 1
  ) as first on true
  left join lateral (
    select sum(e.points) as points, sum(e.completions) as completions from public.point_entries e
    where e.tenant_id = p.tenant_id and e.player_id = p.id and e.created_at >= points_between.since
      and e.created_at < case when first.began_at is null then 'infinity' else first.began_at end
  ) as after_first on true
  left join lateral (
    select d.began_at, d.points, d.completions from public.point_days d
    where d.tenant_id = p.tenant_id and d.player_id = p.id and d.began_at >= points_between.until
      and points_between.until < 'infinity'
    order by d.began_at limit 1
  ) as last on true
  left join lateral (
    select sum(e.points) as points, sum(e.completions) as completions from public.point_entries e
    where e.tenant_id = p.tenant_id and e.player_id = p.id and e.created_at >= points_between.until
      and points_between.until < 'infinity'
      and e.created_at < case when last.began_at is null then 'infinity' else last.began_at end
  ) as after_last on true
  where p.tenant_id = points_between.tenant_id and p.id = points_between.player_id;
end;

comment on function app.points_between(uuid, uuid, timestamptz, timestamptz) is
  'Points and completions of a player from since (inclusive) to until (exclusive).';

grant execute on function app.points_between(uuid, uuid, timestamptz, timestamptz) to api;

-- When entries are added ----------------------------------------------------------------------------------------------

create function private.add_points_to_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  locked      bigint;
  given       bigint;
  days_behind boolean;
begin
  -- All transactions lock players in the same order, so that overlapping batches wait for each other instead of
  -- deadlocking.
  with held as (
    select from public.players p
    where (p.tenant_id, p.id) in (select e.tenant_id, e.player_id from added e)
    order by p.tenant_id, p.id
    for no key update
  )
  select count(*) into locked from held;

  -- Usually every player already has today's row and no later one.
  select count(*), coalesce(bool_or(
           e.earliest < latest.day or latest.day is distinct from date_trunc('day', e.latest, t.time_zone)), false)
  into given, days_behind
  from (
    select tenant_id, player_id, min(created_at) as earliest, max(created_at) as latest from added group by 1, 2
  ) as e
  left join public.tenants t on t.id = e.tenant_id,
  lateral (
    select max(d.began_at) as day from public.point_days d where d.tenant_id = e.tenant_id and d.player_id = e.player_id
  ) as latest;
  if locked <> given then
    raise exception 'point_entries: the player does not exist in this tenant' using errcode = 'foreign_key_violation';
  end if;

  update public.players p
  set total_points = p.total_points + e.points, total_completions = p.total_completions + e.completions
  from (
    select tenant_id, player_id, sum(points) as points, sum(completions) as completions from added group by 1, 2
  ) as e
  where p.tenant_id = e.tenant_id and p.id = e.player_id and (e.points <> 0 or e.completions <> 0);

  if days_behind then
    -- An entry can be older than the last day if its transaction began before midnight or an admin backdates it.
    update public.point_days d
    set points = d.points + later.points, completions = d.completions + later.completions
    from (
      select k.tenant_id, k.player_id, k.began_at, sum(e.points) as points, sum(e.completions) as completions
      from added e
      join public.point_days k on k.tenant_id = e.tenant_id and k.player_id = e.player_id and k.began_at > e.created_at
      group by 1, 2, 3
    ) as later
    where d.tenant_id = later.tenant_id and d.player_id = later.player_id and d.began_at = later.began_at;

    insert into public.point_days (tenant_id, player_id, began_at, points, completions)
    select b.tenant_id, b.player_id, b.began_at, sums.points, sums.completions
    from (
      select distinct e.tenant_id, e.player_id, date_trunc('day', e.created_at, t.time_zone) as began_at
      from added e join public.tenants t on t.id = e.tenant_id
    ) as b, app.points_between(b.tenant_id, b.player_id, '-infinity', b.began_at) as sums
    on conflict do nothing;
  end if;
  return null;
end
$$;

comment on function private.add_points_to_players() is
  'Trigger: keeps player totals and daily sums equal to the sums of their entries.';

create trigger point_entries_add_points
  after insert on public.point_entries
  referencing new table as added
  for each statement execute function private.add_points_to_players();

-- Tiers ---------------------------------------------------------------------------------------------------------------

create table public.tiers (
  id         uuid not null default gen_random_uuid(),
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  name       text not null check (btrim(name) <> ''),
  min_points bigint not null check (min_points >= 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, min_points)
);

comment on table public.tiers is 'Tiers by points: a player is in the highest tier whose min_points they have reached.';

alter table public.tiers enable row level security;
grant select on public.tiers to api;

create policy "A tenant sees its own tiers" on public.tiers
  for select to api using (tenant_id = (select app.tenant_id()));

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.create_tier(tenant_id uuid, name text, min_points bigint) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name), private.expect_number('min_points', min_points, 0);
  insert into public.tiers (tenant_id, name, min_points) values (tenant_id, name, min_points) returning id
$$;

comment on function admin.create_tier(uuid, text, bigint) is
  'Creates a tier that players reach with min_points, and returns its id.';

create function private.expect_player(tenant_id uuid, email text) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  player uuid;
begin
  perform private.expect_filled('email', email);
  select p.id into player from public.players p
  where p.tenant_id = expect_player.tenant_id and p.email = lower(btrim(expect_player.email));
  if not found then
    perform private.refuse_argument('email', format('no user or collaborator of the tenant has the address "%s"', expect_player.email));
  end if;
  return player;
end
$$;

comment on function private.expect_player(uuid, text) is
  'Returns the tenant''s player with this email address; rejects an unknown address.';

create function admin.adjust_points(tenant_id uuid, email text, points integer, reason text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  player   uuid;
  entry_id bigint;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('reason', reason);
  player := private.expect_player(tenant_id, email);
  if coalesce(points, 0) = 0 then
    perform private.refuse_argument('points', 'must be a number other than 0');
  end if;
  insert into public.point_entries as e (tenant_id, player_id, reason, points, note)
  values (adjust_points.tenant_id, player, 'adjustment', adjust_points.points, btrim(adjust_points.reason))
  returning e.id into entry_id;
  return entry_id;
end
$$;

comment on function admin.adjust_points(uuid, text, integer, text) is
  'Adds points (negative to deduct) to the player with this email address, for a reason, and returns the permanent entry''s id.';

create function private.set_ranking_opt_out(tenant_id uuid, email text, opted_out boolean default true) returns void
language plpgsql
set search_path = ''
as $$
declare
  player uuid;
begin
  perform private.expect_tenant(tenant_id);
  player := private.expect_player(tenant_id, email);
  if opted_out is null then
    perform private.refuse_argument('opted_out', 'is required', array['true', 'false']);
  end if;
  update public.players p set opted_out_of_rankings = opted_out
  where p.tenant_id = set_ranking_opt_out.tenant_id and p.id = player and p.opted_out_of_rankings <> opted_out;
end
$$;

comment on function private.set_ranking_opt_out(uuid, text, boolean) is
  'Hides the player with this email address from standings, or shows them with opted_out => false; points and awards stay.';

create view admin.tiers with (security_invoker = true) as
  select t.tenant_id, t.id, t.name, t.min_points from public.tiers t;

comment on view admin.tiers is 'Tiers of all tenants, by points.';

create view admin.standings with (security_invoker = true) as
  select p.tenant_id, c.id as collaborator_id, u.id as user_id, p.email,
         coalesce(u.name, c.name) as name, p.total_points as points,
         case when not p.opted_out_of_rankings
           then rank() over (partition by p.tenant_id, p.opted_out_of_rankings order by p.total_points desc) end as position,
         p.opted_out_of_rankings
  from public.players p
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  where c.id is not null or u.id is not null;

comment on view admin.standings is
  'Collaborators and users with points and position (null if opted out); those with the same email address share a row.';

create view admin.point_differences with (security_invoker = true) as
  select p.tenant_id, p.email, p.total_points, sums.points as points_of_ledger,
         p.total_completions, sums.completions as completions_of_ledger
  from public.players p
  left join lateral (
    select coalesce(sum(e.points), 0) as points, coalesce(sum(e.completions), 0) as completions
    from public.point_entries e where e.tenant_id = p.tenant_id and e.player_id = p.id
  ) as sums on true
  where (p.total_points, p.total_completions) <> (sums.points, sums.completions);

comment on view admin.point_differences is
  'Players whose totals differ from the sums of their entries; should always be empty.';

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

-- Gamification: points for events and logged activities. A rule defines how many points an event or a logged activity
-- earns for its owner. Points are awarded in the transaction of the change, for all rows of a statement at once,
-- regardless of who made the change.

create function private.point_rule_events() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$ select array['deal.stage_changed', 'deal.won', 'lead.qualified', 'activity.completed'] $$;

comment on function private.point_rule_events() is 'Events that point rules can award points for.';

create table public.point_rules (
  id          uuid        not null default gen_random_uuid(),
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  event       text        not null check (event = any (private.point_rule_events())),
  points      integer     not null,
  stage_id    uuid,
  max_per_day integer     check (max_per_day > 0),
  created_at  timestamptz not null default now(),
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, event, stage_id),
  foreign key (tenant_id, stage_id) references public.pipeline_stages (tenant_id, id) on delete cascade,
  check (stage_id is null or event = 'deal.stage_changed')
);

comment on table  public.point_rules is 'Points for users'' work with leads and deals, set with admin.set_point_rule.';
comment on column public.point_rules.event is 'The event that earns the points.';
comment on column public.point_rules.points is 'Points for each occurrence; negative values deduct points, 0 awards none.';
comment on column public.point_rules.stage_id is
  'For deal.stage_changed: the stage that a deal moves to; null means any stage without its own rule.';
comment on column public.point_rules.max_per_day is
  'How many times per day a player can earn the points, in the tenant''s calendar; null means no limit.';

create index point_rules_stage_idx on public.point_rules (tenant_id, stage_id);

alter table public.point_rules enable row level security;
grant select on public.point_rules to api;

create policy "A tenant sees its own rules" on public.point_rules
  for select to api using (tenant_id = (select app.tenant_id()));
-- Daily limits --------------------------------------------------------------------------------------------------------

-- Applies a rule's daily maximum correctly where clocks go back across midnight: the day then starts twice, and date_trunc returns the
-- second start.
create function private.times_given_today(tenant_id uuid, rule_id uuid, player_id uuid) returns bigint
language sql stable
set search_path = ''
as $$
  select count(*)
  from public.tenants t
  join public.point_entries e
    on e.tenant_id = t.id and e.player_id = times_given_today.player_id and e.rule_id = times_given_today.rule_id
   -- No clock goes back by more than two hours. The bound is for the index.
   and e.created_at >= date_trunc('day', now(), t.time_zone) - interval '2 hours'
   and (e.created_at at time zone t.time_zone)::date = (now() at time zone t.time_zone)::date
  where t.id = times_given_today.tenant_id
$$;

comment on function private.times_given_today(uuid, uuid, uuid) is
  'How many times a rule has awarded points to a player today, in the tenant''s calendar.';

-- When an event is written (webhooks/events.sql) ---------------------------------------------------------------------------------

create function private.award_event_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Most types of events cannot earn points; this check is cheaper than looking up rules.
  if not exists (
    select from written w
    where not w.silent
      and (w.type in ('deal.stage_changed', 'deal.won')
           or w.type in ('lead.status_changed', 'lead.created') and w.data ->> 'status' = 'qualified')
  ) then
    return null;
  end if;
  if exists (select from written w join public.point_rules r on r.tenant_id = w.tenant_id where r.max_per_day is not null) then
    perform from public.players p
    where (p.tenant_id, p.id) in (
      select u.tenant_id, u.player_id from written w
      join public.users u on u.tenant_id = w.tenant_id and u.id = (w.data ->> 'owner_id')::uuid
      where w.interface = 'records'
    )
    order by p.tenant_id, p.id
    for no key update;
  end if;
  insert into public.point_entries (tenant_id, player_id, reason, points, event_id, rule_id)
  select g.tenant_id, g.player_id, replace(g.event, '.', '_'), g.points, g.event_id, g.rule_id
  from (
    select w.tenant_id, u.player_id, r.event, r.points, w.id as event_id, r.id as rule_id, r.max_per_day,
           row_number() over (partition by r.id, u.player_id order by w.id) as turn
    from written w
    join public.point_rules r on r.tenant_id = w.tenant_id
     and r.event = case when w.type like 'lead.%' and w.data ->> 'status' = 'qualified' then 'lead.qualified' else w.type end
    join public.users u on u.tenant_id = w.tenant_id and u.id = (w.data ->> 'owner_id')::uuid
    where w.interface = 'records' and not w.silent and r.points <> 0
      -- A lead that is created as qualified also counts.
      and w.type in ('deal.stage_changed', 'deal.won', 'lead.status_changed', 'lead.created')
      and (r.stage_id = (w.data -> 'stage' ->> 'id')::uuid or r.stage_id is null and not exists (
        select from public.point_rules own
        where own.tenant_id = w.tenant_id and own.event = w.type and own.stage_id = (w.data -> 'stage' ->> 'id')::uuid
      ))
  ) as g
  where g.max_per_day is null or g.turn + private.times_given_today(g.tenant_id, g.rule_id, g.player_id) <= g.max_per_day;
  return null;
end
$$;

comment on function private.award_event_points() is
  'Trigger: awards points to the owner for moving and winning deals and for qualifying leads.';

create trigger events_award_points after insert on public.events
  referencing new table as written
  for each statement execute function private.award_event_points();

-- When an activity is logged (records/deal-activities.sql) --------------------------------------------------------------------------

create function private.award_activity_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.is_silent() then
    return null;
  end if;
  if exists (
    select from logged l join public.point_rules r on r.tenant_id = l.tenant_id
    where r.event = 'activity.completed' and r.max_per_day is not null
  ) then
    perform from public.players p
    where (p.tenant_id, p.id) in (
      select u.tenant_id, u.player_id from logged l join public.users u on u.tenant_id = l.tenant_id and u.id = l.owner_id
    )
    order by p.tenant_id, p.id
    for no key update;
  end if;
  insert into public.point_entries (tenant_id, player_id, reason, points, deal_activity_id, rule_id)
  select g.tenant_id, g.player_id, 'activity_completed', g.points, g.deal_activity_id, g.rule_id
  from (
    select l.tenant_id, u.player_id, r.points, l.id as deal_activity_id, r.id as rule_id, r.max_per_day,
           row_number() over (partition by r.id, u.player_id order by l.id) as turn
    from logged l
    join public.point_rules r on r.tenant_id = l.tenant_id and r.event = 'activity.completed' and r.points <> 0
    join public.users u       on u.tenant_id = l.tenant_id and u.id = l.owner_id
  ) as g
  where g.max_per_day is null or g.turn + private.times_given_today(g.tenant_id, g.rule_id, g.player_id) <= g.max_per_day;
  return null;
end
$$;

comment on function private.award_activity_points() is 'Trigger: awards points to the owner of a logged activity.';

create trigger deal_activities_award_points after insert on public.deal_activities
  referencing new table as logged
  for each statement execute function private.award_activity_points();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.set_point_rule(
  tenant_id   uuid,
  event       text,
  points      integer,
  stage_id    uuid default null,
  max_per_day integer default null
) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  rule_id uuid;
begin
  perform private.expect_tenant(tenant_id), private.expect_one_of('event', event, private.point_rule_events()),
          private.expect_number('points', points);
  if stage_id is not null then
    if event <> 'deal.stage_changed' then
      perform private.refuse_argument('stage_id', format('is not allowed with the event %s', event), array['null', 'a stage with deal.stage_changed']);
    end if;
    perform private.expect_stage(tenant_id, stage_id);
  end if;
  if max_per_day is not null then
    perform private.expect_number('max_per_day', max_per_day, 1);
  end if;
  insert into public.point_rules as r (tenant_id, event, points, stage_id, max_per_day)
  values (set_point_rule.tenant_id, set_point_rule.event, set_point_rule.points, set_point_rule.stage_id, set_point_rule.max_per_day)
  on conflict on constraint point_rules_tenant_id_event_stage_id_key
  do update set points = excluded.points, max_per_day = excluded.max_per_day
  returning r.id into rule_id;
  return rule_id;
end
$$;

comment on function admin.set_point_rule(uuid, text, integer, uuid, integer) is
  'Sets points for an event from now on (0: none), optionally per stage and limited per player and day; null means no limit.';

create view admin.point_rules with (security_invoker = true) as
  select r.tenant_id, r.id, r.event, r.points, r.stage_id, s.name as stage_name, r.max_per_day, r.created_at
  from public.point_rules r
  left join public.pipeline_stages s on s.tenant_id = r.tenant_id and s.id = r.stage_id;

comment on view admin.point_rules is 'Point rules of all tenants.';

-- Gamification: badges and challenges, created by admins, and their awards. A player receives each award only once.
--
-- A badge is earned permanently when a metric reaches a threshold. A challenge is completed when a metric reaches a
-- target within a time range, and awards points. The recount determines which players did either (see
-- gamification/recount.sql).

create function private.metrics() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array['points', 'missions_completed', 'deals_created', 'deals_won', 'revenue_closed', 'leads_created',
               'leads_qualified', 'activities_logged']
$$;

comment on function private.metrics() is 'Metrics for badges and challenges; private.metric_value computes them.';

-- Badges --------------------------------------------------------------------------------------------------------------

create table public.badges (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  metric     text        not null check (metric = any (private.metrics())),
  threshold  numeric     not null check (threshold > 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.badges is
  'Badges, earned permanently when a metric reaches a threshold; created with admin.create_badge.';
comment on column public.badges.metric is 'The metric that is counted; private.metrics lists all metrics.';

alter table public.badges enable row level security;
grant select on public.badges to api;

create policy "A tenant sees its own badges" on public.badges
  for select to api using (tenant_id = (select app.tenant_id()));

create table public.earned_badges (
  tenant_id uuid not null,
  badge_id  uuid not null,
  player_id uuid not null,
  earned_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, badge_id, player_id),
  foreign key (tenant_id, badge_id)  references public.badges  (tenant_id, id) on delete cascade,
  foreign key (tenant_id, player_id) references public.players (tenant_id, id) on delete cascade
);

comment on table public.earned_badges is 'Earned badges, with the player and time.';

create index earned_badges_player_idx on public.earned_badges (tenant_id, player_id, earned_at);

alter table public.earned_badges enable row level security;
grant select on public.earned_badges to api;

create policy "A tenant sees its own earned badges" on public.earned_badges
  for select to api using (tenant_id = (select app.tenant_id()));

-- Challenges ----------------------------------------------------------------------------------------------------------

create table public.challenges (
  id            uuid        not null default gen_random_uuid(),
  tenant_id     uuid        not null references public.tenants (id) on delete cascade,
  name          text        not null check (btrim(name) <> ''),
  metric        text        not null check (metric = any (private.metrics())),
  target        numeric     not null check (target > 0),
  starts_at     timestamptz not null,
  ends_at       timestamptz not null check (ends_at > starts_at),
  reward_points integer     not null default 0 check (reward_points >= 0),
  created_at    timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.challenges is
  'Challenges: reach a target within a time range to earn points; created with admin.create_challenge.';
comment on column public.challenges.metric is 'The metric that is counted; private.metrics lists all metrics.';
comment on column public.challenges.ends_at is 'End of the challenge (exclusive).';

alter table public.challenges enable row level security;
grant select on public.challenges to api;

create policy "A tenant sees its own challenges" on public.challenges
  for select to api using (tenant_id = (select app.tenant_id()));

create table public.completed_challenges (
  tenant_id    uuid not null,
  challenge_id uuid not null,
  player_id    uuid not null,
  completed_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, challenge_id, player_id),
  foreign key (tenant_id, challenge_id) references public.challenges (tenant_id, id) on delete cascade,
  foreign key (tenant_id, player_id)    references public.players    (tenant_id, id) on delete cascade
);

comment on table public.completed_challenges is 'Completed challenges, with the player and when completion was detected.';

create index completed_challenges_player_idx on public.completed_challenges (tenant_id, player_id);

alter table public.completed_challenges enable row level security;
grant select on public.completed_challenges to api;

create policy "A tenant sees its own completed challenges" on public.completed_challenges
  for select to api using (tenant_id = (select app.tenant_id()));

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_more_than_zero(argument text, value numeric) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (value > 0) is not true then
    perform private.refuse_argument(argument, 'must be more than 0');
  end if;
end
$$;

comment on function private.expect_more_than_zero(text, numeric) is 'Rejects a number that is missing, 0 or less.';

create function private.expect_later(argument text, value timestamptz, other text, than timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (value > than) is not true then
    perform private.refuse_argument(argument, 'must be later than ' || other);
  end if;
end
$$;

comment on function private.expect_later(text, timestamptz, text, timestamptz) is
  'Rejects a time that is missing or not later than another one.';

create function admin.create_badge(tenant_id uuid, name text, metric text, threshold numeric) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name),
         private.expect_one_of('metric', metric, private.metrics()), private.expect_more_than_zero('threshold', threshold);
  insert into public.badges (tenant_id, name, metric, threshold) values (tenant_id, name, metric, threshold) returning id
$$;

comment on function admin.create_badge(uuid, text, text, numeric) is
  'Creates a badge for a metric (private.metrics() lists them) and returns its id.';

create function admin.create_challenge(
  tenant_id     uuid,
  name          text,
  metric        text,
  target        numeric,
  starts_at     timestamptz,
  ends_at       timestamptz,
  reward_points integer default 0
) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name),
         private.expect_one_of('metric', metric, private.metrics()), private.expect_more_than_zero('target', target),
         private.expect_later('ends_at', ends_at, 'starts_at', starts_at), private.expect_number('reward_points', reward_points, 0);
  insert into public.challenges (tenant_id, name, metric, target, starts_at, ends_at, reward_points)
  values (tenant_id, name, metric, target, starts_at, ends_at, reward_points)
  returning id
$$;

comment on function admin.create_challenge(uuid, text, text, numeric, timestamptz, timestamptz, integer) is
  'Creates a challenge, which awards reward_points for reaching a metric''s target in the time range, and returns its id.';

create function admin.create_challenge(
  tenant_id uuid, name text, metric text, target numeric, starts_at text, ends_at text, reward_points integer default 0
) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id);
  select admin.create_challenge(tenant_id, name, metric, target,
    private.moment_of(tenant_id, 'starts_at', starts_at), private.moment_of(tenant_id, 'ends_at', ends_at), reward_points)
$$;

comment on function admin.create_challenge(uuid, text, text, numeric, text, text, integer) is
  'Creates a challenge from dates or times; a date means midnight in the tenant''s time zone.';

create view admin.badges with (security_invoker = true) as
  select b.tenant_id, b.id, b.name, b.metric, b.threshold,
         (select count(*) from public.earned_badges e where e.tenant_id = b.tenant_id and e.badge_id = b.id) as earned_by
  from public.badges b;

comment on view admin.badges is 'Badges of all tenants, with the number of players who earned each.';

create view admin.earned_badges with (security_invoker = true) as
  select e.tenant_id, b.name as badge, p.email, e.earned_at
  from public.earned_badges e
  join public.badges b  on b.tenant_id = e.tenant_id and b.id = e.badge_id
  join public.players p on p.tenant_id = e.tenant_id and p.id = e.player_id;

comment on view admin.earned_badges is 'Earned badges of all players.';

create view admin.challenges with (security_invoker = true) as
  select c.tenant_id, c.id, c.name, c.metric, c.target, c.starts_at, c.ends_at, c.reward_points,
         (select count(*) from public.completed_challenges d where d.tenant_id = c.tenant_id and d.challenge_id = c.id)
           as completed_by
  from public.challenges c;

comment on view admin.challenges is 'Challenges of all tenants, with the number of players who completed each.';

-- Gamification: the recount queue. Badges, challenges and rankings are recounted in the background: a change queues the
-- players whose metrics it may affect, and one job per tenant recounts all queued players together. The recount itself
-- is in gamification/recount.sql. Silent imports queue no players (gamification/uncounted.sql).

-- The queue -----------------------------------------------------------------------------------------------------------

create table private.pending_recounts (
  id        bigint generated always as identity primary key,
  tenant_id uuid   not null,
  player_id uuid   not null
);

comment on table private.pending_recounts is
  'Players to recount because their metrics may have changed; rows are only inserted and deleted, so writers never wait.';

create index pending_recounts_tenant_idx on private.pending_recounts (tenant_id);

alter table private.pending_recounts enable row level security;

-- A scheduled job that is not due yet will see this change, unless it is claimed before this transaction commits. In
-- that case the queued rows remain and the sweep schedules another job. Overdue jobs are ignored here, because their
-- announcement may have been lost.
create function private.schedule_recount(tenant_ids uuid[]) returns void
language sql security definer
set search_path = ''
as $$
  insert into public.jobs (tenant_id, name, key, due_at)
  select t.id, 'recount', t.id || ':' || gen_random_uuid(), now() + interval '2 seconds'
  from unnest(tenant_ids) as t (id)
  where not exists (
    select from public.jobs j
    where j.tenant_id = t.id and j.name = 'recount'
      and j.finished_at is null and j.failed_at is null and j.locked_until is null and j.due_at > now()
  )
$$;

comment on function private.schedule_recount(uuid[]) is
  'Schedules a recount of these tenants'' queued players in two seconds, unless one is already scheduled.';

create function private.schedule_recount_of_queued() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.schedule_recount(array(select distinct tenant_id from queued));
  return null;
end
$$;

comment on function private.schedule_recount_of_queued() is 'Trigger: schedules a recount for queued players.';

create trigger pending_recounts_schedule
  after insert on private.pending_recounts
  referencing new table as queued
  for each statement execute function private.schedule_recount_of_queued();

create function app.schedule_missed_recounts() returns void
language sql security definer
set search_path = ''
as $$
  select private.schedule_recount(array_agg(distinct r.tenant_id)) from private.pending_recounts r;
  -- The announcement of these jobs may have been lost, and the next sweep is a minute away.
  update public.jobs j set due_at = now()
  where j.name = 'recount' and j.finished_at is null and j.failed_at is null and j.locked_until is null and j.failures = 0
    and j.due_at > now() and j.due_at <= now() + interval '2 seconds'
$$;

comment on function app.schedule_missed_recounts() is
  'For the sweep: schedules missing recounts and makes recounts that are due within two seconds due now.';

grant execute on function app.schedule_missed_recounts() to worker;

-- When points are awarded (gamification/points.sql) or people are added or removed (records/people.sql) -------------------------------

create function private.queue_recount_of_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not app.is_silent() then
    insert into private.pending_recounts (tenant_id, player_id) select distinct tenant_id, player_id from changed;
  end if;
  return null;
end
$$;

comment on function private.queue_recount_of_players() is
  'Trigger: queues a recount of players who got points, or whose user or collaborator was added or removed.';

create trigger point_entries_queue_recount after insert on public.point_entries
  referencing new table as changed for each statement execute function private.queue_recount_of_players();
create trigger users_queue_recount_of_new after insert on public.users
  referencing new table as changed for each statement execute function private.queue_recount_of_players();
create trigger users_queue_recount_of_removed after delete on public.users
  referencing old table as changed for each statement execute function private.queue_recount_of_players();
create trigger collaborators_queue_recount_of_new after insert on public.collaborators
  referencing new table as changed for each statement execute function private.queue_recount_of_players();
create trigger collaborators_queue_recount_of_removed after delete on public.collaborators
  referencing old table as changed for each statement execute function private.queue_recount_of_players();

create function private.queue_recount_of_both_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.pending_recounts (tenant_id, player_id)
  values (old.tenant_id, old.player_id), (new.tenant_id, new.player_id);
  return null;
end
$$;

comment on function private.queue_recount_of_both_players() is
  'Trigger: queues a recount of both players when a user or collaborator changes player, because their deals and leads move too.';

create trigger users_queue_recount_of_moved after update of email on public.users
  for each row when (old.player_id <> new.player_id) execute function private.queue_recount_of_both_players();
create trigger collaborators_queue_recount_of_moved after update of email on public.collaborators
  for each row when (old.player_id <> new.player_id) execute function private.queue_recount_of_both_players();

create function private.queue_recount_of_player() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.pending_recounts (tenant_id, player_id) values (new.tenant_id, new.id);
  return null;
end
$$;

comment on function private.queue_recount_of_player() is
  'Trigger: queues a recount when a player opts out of rankings or back in, which changes other positions.';

create trigger players_queue_recount_of_opt_out after update of opted_out_of_rankings on public.players
  for each row when (old.opted_out_of_rankings <> new.opted_out_of_rankings)
  execute function private.queue_recount_of_player();

-- When leads, deals and their activities change (records/leads.sql, records/deals.sql) ----------------------------------------

create function private.queue_recount_of_owners() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.is_silent() then
    return null;
  elsif exists (
    select from changed c join public.badges b on b.tenant_id = c.tenant_id where b.metric = any (tg_argv)
  ) or exists (
    select from changed c join public.challenges h on h.tenant_id = c.tenant_id where h.metric = any (tg_argv)
  ) then
    insert into private.pending_recounts (tenant_id, player_id)
    select distinct u.tenant_id, u.player_id
    from changed c join public.users u on u.tenant_id = c.tenant_id and u.id = c.owner_id;
  end if;
  return null;
end
$$;

comment on function private.queue_recount_of_owners() is
  'Trigger: queues a recount of the owners of changed records if a badge or challenge uses one of the metrics given as arguments.';

create trigger leads_queue_recount_insert after insert on public.leads
  referencing new table as changed
  for each statement execute function private.queue_recount_of_owners('leads_created', 'leads_qualified');
create trigger leads_queue_recount_update after update on public.leads
  referencing new table as changed
  for each statement execute function private.queue_recount_of_owners('leads_created', 'leads_qualified');
create trigger deals_queue_recount_insert after insert on public.deals
  referencing new table as changed
  for each statement execute function private.queue_recount_of_owners('deals_created', 'deals_won', 'revenue_closed');
create trigger deals_queue_recount_update after update on public.deals
  referencing new table as changed
  for each statement execute function private.queue_recount_of_owners('deals_created', 'deals_won', 'revenue_closed');
create trigger deal_activities_queue_recount_insert after insert on public.deal_activities
  referencing new table as changed for each statement execute function private.queue_recount_of_owners('activities_logged');
create trigger deal_activities_queue_recount_update after update on public.deal_activities
  referencing new table as changed for each statement execute function private.queue_recount_of_owners('activities_logged');

-- When a badge or challenge is created or changed (gamification/badges.sql) -----------------------------------------------

create function app.queue_recount_of_everybody(tenant_id uuid) returns void
language sql security definer
set search_path = ''
as $$
  insert into private.pending_recounts (tenant_id, player_id)
  select p.tenant_id, p.id from public.players p where p.tenant_id = queue_recount_of_everybody.tenant_id
$$;

comment on function app.queue_recount_of_everybody(uuid) is 'Queues a recount of all players of a tenant.';

grant execute on function app.queue_recount_of_everybody(uuid) to worker;

create function private.queue_recount_of_everybody() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.queue_recount_of_everybody(new.tenant_id);
  -- Concurrent transactions do not see the badge or challenge yet and may queue no players.
  insert into public.jobs (tenant_id, name, key, due_at)
  values (new.tenant_id, 'recount-everyone', new.tenant_id || ':' || gen_random_uuid(), now() + interval '1 minute');
  return null;
end
$$;

comment on function private.queue_recount_of_everybody() is
  'Trigger: queues all players of a tenant when a badge or challenge changes, and again a minute later for concurrent transactions.';

create trigger badges_queue_recount after insert or update on public.badges
  for each row execute function private.queue_recount_of_everybody();
create trigger challenges_queue_recount after insert or update on public.challenges
  for each row execute function private.queue_recount_of_everybody();

-- Gamification: silent imports earn nothing, neither immediately nor later. Statistics include imported records; badges
-- and challenges ignore them, so that no later change reaches a threshold because of an import. Position changes caused
-- by silent imports are not announced either.
--
--   uncounted  records that a metric ignores
--
-- Only silent writes insert rows here, so other writes need at most a lookup.

create table private.uncounted (
  tenant_id uuid             not null references public.tenants (id) on delete cascade,
  metric    text             not null check (metric = any (private.metrics())),
  record_id uuid             not null,
  amount    double precision check ((amount is null) = (metric <> 'revenue_closed')),
  primary key (tenant_id, metric, record_id)
);

comment on table  private.uncounted is
  'Leads, deals and logged activities that badge and challenge metrics ignore, because they would count only due to a silent import.';
comment on column private.uncounted.metric is 'The metric that ignores the record; deals_won also covers revenue_closed.';
comment on column private.uncounted.amount is
  'For revenue_closed: the ignored amount by which silent changes raised the value of a deal that counts as won.';

create index uncounted_record_idx on private.uncounted (tenant_id, record_id); -- deleting and merging records

alter table private.uncounted enable row level security;

create function private.has_uncounted(tenant_id uuid) returns boolean
language sql stable
set search_path = ''
as $$ select exists (select from private.uncounted u where u.tenant_id = has_uncounted.tenant_id) $$;

comment on function private.has_uncounted(uuid) is 'Whether the tenant has any records that metrics ignore.';

create function private.is_uncounted(tenant_id uuid, metric text, record_id uuid) returns boolean
language sql stable
return exists (
  select from private.uncounted u
  where u.tenant_id = is_uncounted.tenant_id and u.metric = is_uncounted.metric and u.record_id = is_uncounted.record_id
);

comment on function private.is_uncounted(uuid, text, uuid) is 'Whether a metric ignores this record.';

create function private.uncounted_amount(tenant_id uuid, deal_id uuid) returns double precision
language sql stable
return coalesce((
  select u.amount from private.uncounted u
  where u.tenant_id = uncounted_amount.tenant_id and u.metric = 'revenue_closed' and u.record_id = uncounted_amount.deal_id
), 0);

comment on function private.uncounted_amount(uuid, uuid) is 'The part of a deal''s value that revenue_closed ignores.';

-- Silent writes (records/leads.sql, records/deals.sql) ------------------------------------------------------------------------

create function private.leave_new_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  case tg_table_name
    when 'leads' then
      insert into private.uncounted (tenant_id, metric, record_id)
      select n.tenant_id, m.metric, n.id from new_rows n,
      lateral (values ('leads_created', true), ('leads_qualified', n.qualified_at is not null)) as m (metric, happened)
      where m.happened;
    when 'deals' then
      insert into private.uncounted (tenant_id, metric, record_id)
      select n.tenant_id, m.metric, n.id from new_rows n,
      lateral (values ('deals_created', true), ('deals_won', n.status = 'won')) as m (metric, happened)
      where m.happened;
    when 'deal_activities' then
      insert into private.uncounted (tenant_id, metric, record_id) select n.tenant_id, 'activities_logged', n.id from new_rows n;
  end case;
  return null;
end
$$;

comment on function private.leave_new_uncounted() is 'Trigger: excludes records created by a silent import from metrics.';

create trigger leads_leave_uncounted_insert after insert on public.leads
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();
create trigger deals_leave_uncounted_insert after insert on public.deals
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();
create trigger deal_activities_leave_uncounted_insert after insert on public.deal_activities
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();

create function private.leave_changed_leads_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.uncounted (tenant_id, metric, record_id)
  select n.tenant_id, m.metric, n.id
  from new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
  -- A silently assigned lead does not count as created by its new owner.
  lateral (select n.owner_id is not null and n.owner_id is distinct from o.owner_id as given) as g,
  lateral (values
    ('leads_created',   g.given),
    ('leads_qualified', n.qualified_at is not null and (g.given or o.qualified_at is null))
  ) as m (metric, happened)
  where m.happened
  on conflict do nothing;
  return null;
end
$$;

comment on function private.leave_changed_leads_uncounted() is
  'Trigger: excludes leads that are assigned or qualified silently from the corresponding metrics.';

create trigger leads_leave_uncounted_update after update on public.leads
  referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_changed_leads_uncounted();

create function private.leave_changed_deals_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.is_silent() then
    insert into private.uncounted as u (tenant_id, metric, record_id, amount)
    select n.tenant_id, m.metric, n.id, m.amount
    from new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    lateral (select n.owner_id is not null and n.owner_id is distinct from o.owner_id as given) as g,
    lateral (values
      ('deals_created',  g.given, null),
      ('deals_won',      n.status = 'won' and (g.given or o.status <> 'won'), null),
      ('revenue_closed', n.status = 'won' and o.status = 'won' and n.value <> o.value, n.value - o.value)
    ) as m (metric, happened, amount)
    where m.happened
    on conflict (tenant_id, metric, record_id) do update set amount = u.amount + excluded.amount;
  elsif exists (select from private.uncounted u where u.tenant_id in (select n.tenant_id from new_rows n)) then
    -- Winning a deal in a regular request counts, regardless of earlier silent changes.
    delete from private.uncounted u
    using new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id
    where u.tenant_id = n.tenant_id and u.record_id = n.id and n.status = 'won'
      and (o.status <> 'won' and u.metric in ('deals_won', 'revenue_closed')
           or n.value <> o.value and u.metric = 'revenue_closed');
  end if;
  return null;
end
$$;

comment on function private.leave_changed_deals_uncounted() is
  'Trigger: excludes silent assignments, wins and value changes of deals from metrics; a win in a regular request counts.';

create trigger deals_leave_uncounted_update after update on public.deals
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.leave_changed_deals_uncounted();

create function private.forget_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.uncounted u using old_rows o where u.tenant_id = o.tenant_id and u.record_id = o.id;
  return null;
end
$$;

comment on function private.forget_uncounted() is 'Trigger: removes exclusions of deleted records.';

create trigger leads_forget_uncounted after delete on public.leads
  referencing old table as old_rows for each statement execute function private.forget_uncounted();
create trigger deals_forget_uncounted after delete on public.deals
  referencing old table as old_rows for each statement execute function private.forget_uncounted();
create trigger deal_activities_forget_uncounted after delete on public.deal_activities
  referencing old table as old_rows for each statement execute function private.forget_uncounted();

-- Users added or removed silently (records/people.sql) ----------------------------------------------------------------------------

create function private.place_silently() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  one   record;
  place bigint;
begin
  for one in select c.tenant_id, c.player_id from changed c order by c.tenant_id, c.player_id loop
    -- Serializes with recounts, because they announce changes relative to these positions.
    perform pg_advisory_xact_lock(hashtextextended('recount:' || one.tenant_id::text, 0));
    if tg_op = 'INSERT' then
      insert into public.rankings (tenant_id, player_id, position)
      select p.tenant_id, p.id, 1 + (
        select count(*) from app.ranked_players o
        where o.tenant_id = p.tenant_id and not o.opted_out_of_rankings and o.total_points > p.total_points
      )
      from public.players p
      where p.tenant_id = one.tenant_id and p.id = one.player_id and not p.opted_out_of_rankings
      on conflict do nothing
      returning position into place;
      update public.rankings r set position = r.position + 1
      from public.players lower, public.players own
      where r.tenant_id = one.tenant_id and r.position >= place
        and lower.tenant_id = r.tenant_id and lower.id = r.player_id
        and own.tenant_id = one.tenant_id and own.id = one.player_id and lower.total_points < own.total_points;
    elsif not exists (select from public.collaborators c where c.tenant_id = one.tenant_id and c.player_id = one.player_id) then
      delete from public.rankings r where r.tenant_id = one.tenant_id and r.player_id = one.player_id
      returning r.position into place;
      update public.rankings r set position = r.position - 1 where r.tenant_id = one.tenant_id and r.position > place;
    end if;
  end loop;
  return null;
end
$$;

comment on function private.place_silently() is
  'Trigger: updates stored positions when users are added or removed silently, so that no ranking change is announced.';

create trigger users_place_silently_insert after insert on public.users
  referencing new table as changed for each statement when (current_setting('app.silent', true) = 'on') execute function private.place_silently();
create trigger users_place_silently_delete after delete on public.users
  referencing old table as changed for each statement when (current_setting('app.silent', true) = 'on') execute function private.place_silently();

-- Gamification: the recount. A job takes a tenant's queued players and evaluates challenges first (their points count
-- for badges immediately), then badges, then the positions of all players. Each award and each change of positions
-- emits an event; repeating a recount changes nothing.

-- Positions -----------------------------------------------------------------------------------------------------------

create table public.rankings (
  tenant_id uuid not null,
  player_id uuid not null,
  position  bigint not null,
  primary key (tenant_id, player_id),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id) on delete cascade
);

comment on table public.rankings is 'Positions last announced by ranking.changed.';

alter table public.rankings enable row level security;
grant select on public.rankings to api;

create policy "A tenant sees its own rankings" on public.rankings
  for select to api using (tenant_id = (select app.tenant_id()));

create view app.ranked_players with (security_invoker = true) as
  select p.tenant_id, p.id, p.total_points, p.opted_out_of_rankings, u.id as user_id, u.team_id
  from public.players p
  left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
  where u.id is not null or exists (
    select from public.collaborators c where c.tenant_id = p.tenant_id and c.player_id = p.id
  );

comment on view app.ranked_players is
  'Players who are a user or a collaborator; opted-out players have no position but still earn awards, removed players do not.';

grant select on app.ranked_players to api;

-- Metrics -------------------------------------------------------------------------------------------------------------

create function private.metric_value(
  tenant_id uuid,
  player_id uuid,
  user_id   uuid,
  metric    text,
  since     timestamptz default '-infinity',
  until     timestamptz default 'infinity'
) returns numeric
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  -- Few tenants have exclusions; skip looking them up for the others.
  silent constant boolean := private.has_uncounted(tenant_id);
begin
  return coalesce(case metric
    when 'points' then case
      when since = '-infinity' and until = 'infinity' then (
        select p.total_points from public.players p where p.tenant_id = tenant_id and p.id = player_id)
      else (select s.points from app.points_between(tenant_id, player_id, since, until) as s)
    end
    when 'missions_completed' then case
      when since = '-infinity' and until = 'infinity' then (
        select p.total_completions from public.players p where p.tenant_id = tenant_id and p.id = player_id)
      else (select s.completions from app.points_between(tenant_id, player_id, since, until) as s)
    end
    when 'deals_created' then (
      select count(*) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.created_at >= since and d.created_at < until
        and not (silent and private.is_uncounted(tenant_id, 'deals_created', d.id)))
    when 'deals_won' then (
      select count(*) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.closed_at >= since and d.closed_at < until and d.status = 'won'
        and not (silent and private.is_uncounted(tenant_id, 'deals_won', d.id)))
    when 'revenue_closed' then (
      select sum(case when silent then d.value - private.uncounted_amount(tenant_id, d.id) else d.value end::numeric) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.closed_at >= since and d.closed_at < until and d.status = 'won'
        and not (silent and private.is_uncounted(tenant_id, 'deals_won', d.id)))
    when 'leads_created' then (
      select count(*) from public.leads l
      where l.tenant_id = tenant_id and l.owner_id = user_id and l.created_at >= since and l.created_at < until
        and not (silent and private.is_uncounted(tenant_id, 'leads_created', l.id)))
    when 'leads_qualified' then (
      select count(*) from public.leads l
      where l.tenant_id = tenant_id and l.owner_id = user_id and l.qualified_at >= since and l.qualified_at < until
        and not (silent and private.is_uncounted(tenant_id, 'leads_qualified', l.id)))
    when 'activities_logged' then (
      select count(*) from public.deal_activities a
      where a.tenant_id = tenant_id and a.owner_id = user_id and a.created_at >= since and a.created_at < until
        and not (silent and private.is_uncounted(tenant_id, 'activities_logged', a.id)))
  end, 0);
end
$$;

comment on function private.metric_value(uuid, uuid, uuid, text, timestamptz, timestamptz) is
  'A metric of a player and its user from since (inclusive) to until (exclusive), without silent imports (private.uncounted).';

-- The recount ---------------------------------------------------------------------------------------------------------

-- Planned on each call, because a plan made for a small tenant takes quadratic time for a large one. Counting a single
-- metric is always an index lookup and is planned once.
create function private.complete_challenges(tenant_id uuid, players uuid[]) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  with reached as materialized (
    select p.id as player_id, p.email, u.id as user_id, c.id as challenge_id, c.reward_points,
           jsonb_build_object('id', c.id, 'name', c.name, 'metric', c.metric, 'target', c.target,
                              'starts_at', c.starts_at, 'ends_at', c.ends_at, 'reward_points', c.reward_points) as challenge
    from public.players p
    left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
    join public.challenges c on c.tenant_id = p.tenant_id
    where p.tenant_id = complete_challenges.tenant_id and p.id = any (players)
      and not exists (
        select from public.completed_challenges d
        where d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = p.id
      )
      and private.metric_value(p.tenant_id, p.id, u.id, c.metric, c.starts_at, c.ends_at) >= c.target
  ), completed as (
    insert into public.completed_challenges (tenant_id, challenge_id, player_id)
    select complete_challenges.tenant_id, challenge_id, player_id from reached
    on conflict do nothing
    returning challenge_id, player_id, completed_at
  ), announced as (
    insert into public.events (tenant_id, interface, type, data)
    select complete_challenges.tenant_id, 'records', 'challenge.completed', jsonb_build_object(
             'user_id', r.user_id, 'email', r.email, 'challenge', r.challenge, 'completed_at', d.completed_at)
    from completed d join reached r on r.challenge_id = d.challenge_id and r.player_id = d.player_id
    returning id, data
  )
  insert into public.point_entries (tenant_id, player_id, reason, points, event_id)
  select complete_challenges.tenant_id, r.player_id, 'challenge_completed', r.reward_points, a.id
  from announced a
  join reached r on r.email = a.data ->> 'email' and r.challenge_id::text = a.data -> 'challenge' ->> 'id'
  where r.reward_points > 0;
end
$$;

comment on function private.complete_challenges(uuid, uuid[]) is
  'Records challenges that these players have completed, with their events and rewards.';

create function private.award_badges(tenant_id uuid, players uuid[]) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
begin
  with reached as materialized (
    select p.id as player_id, p.email, u.id as user_id, b.id as badge_id,
           jsonb_build_object('id', b.id, 'name', b.name, 'metric', b.metric, 'threshold', b.threshold) as badge
    from public.players p
    left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
    join public.badges b     on b.tenant_id = p.tenant_id
    where p.tenant_id = award_badges.tenant_id and p.id = any (players)
      and not exists (
        select from public.earned_badges d
        where d.tenant_id = b.tenant_id and d.badge_id = b.id and d.player_id = p.id
      )
      and private.metric_value(p.tenant_id, p.id, u.id, b.metric) >= b.threshold
  ), earned as (
    insert into public.earned_badges (tenant_id, badge_id, player_id)
    select award_badges.tenant_id, badge_id, player_id from reached
    on conflict do nothing
    returning badge_id, player_id, earned_at
  )
  insert into public.events (tenant_id, interface, type, data)
  select award_badges.tenant_id, 'records', 'badge.earned', jsonb_build_object(
           'user_id', r.user_id, 'email', r.email, 'badge', r.badge, 'earned_at', e.earned_at)
  from earned e join reached r on r.badge_id = e.badge_id and r.player_id = e.player_id;
end
$$;

comment on function private.award_badges(uuid, uuid[]) is 'Records badges that these players have earned, with their events.';

create function private.update_rankings(tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  changes jsonb;
begin
  with standing as (
    select p.id as player_id, p.user_id, rank() over (order by p.total_points desc) as position
    from app.ranked_players p
    where p.tenant_id = update_rankings.tenant_id and not p.opted_out_of_rankings
  ), moved as (
    select s.player_id, s.user_id, r.position as before, s.position
    from standing s
    left join public.rankings r on r.tenant_id = update_rankings.tenant_id and r.player_id = s.player_id
    where r.position is distinct from s.position
  ), kept as (
    insert into public.rankings as r (tenant_id, player_id, position)
    select update_rankings.tenant_id, player_id, position from moved
    on conflict (tenant_id, player_id) do update set position = excluded.position
  ), forgotten as (
    delete from public.rankings r
    where r.tenant_id = update_rankings.tenant_id and not exists (select from standing s where s.player_id = r.player_id)
  )
  select jsonb_agg(jsonb_build_object('user_id', user_id, 'from', before, 'to', position) order by position, user_id)
  into changes
  from moved where user_id is not null;
  if changes is not null then
    insert into public.events (tenant_id, interface, type, data)
    values (update_rankings.tenant_id, 'records', 'ranking.changed', jsonb_build_object('changes', changes));
  end if;
end
$$;

comment on function private.update_rankings(uuid) is
  'Updates the position of each player of a tenant and writes one event for all changes.';

create function app.recount(tenant_id uuid) returns void
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  -- This many players are recounted within a few seconds.
  batch_size constant integer := 10000;
  players uuid[];
begin
  -- Serializes recounts of a tenant.
  perform pg_advisory_xact_lock(hashtextextended('recount:' || recount.tenant_id::text, 0));
  with taken as (
    delete from private.pending_recounts q
    where q.id = any (array(
      select o.id from private.pending_recounts o where o.tenant_id = recount.tenant_id order by o.id limit batch_size
    ))
    returning q.player_id
  )
  select array_agg(distinct player_id) into players from taken;
  if players is null then
    return;
  end if;
  -- Removed players earn nothing, but their removal may have moved others.
  players := array(
    select p.id from app.ranked_players p where p.tenant_id = recount.tenant_id and p.id = any (players)
  );

  -- Challenges come before badges, so that reward points count for badges immediately.
  perform private.complete_challenges(recount.tenant_id, players);
  perform private.award_badges(recount.tenant_id, players);
  perform private.update_rankings(recount.tenant_id);
  if exists (select from private.pending_recounts q where q.tenant_id = recount.tenant_id) then
    perform private.schedule_recount(array[recount.tenant_id]);
  end if;
end
$$;

comment on function app.recount(uuid) is
  'Awards badges and challenges to a tenant''s queued players and announces changed positions; safe to repeat (worker only).';

grant execute on function app.recount(uuid) to worker;

-- For API clients -----------------------------------------------------------------------------------------------------

create function app.challenge_progress(challenge_id uuid, user_id uuid default null) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(e) order by e.value desc, e.name, e.user_id), '[]')
    from (
      select p.user_id, coalesce(u.name, k.name) as name,
             private.metric_value(c.tenant_id, p.id, p.user_id, c.metric, c.starts_at, c.ends_at) as value, d.completed_at
      from public.challenges c
      join app.ranked_players p on p.tenant_id = c.tenant_id
      left join public.users u         on u.tenant_id = c.tenant_id and u.id = p.user_id
      left join public.collaborators k on k.tenant_id = c.tenant_id and k.player_id = p.id
      left join public.completed_challenges d on d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = p.id
      where c.tenant_id = app.tenant_id() and c.id = challenge_id and (user_id is null or p.user_id = user_id)
    ) as e
  );
end
$$;

comment on function app.challenge_progress(uuid, uuid) is
  'Progress of all players or one user in a challenge of the session''s tenant: user_id, name, value, completed_at, best first.';

grant execute on function app.challenge_progress(uuid, uuid) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.challenge_progress with (security_invoker = true) as
  select c.tenant_id, c.name as challenge, p.email,
         private.metric_value(p.tenant_id, p.id, u.id, c.metric, c.starts_at, c.ends_at) as value, c.target, d.completed_at
  from public.challenges c
  join public.players p    on p.tenant_id = c.tenant_id
  left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
  left join public.completed_challenges d on d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = p.id;

comment on view admin.challenge_progress is 'Progress of all players in each challenge.';

-- Gamification: statistics of users. Records are counted by index, and points are the difference of two sums
-- (app.points_between). Periods follow the tenant's calendar (app.period).

create function app.scores(tenant_id uuid, during tstzrange, team_id uuid default null)
returns table (player_id uuid, user_id uuid, points bigint, ranked boolean)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_variable
begin
  if lower(during) = '-infinity' and upper(during) = 'infinity' then
    return query
      select p.id, p.user_id, p.total_points, not p.opted_out_of_rankings
      from app.ranked_players p
      where p.tenant_id = tenant_id and (team_id is null or p.team_id = team_id);
  else
    return query
      select p.id, p.user_id, s.points, not p.opted_out_of_rankings
      from app.ranked_players p, app.points_between(p.tenant_id, p.id, lower(during), upper(during)) as s
      where p.tenant_id = tenant_id and (team_id is null or p.team_id = team_id);
  end if;
end
$$;

comment on function app.scores(uuid, tstzrange, uuid) is
  'Points of all users and collaborators, or of a team''s members, in a time range; ranked is false for players who opted out of rankings.';

grant execute on function app.scores(uuid, tstzrange, uuid) to api;

create function app.standing(tenant_id uuid, player_id uuid, during tstzrange, out points bigint, out "position" bigint)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_variable
begin
  with scores as materialized (
    select s.player_id, s.points, s.ranked from app.scores(tenant_id, during) as s
  )
  select own.points, case when own.ranked then 1 + (select count(*) from scores s where s.ranked and s.points > own.points) end
  into points, "position"
  from scores own
  where own.player_id = player_id;
end
$$;

comment on function app.standing(uuid, uuid, tstzrange) is
  'A player''s points and rank in a time range; equal points share a position, which is null if opted out of rankings.';

grant execute on function app.standing(uuid, uuid, tstzrange) to api;

create function app.user_statistics(tenant_id uuid, user_id uuid, period text, start_date date, end_date date)
returns jsonb
language sql stable
set search_path = ''
as $$
  with who as (
    select u.tenant_id, u.id, u.player_id, d.during, lower(d.during) as since, upper(d.during) as until
    from public.users u, app.period(user_statistics.tenant_id, period, start_date, end_date) as d (during)
    where u.tenant_id = user_statistics.tenant_id and u.id = user_statistics.user_id
  ), closed as (
    select count(*) filter (where d.status = 'won')  as won,
           count(*) filter (where d.status = 'lost') as lost,
           coalesce(sum(d.value::numeric) filter (where d.status = 'won'), 0) as revenue,
           coalesce(avg(extract(epoch from d.closed_at - d.created_at) / 86400) filter (where d.status = 'won'), 0) as cycle_days
    from who
    left join public.deals d
      on d.tenant_id = who.tenant_id and d.owner_id = who.id and d.closed_at >= who.since and d.closed_at < who.until
  )
  select jsonb_build_object(
    'user_id', who.id,
    'period', user_statistics.period,
    'points', standing.points,
    'ranking_position', standing.position,
    'deals_created', (
      select count(*) from public.deals d
      where d.tenant_id = who.tenant_id and d.owner_id = who.id and d.created_at >= who.since and d.created_at < who.until
    ),
    'deals_won', closed.won,
    'deals_lost', closed.lost,
    'revenue_closed', closed.revenue,
    'leads_created', (
      select count(*) from public.leads l
      where l.tenant_id = who.tenant_id and l.owner_id = who.id and l.created_at >= who.since and l.created_at < who.until
    ),
    'leads_qualified', (
      select count(*) from public.leads l
      where l.tenant_id = who.tenant_id and l.owner_id = who.id and l.qualified_at >= who.since and l.qualified_at < who.until
    ),
    'conversion_rate', case when closed.won + closed.lost = 0 then 0
                            else round(closed.won::numeric / (closed.won + closed.lost), 4) end,
    'average_deal_size', case when closed.won = 0 then 0 else round(closed.revenue / closed.won, 2) end,
    'average_sales_cycle_days', round(closed.cycle_days, 2),
    'badges_earned', (
      select count(*) from public.earned_badges b
      where b.tenant_id = who.tenant_id and b.player_id = who.player_id and b.earned_at >= who.since and b.earned_at < who.until
    ),
    'activities_logged', (
      select count(*) from public.deal_activities a
      where a.tenant_id = who.tenant_id and a.owner_id = who.id and a.created_at >= who.since and a.created_at < who.until
    )
  )
  from who, closed, app.standing(who.tenant_id, who.player_id, who.during)
$$;

comment on function app.user_statistics(uuid, uuid, text, date, date) is
  'Statistics of a user in a period of the tenant''s calendar; null if the user does not exist.';

grant execute on function app.user_statistics(uuid, uuid, text, date, date) to api;

-- Gamification: paginated standings of a time range, and seasons, which are named time ranges.

-- Seasons -------------------------------------------------------------------------------------------------------------

create table public.seasons (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  starts_at  timestamptz not null check (isfinite(starts_at)),
  ends_at    timestamptz not null check (isfinite(ends_at) and ends_at > starts_at),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.seasons is
  'Named time ranges for standings, which may overlap and do not affect points; created with admin.create_season.';
comment on column public.seasons.starts_at is 'Start of the season (inclusive).';
comment on column public.seasons.ends_at is 'End of the season (exclusive).';

alter table public.seasons enable row level security;
grant select on public.seasons to api;

create policy "A tenant sees its own seasons" on public.seasons
  for select to api using (tenant_id = (select app.tenant_id()));

-- Standings -----------------------------------------------------------------------------------------------------------

-- Computes all scores regardless of the page size, because a position depends on every other player.
create function app.standings(
  tenant_id   uuid,
  during      tstzrange,
  team_id     uuid,
  around      uuid,
  page_size   integer,
  page_offset bigint
) returns table (records jsonb, total bigint, page bigint)
language plpgsql stable rows 1
set search_path = ''
as $$
#variable_conflict use_variable
declare
  players uuid[];
  scores  bigint[];
  own     bigint;
begin
  select array_agg(s.player_id order by s.points desc, s.player_id), array_agg(s.points order by s.points desc, s.player_id),
         count(*)
  into players, scores, total
  from app.scores(tenant_id, during, team_id) as s
  where s.ranked;
  if around is not null then
    select array_position(players, u.player_id) into own
    from public.users u where u.tenant_id = tenant_id and u.id = around;
    if own is null then
      perform app.raise_domain_error('not_in_standings');
    end if;
    page_offset := greatest(0, least(own - 1 - (page_size - 1) / 2, total - page_size));
  end if;
  records := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'position', array_position(scores, e.points), 'user_id', u.id, 'collaborator_id', c.id,
      'name', coalesce(u.name, c.name), 'points', e.points
    ) order by e.place), '[]')
    from unnest(players[page_offset + 1 : page_offset + page_size], scores[page_offset + 1 : page_offset + page_size])
      with ordinality as e (player_id, points, place)
    left join public.users u         on u.tenant_id = tenant_id and u.player_id = e.player_id
    left join public.collaborators c on c.tenant_id = tenant_id and c.player_id = e.player_id
  );
  page := page_offset / page_size + 1;
  return next;
end
$$;

comment on function app.standings(uuid, tstzrange, uuid, uuid, integer, bigint) is
  'A page of standings, optionally of a team or around a user; equal points share a position, opted-out players are excluded.';

grant execute on function app.standings(uuid, tstzrange, uuid, uuid, integer, bigint) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_moment(argument text, value timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if isfinite(value) is not true then
    perform private.refuse_argument(argument, case when value is null then 'is required' else 'must be a finite time' end);
  end if;
end
$$;

comment on function private.expect_moment(text, timestamptz) is 'Rejects a time that is missing or infinite.';

create function admin.create_season(tenant_id uuid, name text, starts_at timestamptz, ends_at timestamptz) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name), private.expect_moment('starts_at', starts_at),
         private.expect_moment('ends_at', ends_at), private.expect_later('ends_at', ends_at, 'starts_at', starts_at);
  insert into public.seasons (tenant_id, name, starts_at, ends_at) values (tenant_id, name, starts_at, ends_at) returning id
$$;

comment on function admin.create_season(uuid, text, timestamptz, timestamptz) is
  'Creates a season from starts_at (inclusive) to ends_at (exclusive) and returns its id; deleting it does not change points.';

create function admin.create_season(tenant_id uuid, name text, starts_at text, ends_at text) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id);
  select admin.create_season(tenant_id, name, private.moment_of(tenant_id, 'starts_at', starts_at), private.moment_of(tenant_id, 'ends_at', ends_at))
$$;

comment on function admin.create_season(uuid, text, text, text) is
  'Creates a season from dates or times; a date means midnight in the tenant''s time zone.';

create view admin.seasons with (security_invoker = true) as
  select s.tenant_id, s.id, s.name, s.starts_at, s.ends_at from public.seasons s;

comment on view admin.seasons is 'Seasons of all tenants.';

-- Gamification: boards, which are standings for a screen on a wall. A board's token opens that board and nothing else.

create table public.boards (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  team_id    uuid,
  season_id  uuid,
  period     text        check (period in ('today', 'week', 'month', 'quarter', 'year', 'all')),
  token_hash text        not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  -- A board without its team would show everyone, so it ends with the team.
  foreign key (tenant_id, team_id)   references public.teams   (tenant_id, id) on delete cascade,
  foreign key (tenant_id, season_id) references public.seasons (tenant_id, id) on delete cascade,
  check (num_nonnulls(season_id, period) = 1)
);

comment on table  public.boards is 'Standings for screens, which are read with a token of their own.';
comment on column public.boards.team_id is 'The team whose members are shown; null shows all players.';
comment on column public.boards.season_id is 'The season whose points count; null if they are those of a period.';
comment on column public.boards.period is 'The current period whose points count, in the tenant''s calendar.';
comment on column public.boards.token_hash is 'SHA-256 (hex) of the token, which is shown only when the board is created.';
comment on column public.boards.expires_at is 'When the board stops working; null if it does not expire.';

create index boards_created_idx on public.boards (tenant_id, created_at, id);
create index boards_team_idx    on public.boards (tenant_id, team_id);
create index boards_season_idx  on public.boards (tenant_id, season_id);

alter table public.boards enable row level security;

-- A function of the owner, because the board's token is all that its reader has.
create function app.open_board(token_hash text) returns table (closed boolean, moved_to text, board jsonb)
language plpgsql stable security definer rows 1
set search_path = ''
as $$
declare
  max_entries constant integer := 50;
  own     public.boards;
  during  tstzrange;
  entries jsonb;
begin
  select b.* into own from public.boards b
  where b.token_hash = open_board.token_hash and coalesce(b.expires_at > now(), true);
  if not found then
    return;
  end if;
  closed := private.is_closed(own.tenant_id);
  moved_to := (select m.moved_to from private.tenant_moves m where m.tenant_id = own.tenant_id and m.closed and m.direction = 'out');
  if closed then
    return next;
    return;
  end if;
  during := coalesce(
    (select tstzrange(s.starts_at, s.ends_at) from public.seasons s where s.tenant_id = own.tenant_id and s.id = own.season_id),
    app.period(own.tenant_id, case own.period when 'all' then 'all_time' else own.period end));
  entries := (select s.records from app.standings(own.tenant_id, during, own.team_id, null, max_entries, 0) as s);
  board := (
    select jsonb_build_object(
      'name', own.name, 'workspace', t.name, 'period', own.period,
      'team',   (select m.name from public.teams m   where m.tenant_id = own.tenant_id and m.id = own.team_id),
      'season', (select s.name from public.seasons s where s.tenant_id = own.tenant_id and s.id = own.season_id),
      'updated_at', greatest(own.created_at, private.last_points_at(own.tenant_id, entries)),
      'entries', (
        select coalesce(jsonb_agg(jsonb_build_object('position', e.entry -> 'position', 'name', e.entry -> 'name', 'points', e.entry -> 'points')
                                  order by e.place), '[]')
        from jsonb_array_elements(entries) with ordinality as e (entry, place)))
    from public.tenants t where t.id = own.tenant_id);
  return next;
end
$$;

comment on function app.open_board(text) is
  'The board with this hash of a token, as its reader sees it; no row if there is none or it has expired (login role only).';

grant execute on function app.open_board(text) to placar_login;

create function private.last_points_at(tenant_id uuid, entries jsonb) returns timestamptz
language sql stable
set search_path = ''
as $$
  select max(last.created_at)
  from jsonb_array_elements(entries) as e
  left join public.users u         on u.tenant_id = last_points_at.tenant_id and u.id = (e ->> 'user_id')::uuid
  left join public.collaborators c on c.tenant_id = last_points_at.tenant_id and c.id = (e ->> 'collaborator_id')::uuid
  cross join lateral (
    select p.created_at from public.point_entries p
    where p.tenant_id = last_points_at.tenant_id and p.player_id = coalesce(u.player_id, c.player_id)
    order by p.created_at desc limit 1
  ) as last
$$;

comment on function private.last_points_at(uuid, jsonb) is 'When one of the players in these rows of standings last earned or lost points.';
