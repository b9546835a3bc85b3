-- Activities recorded before the mapping count as well.
with mission as (
  select admin.create_mission(
    tenant_id => (select id from public.tenants where slug = 'acme'),
    name      => 'Demo given',
    points    => 50
  ) as id
)
select admin.map_activity_code(
  tenant_id  => (select id from public.tenants where slug = 'acme'),
  code       => '010',
  mission_id => mission.id
) from mission;
