-- The mapping also counts activities that are already recorded. Running it again changes nothing.
with mission as (
  select t.id as tenant_id,
         coalesce(
           (select m.id from public.missions m where m.tenant_id = t.id and m.name = 'Demo given'),
           admin.create_mission(tenant_id => t.id, name => 'Demo given', points => 50)
         ) as id
  from public.tenants t
  where t.slug = 'acme'
)
select mission.id as mission_id, '010' as code
from mission, lateral (select admin.map_activity_code(mission.tenant_id, '010', mission.id)) as mapped;
