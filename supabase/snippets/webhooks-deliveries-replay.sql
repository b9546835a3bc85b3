select * from admin.webhook_deliveries where status <> 'delivered' order by id desc limit 200;

-- Every attempt of one delivery, with the beginning of each answer:
-- select * from admin.webhook_attempts where delivery_id = 'whd_...' order by id;

-- Sends one again within a minute, under the same id:
-- select admin.replay_delivery(delivery_id => 'whd_...');
