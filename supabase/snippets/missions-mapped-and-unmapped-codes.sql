-- Codes and their missions
select * from admin.activity_codes order by tenant_id, code;

-- Codes that were sent but are not mapped to a mission
select * from admin.unmapped_activity_codes order by tenant_id, code;

-- Unmap a code and reverse its points
select admin.unmap_activity_code('acme', code) from admin.activity_codes where tenant = 'acme' and code = '099';
