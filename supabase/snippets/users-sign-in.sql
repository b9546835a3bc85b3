-- Give a user access: seller, manager, finance, admin, or a list such as {self,read:leads}. Ends the user's tokens
select admin.set_user_access('acme', 'ana@acme.example', 'manager')
where exists (select from public.users u join public.tenants t on t.id = u.tenant_id where t.slug = 'acme' and u.email = 'ana@acme.example');

-- Trust the addresses of a single sign-on provider of Auth; its accounts are linked to users at their first sign-in
select admin.trust_sso(t.slug, substr(i.provider, 5)::uuid)
from public.tenants t, (select distinct provider from auth.identities where provider like 'sso:%') as i
where t.slug = 'acme';
