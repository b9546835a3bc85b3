-- Void an activity sent by mistake: its points are reversed, and sending it again is a duplicate.
-- select admin.void_activity((select id from public.tenants where slug = 'acme'), 'call-77', 'Sent by mistake');

-- Add points to the player with this email address; use a negative number to deduct.
-- select admin.adjust_points((select id from public.tenants where slug = 'acme'), 'ana@acme.example', 50, 'Won the quiz');

select created_at, email, points, external_id, note from admin.point_entries
where tenant_id = (select id from public.tenants where slug = 'acme') and reason in ('activity_voided', 'adjustment')
order by id desc
limit 100;
