-- Point entries with their reason, newest first.
select created_at, email, points, reason, mission_name, event_id
from admin.point_entries
where tenant_id = (select id from public.tenants where slug = 'acme')
order by id desc
limit 100;

-- Players whose total differs from the sum of their entries. Should always be empty.
select * from admin.point_differences;
