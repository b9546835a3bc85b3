select position, name, email, points
from admin.standings
where tenant_id = (select id from public.tenants where slug = 'acme')
order by position, name
limit 100;
