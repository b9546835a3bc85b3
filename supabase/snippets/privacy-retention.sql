-- Retention of historical data in days. Daily maintenance deletes older rows
select what, days, least_days from admin.retention order by what;

-- Change that of events
select admin.set_retention('events', 400);

-- Change those of jobs: of finished ones, and of those that failed permanently
select admin.set_retention('jobs', 7), admin.set_retention('failed_jobs', 30);
