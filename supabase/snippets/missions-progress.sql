-- Progress by mission and person
select mission_name, name, email, completions, points, last_change_at
from admin.mission_progress
where tenant_id = (select id from public.tenants where slug = 'acme')
order by mission_name, completions desc;
