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
