-- Create a badge, unless it exists. It is earned permanently when the metric reaches the threshold. Metrics: points, missions_completed,
-- deals_created, deals_won, revenue_closed, leads_created, leads_qualified, activities_logged
select admin.create_badge('acme', 'First win', 'deals_won', 1)
where not exists (select from admin.badges where tenant = 'acme' and name = 'First win');

-- Badges, and how many players have earned them
select name, metric, threshold, earned_by from admin.badges where tenant = 'acme';

-- Who has earned which
select badge, email, earned_at from admin.earned_badges
where tenant_id = (select id from public.tenants where slug = 'acme') order by earned_at desc;
