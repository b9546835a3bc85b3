select * from admin.webhook_deliveries where status <> 'delivered' order by id desc limit 200;

-- Attempts of a delivery, with the beginning of each response:
-- select * from admin.webhook_attempts where delivery_id = 'whd_...' order by id;

-- Replay a delivery within a minute, with the same id:
-- select admin.replay_delivery(delivery_id => 'whd_...');
