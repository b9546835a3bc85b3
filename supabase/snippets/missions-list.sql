-- Missions with their codes
select name, points, codes, id from admin.missions
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by name;
