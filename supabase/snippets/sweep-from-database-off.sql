-- The database no longer calls the sweep; only the QStash schedule does (npm run schedule -- --env-file .env.production)
select admin.call_sweep_from_database(functions_url => null, token => null);
