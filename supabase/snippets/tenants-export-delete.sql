-- Export all data of a tenant as JSON, without secrets
select admin.export_tenant('acme');

-- List what would be deleted, without deleting anything
select what, row_count from admin.delete_tenant('acme');
