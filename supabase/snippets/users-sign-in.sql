-- Give a user access: seller, manager, finance, admin, or a list such as {self,read:leads}. Ends the user's tokens
select admin.set_user_access('acme', 'ana@acme.example', 'manager')
where exists (select from public.users u join public.tenants t on t.id = u.tenant_id where t.slug = 'acme' and u.email = 'ana@acme.example');

-- Trust the addresses of a single sign-on provider of Auth; its accounts are linked to users at their first sign-in
select admin.trust_sso(t.slug, p.id)
from public.tenants t, auth.sso_providers p
where t.slug = 'acme' and p.resource_id = 'acme';
