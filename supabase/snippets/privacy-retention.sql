-- Retention of historical data in days. Daily maintenance deletes older rows.
select what, days, least_days from admin.retention order by what;

-- select admin.set_retention(what => 'events', days => 400);
-- select admin.set_retention(what => 'jobs', days => 7);          -- finished jobs
-- select admin.set_retention(what => 'failed_jobs', days => 30);  -- jobs that failed permanently
