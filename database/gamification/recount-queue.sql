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
