-- Retention of historical data in days. Daily maintenance deletes older rows
select what, days, least_days from admin.retention order by what;

-- Change one
select admin.set_retention('events', 400);
