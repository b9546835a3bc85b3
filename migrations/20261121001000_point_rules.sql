-- Rules of points: what besides missions gives points. They are awarded in the transaction of the change, all rows of a
-- statement at once, because they hang on events and activities and not on who caused them.

create table public.point_rules (
  id         uuid not null default gen_random_uuid(),
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  event      text not null check (event in ('deal.stage_changed', 'deal.won', 'lead.qualified', 'activity.completed')),
  points     integer not null,
  stage_id   uuid,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique nulls not distinct (tenant_id, event, stage_id),
  foreign key (tenant_id, stage_id) references public.pipeline_stages (tenant_id, id) on delete cascade,
  check (stage_id is null or event = 'deal.stage_changed')
);

comment on table  public.point_rules is 'Points for what users do with leads and deals. Set with admin.set_point_rule.';
comment on column public.point_rules.stage_id is 'For deal.stage_changed: the stage that a deal moves to; null means any other than those with a rule of their own.';

create index point_rules_stage_idx on public.point_rules (tenant_id, stage_id);

alter table public.point_entries
  drop constraint point_entries_reason_check,
  add column event_id        text,
  add column deal_activity_id uuid,
  add constraint point_entries_reason_check check (reason in (
    'mission_completed', 'mission_reverted', 'deal_stage_changed', 'deal_won', 'lead_qualified', 'activity_completed',
    'challenge_completed', 'automation'
  )),
  -- Entries are written by triggers alone, from the very rows that they point at. Looking each of a thousand up again is
  -- most of what a batch costs; removing what entries point at is refused instead.
  drop constraint point_entries_tenant_id_player_id_fkey,
  drop constraint point_entries_tenant_id_mission_id_fkey,
  drop constraint point_entries_tenant_id_activity_id_fkey;

comment on column public.point_entries.event_id is 'The event that gave the points; null for missions and activities.';
comment on column public.point_entries.deal_activity_id is 'The logged activity that gave the points.';

drop index public.point_entries_mission_idx;
-- Has what metrics add up, so that one player's entries are never looked for among all of the tenant's.
drop index public.point_entries_player_idx;
create index point_entries_player_idx on public.point_entries (tenant_id, player_id, created_at) include (points, completions);

create function private.keep_what_has_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  has_points boolean := true;
begin
  if tg_op <> 'TRUNCATE' then
    -- Whoever is recording activities is waited for, so that none of their entries is overlooked.
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
    raise exception '%: points hang on it', tg_table_name
      using errcode = 'foreign_key_violation', hint = 'The ledger keeps what gave points.';
  end if;
  return coalesce(new, old);
end
$$;

comment on function private.keep_what_has_points() is
  'Trigger: what entries of the ledger point at is not deleted and keeps its id.';

create trigger players_keep_points before delete on public.players
  for each row execute function private.keep_what_has_points();
create trigger missions_keep_points before delete on public.missions
  for each row execute function private.keep_what_has_points();
create trigger activities_keep_points before delete on public.activities
  for each row execute function private.keep_what_has_points();
create trigger players_keep_id before update of tenant_id, id on public.players
  for each row when ((old.tenant_id, old.id) <> (new.tenant_id, new.id))
  execute function private.keep_what_has_points();
create trigger missions_keep_id before update of tenant_id, id on public.missions
  for each row when ((old.tenant_id, old.id) <> (new.tenant_id, new.id))
  execute function private.keep_what_has_points();
create trigger players_no_truncate before truncate on public.players
  execute function private.keep_what_has_points();
create trigger missions_no_truncate before truncate on public.missions
  execute function private.keep_what_has_points();
create trigger activities_no_truncate before truncate on public.activities
  execute function private.keep_what_has_points();

-- The second total, so that a badge for missions reads one number and not everything that a player ever did.
alter table public.players add column total_completions bigint not null default 0;

comment on column public.players.total_completions is 'Missions completed, less those taken back: the sum of completions in point_entries, kept by trigger.';

update public.players p set total_completions = e.completions
from (select tenant_id, player_id, sum(completions) as completions from public.point_entries group by 1, 2) as e
where p.tenant_id = e.tenant_id and p.id = e.player_id;

create or replace function private.refuse_total_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'totals of players follow from point_entries and cannot be set' using errcode = 'insufficient_privilege';
end
$$;

drop trigger players_keep_total on public.players;
create trigger players_keep_totals
  before update of total_points, total_completions on public.players
  for each row when (pg_trigger_depth() = 0) execute function private.refuse_total_change();

