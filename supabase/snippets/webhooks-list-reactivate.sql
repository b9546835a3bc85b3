-- Webhooks with their owner (client_id; null for payments) and state.
select * from admin.webhook_endpoints order by created_at desc;

-- Pause deliveries to a webhook, and resume them later:
-- select admin.pause_webhook(id => '...');
-- select admin.resume_webhook(id => '...');

-- Deactivate a webhook; its pending deliveries fail:
-- select admin.deactivate_webhook(id => '...');

-- Reactivate it once the receiver works again:
-- select admin.reactivate_webhook(id => '...');
