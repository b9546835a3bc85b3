-- Deliveries that did not arrive
select * from admin.webhook_deliveries where status <> 'delivered' order by id desc limit 200;

-- Attempts of a delivery, with the beginning of each response
select * from admin.webhook_attempts where delivery_id = 'whd_00000000000000000000000000' order by id;

-- Replay a delivery within a minute, with the same id
select admin.replay_delivery(id) from admin.webhook_deliveries where id = 'whd_00000000000000000000000000';
