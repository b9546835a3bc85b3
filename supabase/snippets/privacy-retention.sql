-- Retention of historical data in days. Daily maintenance deletes older rows.
select what, days, least_days from admin.retention order by what;

-- select admin.set_retention(what => 'events', days => 400);
