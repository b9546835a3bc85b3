-- Export all data of a tenant as JSON, without secrets:
select admin.export_tenant((select id from public.tenants where slug = 'acme'));

-- List what would be deleted, without deleting anything:
select what, row_count from admin.delete_tenant((select id from public.tenants where slug = 'acme'));

-- Permanently delete the tenant; confirm with its slug:
-- select * from admin.delete_tenant((select id from public.tenants where slug = 'acme'), confirm_slug => 'acme');
