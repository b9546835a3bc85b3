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
