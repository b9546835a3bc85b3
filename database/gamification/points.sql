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
