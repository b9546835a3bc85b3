-- Permanently delete a tenant; the slug is repeated to confirm
select * from admin.delete_tenant('acme', confirm_slug => 'acme');
