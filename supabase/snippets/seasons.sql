-- Create a season, unless it exists: a named time range for standings, GET /v1/standings?season=<id>. ends_at is exclusive; a date
-- means midnight in the tenant's time zone
select admin.create_season(tenant => 'acme', name => 'Winter 2026', starts_at => '2026-06-01', ends_at => '2026-09-01')
where not exists (select from admin.seasons where tenant = 'acme' and name = 'Winter 2026');

-- Seasons
select id, name, starts_at, ends_at from admin.seasons where tenant = 'acme' order by starts_at;
