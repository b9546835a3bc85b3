-- Everything that a tenant has, as JSON, without secrets:
select admin.export_tenant((select id from public.tenants where slug = 'acme'));

-- What would go with it. Nothing goes yet:
select what, row_count from admin.delete_tenant((select id from public.tenants where slug = 'acme'));

-- For good, with its slug a second time:
-- select * from admin.delete_tenant((select id from public.tenants where slug = 'acme'), confirm_slug => 'acme');
