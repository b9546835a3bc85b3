select * from admin.activity_codes order by tenant_id, code;

-- Codes that were sent but count for nothing yet:
select * from admin.unmapped_activity_codes order by tenant_id, code;

-- Stops a code from counting and takes its points back by opposite entries:
-- select admin.unmap_activity_code(tenant_id => '...', code => '010');
