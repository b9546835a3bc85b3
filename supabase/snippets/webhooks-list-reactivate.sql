-- Whose they are (client_id; null for those of payments), and whether they get events.
select * from admin.webhook_endpoints order by created_at desc;

-- Have everything for one wait, and send it later:
-- select admin.pause_webhook(id => '...');
-- select admin.resume_webhook(id => '...');

-- Send nothing more to it; what waits fails:
-- select admin.deactivate_webhook(id => '...');

-- Once the receiver works again:
-- select admin.reactivate_webhook(id => '...');
