select mission_name, name, email, completions, points, last_change_at
from admin.mission_progress
where tenant_id = '00000000-0000-4000-8000-000000000001'
order by mission_name, completions desc;
