-- Announces jobs scheduled by SQL immediately (pg_net), and calls the sweep every minute (pg_cron) instead of a QStash schedule.
-- Enable both under Database > Extensions, and set SWEEP_TOKEN for the functions (openssl rand -hex 32).
select admin.call_sweep_from_database(
  functions_url => 'https://<ref>.supabase.co/functions/v1',
  token         => '<the value of SWEEP_TOKEN, at least 32 characters>'
);
