-- Activities of activity sync, newest first. For the points of an activity, filter admin.point_entries by external_id.
select created_at, external_id, activity_code, email, occurred_at, voided_at, void_reason
from admin.activities
where tenant_id = (select id from admin.tenants where slug = 'acme')
order by id desc
limit 200;
