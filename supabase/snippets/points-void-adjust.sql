-- Void an activity sent by mistake: its points are reversed, and sending it again is a duplicate
select admin.void_activity(tenant_id, external_id, 'Sent by mistake') from admin.activities where tenant = 'acme' and external_id = 'call-77';

-- Add points to the player with this email address; use a negative number to deduct
select admin.adjust_points(tenant_id, email, 50, 'Won the quiz')
from public.players where tenant_id = (select id from public.tenants where slug = 'acme') and email = 'ana@acme.example';

-- Corrections, newest first
select created_at, email, points, external_id, note from admin.point_entries
where tenant_id = (select id from public.tenants where slug = 'acme') and reason in ('activity_voided', 'adjustment')
order by id desc
limit 100;
