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