create or replace function private.add_points_to_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  locked bigint;
begin
  -- Locked in one order by everybody, so that overlapping batches wait for each other and never deadlock.
  with held as (
    select from public.players p
    where (p.tenant_id, p.id) in (select e.tenant_id, e.player_id from added e)
    order by p.tenant_id, p.id
    for no key update
  )
  select count(*) into locked from held;
  if locked <> (select count(*) from (select distinct tenant_id, player_id from added) as e) then
    raise exception 'point_entries: there is no such player in the tenant' using errcode = 'foreign_key_violation';
  end if;

  update public.players p
  set total_points = p.total_points + e.points, total_completions = p.total_completions + e.completions
  from (
    select tenant_id, player_id, sum(points) as points, sum(completions) as completions from added group by 1, 2
  ) as e
  where p.tenant_id = e.tenant_id and p.id = e.player_id and (e.points <> 0 or e.completions <> 0);
  return null;
end
$$;

comment on function private.add_points_to_players() is 'Trigger: keeps the totals of players equal to the sums of their entries.';

create function private.award_event_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.point_entries (tenant_id, player_id, reason, points, event_id)
  select w.tenant_id, u.player_id, replace(r.event, '.', '_'), r.points, w.id
  from written w
  join public.point_rules r on r.tenant_id = w.tenant_id
   and r.event = case when w.type like 'lead.%' and w.data ->> 'status' = 'qualified' then 'lead.qualified' else w.type end
  join public.users u on u.tenant_id = w.tenant_id and u.id = (w.data ->> 'owner_id')::uuid
  where w.interface = 'records' and r.points <> 0
    -- A lead that is there qualified from the start was never anything else before.
    and w.type in ('deal.stage_changed', 'deal.won', 'lead.status_changed', 'lead.created')
    and (r.stage_id = (w.data -> 'stage' ->> 'id')::uuid or r.stage_id is null and not exists (
      select from public.point_rules own
      where own.tenant_id = w.tenant_id and own.event = w.type and own.stage_id = (w.data -> 'stage' ->> 'id')::uuid
    ));
  return null;
end
$$;

comment on function private.award_event_points() is 'Trigger: points for moving and winning deals and for qualifying leads, to the owner.';

create trigger events_award_points after insert on public.events
  referencing new table as written
  for each statement execute function private.award_event_points();

create function private.award_activity_points() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.point_entries (tenant_id, player_id, reason, points, deal_activity_id)
  select l.tenant_id, u.player_id, 'activity_completed', r.points, l.id
  from logged l
  join public.point_rules r on r.tenant_id = l.tenant_id and r.event = 'activity.completed' and r.points <> 0
  join public.users u       on u.tenant_id = l.tenant_id and u.id = l.owner_id;
  return null;
end
$$;

comment on function private.award_activity_points() is 'Trigger: points for logged activities, to whoever they belong to.';

create trigger deal_activities_award_points after insert on public.deal_activities
  referencing new table as logged
  for each statement execute function private.award_activity_points();

alter table public.point_rules enable row level security;
grant select on public.point_rules to api;

create policy "A tenant sees its own rules" on public.point_rules
  for select to api using (tenant_id = (select app.tenant_id()));

create function admin.set_point_rule(tenant_id uuid, event text, points integer, stage_id uuid default null) returns uuid
language sql
set search_path = ''
as $$
  insert into public.point_rules as r (tenant_id, event, points, stage_id) values (tenant_id, event, points, stage_id)
  on conflict on constraint point_rules_tenant_id_event_stage_id_key do update set points = excluded.points
  returning r.id
$$;

comment on function admin.set_point_rule(uuid, text, integer, uuid) is
  'Points for deal.stage_changed (into a stage, or any), deal.won, lead.qualified or activity.completed; setting it again changes the points from then on, 0 stops them.';

create view admin.point_rules with (security_invoker = true) as
  select r.tenant_id, r.id, r.event, r.points, r.stage_id, s.name as stage_name, r.created_at
  from public.point_rules r
  left join public.pipeline_stages s on s.tenant_id = r.tenant_id and s.id = r.stage_id;

comment on view admin.point_rules is 'What gives points besides missions.';

create view admin.point_entries with (security_invoker = true) as
  select e.tenant_id, e.id, p.email, e.points, e.reason, m.name as mission_name, e.event_id, e.created_at
  from public.point_entries e
  join public.players p       on p.tenant_id = e.tenant_id and p.id = e.player_id
  left join public.missions m on m.tenant_id = e.tenant_id and m.id = e.mission_id;

comment on view admin.point_entries is 'The ledger of points: who got or lost how many, and for what.';

create view admin.point_differences with (security_invoker = true) as
  select p.tenant_id, p.email, p.total_points, sums.points as points_of_ledger,
         p.total_completions, sums.completions as completions_of_ledger
  from public.players p
  left join lateral (
    select coalesce(sum(e.points), 0) as points, coalesce(sum(e.completions), 0) as completions
    from public.point_entries e where e.tenant_id = p.tenant_id and e.player_id = p.id
  ) as sums on true
  where (p.total_points, p.total_completions) <> (sums.points, sums.completions);

comment on view admin.point_differences is 'Players whose totals are not the sums of their entries. Always empty.';
