-- Webhooks with their owner (client_id; null for payments) and state
select * from admin.webhook_endpoints order by created_at desc;

-- Pause deliveries to a webhook
select admin.pause_webhook(id) from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/hook';

-- Resume them
select admin.resume_webhook(id) from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/hook';

-- Reactivate a webhook that was deactivated, once the receiver works again
select admin.reactivate_webhook(id) from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/hook';
