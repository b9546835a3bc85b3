-- Deactivate a webhook; its pending deliveries fail
select admin.deactivate_webhook(id) from admin.webhook_endpoints where tenant = 'acme' and url = 'https://example.com/hook';
