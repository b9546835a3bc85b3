-- Statistics of users count the badges that were earned in the period.

create or replace function app.user_statistics(tenant_id uuid, user_id uuid, period text, start_date date, end_date date)
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
    'points', (
      select coalesce(sum(e.points), 0) from public.point_entries e
      where e.tenant_id = who.tenant_id and e.player_id = who.player_id and e.created_at >= who.since and e.created_at < who.until
    ),
    'ranking_position', app.ranking_position(who.tenant_id, who.player_id, who.during),
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
      select count(*) from public.earned_badges e
      where e.tenant_id = who.tenant_id and e.player_id = who.player_id and e.earned_at >= who.since and e.earned_at < who.until
    ),
    'activities_logged', (
      select count(*) from public.deal_activities a
      where a.tenant_id = who.tenant_id and a.owner_id = who.id and a.created_at >= who.since and a.created_at < who.until
    )
  )
  from who, closed
$$;
