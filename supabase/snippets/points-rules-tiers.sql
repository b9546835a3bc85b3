-- Points for events. A rule for a specific stage takes precedence over one for any stage.
with acme as (select id from public.tenants where slug = 'acme')
select admin.set_point_rule(acme.id, 'deal.won', 100),
       admin.set_point_rule(acme.id, 'lead.qualified', 20),
       -- For the first twenty activities of a day.
       admin.set_point_rule(acme.id, 'activity.completed', 5, max_per_day => 20),
       admin.set_point_rule(acme.id, 'deal.stage_changed', 10,
                            (select s.id from admin.stages s where s.tenant_id = acme.id and s.name = 'Proposal'))
from acme;

-- Tiers, by points.
with acme as (select id from public.tenants where slug = 'acme')
select admin.create_tier(acme.id, 'Bronze', 0), admin.create_tier(acme.id, 'Silver', 500), admin.create_tier(acme.id, 'Gold', 2000)
from acme;

-- Point rules
select event, stage_name, points, max_per_day from admin.point_rules where tenant_id = (select id from public.tenants where slug = 'acme');
-- Tiers
select name, min_points from admin.tiers where tenant_id = (select id from public.tenants where slug = 'acme') order by min_points;
