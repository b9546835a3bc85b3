-- Invitations and their status.
select name, email, role, status, invited_at, sent_at, expires_at, accepted_at
from admin.invitations
where tenant_id = (select id from public.tenants where slug = 'acme')
order by invited_at desc;
