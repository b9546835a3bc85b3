-- A badge is earned permanently when the metric reaches the threshold. Metrics: points, missions_completed, deals_created,
-- deals_won, revenue_closed, leads_created, leads_qualified, activities_logged.
select admin.create_badge((select id from public.tenants where slug = 'acme'), 'First win', 'deals_won', 1);

-- Badges, and how many have earned them
select name, metric, threshold, earned_by from admin.badges where tenant_id = (select id from public.tenants where slug = 'acme');
-- Who has earned which
select badge, email, earned_at from admin.earned_badges
where tenant_id = (select id from public.tenants where slug = 'acme') order by earned_at desc;
