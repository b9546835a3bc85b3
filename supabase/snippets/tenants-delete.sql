-- Permanently delete a tenant, if it exists; the slug is repeated to confirm
select deleted.* from public.tenants t, admin.delete_tenant(t.slug, confirm_slug => 'acme') as deleted where t.slug = 'acme';
