select * from admin.webhook_endpoints order by created_at desc;

-- Once the receiver works again:
-- select admin.reactivate_webhook(id => '...');
