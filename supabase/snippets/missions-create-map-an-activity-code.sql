-- Activities recorded before the mapping count as well.
with mission as (
  select admin.create_mission(
    tenant_id => '00000000-0000-4000-8000-000000000001',
    name      => 'Demo given',
    points    => 50
  ) as id
)
select admin.map_activity_code(
  tenant_id  => '00000000-0000-4000-8000-000000000001',
  code       => '010',
  mission_id => mission.id
) from mission;
