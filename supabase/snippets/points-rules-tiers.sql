-- Points for events. A rule for a specific stage takes precedence over one for any stage
select admin.set_point_rule('acme', 'deal.won', 100),
       admin.set_point_rule('acme', 'lead.qualified', 20),
       admin.set_point_rule('acme', 'deal.stage_changed', 10, stage => 'Proposal');

-- Points for the first twenty activities of a day
select admin.set_point_rule('acme', 'activity.completed', 5, max_per_day => 20);

-- Create tiers, unless there are any
select admin.create_tier('acme', name, min_points)
from (values ('Bronze', 0), ('Silver', 500), ('Gold', 2000)) as new (name, min_points)
where not exists (select from admin.tiers where tenant = 'acme');

-- Point rules
select event, stage_name, points, max_per_day from admin.point_rules where tenant_id = (select id from public.tenants where slug = 'acme');

-- Tiers
select name, min_points from admin.tiers where tenant = 'acme' order by min_points;
