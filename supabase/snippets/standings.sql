select position, name, email, points
from admin.standings
where tenant_id = '00000000-0000-4000-8000-000000000001'
order by position, name
limit 100;
