-- Jobs that SQL causes are announced at once (pg_net), and pg_cron calls the sweep each minute in the place of a QStash schedule.
-- Enable both under Database > Extensions, and give the functions SWEEP_TOKEN: openssl rand -hex 32.
select admin.call_sweep_from_database(
  functions_url => 'https://<ref>.supabase.co/functions/v1',
  token         => '<the value of SWEEP_TOKEN, at least 32 characters>'
);

-- No longer: the sweep is then called by the QStash schedule alone (npm run schedule).
-- select admin.call_sweep_from_database(functions_url => null, token => null);
