-- How many days what only explains the past is kept; older rows go with the daily maintenance.
select what, days, least_days from admin.retention order by what;

-- select admin.set_retention(what => 'events', days => 400);
