-- Announcing jobs that SQL schedules. Requests publish their own jobs; Studio, scripts and apps that change tables
-- directly cannot. If configured, the database calls the sweep through pg_net after the commit, and pg_cron can call it
-- every minute instead of a QStash schedule. The sweep finds every overdue row even if a call is lost.

create function private.call_sweep() returns void
language plpgsql
set search_path = ''
as $$
declare
  target private.deployment;
begin
  select * into strict target from private.deployment;
  if target.sweep_url is null then
    return;
  end if;
  -- pg_net sends the request after the commit.
  perform net.http_post(
    url     := target.sweep_url,
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || s.decrypted_secret)
  )
  from vault.decrypted_secrets s where s.id = target.sweep_token;
exception when others then
  raise warning 'Calling the sweep failed: %', sqlerrm;
end
$$;

comment on function private.call_sweep() is
  'Calls the sweep after the commit; errors are only warnings, because the sweep finds unannounced jobs within a minute anyway.';

-- Replaced in *_manage_role.sql.
create function private.announce_jobs() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Requests and jobs publish their own jobs. One call per transaction is enough.
  if current_setting('role') in ('api', 'payments', 'worker') or current_setting('app.announced', true) = 'yes' then
    return null;
  end if;
  perform set_config('app.announced', 'yes', true), private.call_sweep();
  return null;
end
$$;

comment on function private.announce_jobs() is
  'Trigger: announces jobs that SQL schedules when the transaction commits, if configured.';

create trigger jobs_announce after insert or update of due_at on public.jobs
  for each statement execute function private.announce_jobs();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.call_sweep_from_database(functions_url text, token text) returns text
language plpgsql
set search_path = ''
as $$
declare
  secret_name constant text := 'placar_sweep_token';
  secret_id   uuid;
begin
  if functions_url is null then
    update private.deployment set sweep_url = null, sweep_token = null;
    delete from vault.secrets where name = secret_name;
    if to_regnamespace('cron') is not null then
      execute $cron$ select cron.unschedule(jobid) from cron.job where jobname = 'placar-sweep' $cron$;
    end if;
    return 'The database no longer calls the sweep.';
  end if;
  if functions_url !~ '^https?://[^/]' then
    perform private.refuse_argument('functions_url', 'is not a valid URL', array['such as https://<ref>.supabase.co/functions/v1']);
  elsif char_length(coalesce(token, '')) < 32 then
    perform private.refuse_argument('token', 'must have at least 32 characters', array['the value of SWEEP_TOKEN set for the functions']);
  elsif to_regnamespace('net') is null then
    raise exception 'Enable the extension pg_net first (Database > Extensions).' using errcode = 'undefined_object';
  end if;
  delete from vault.secrets where name = secret_name;
  secret_id := vault.create_secret(token, secret_name, 'Bearer token for calls to the sweep.');
  update private.deployment
  set sweep_url = rtrim(functions_url, '/') || '/callbacks/sweep', sweep_token = secret_id;
  if to_regnamespace('cron') is null then
    return 'Jobs scheduled by SQL are announced immediately. Keep the QStash schedule that runs every minute, or enable pg_cron and call this again.';
  end if;
  execute $cron$ select cron.schedule('placar-sweep', '* * * * *', 'select private.call_sweep()') $cron$;
  return 'Jobs scheduled by SQL are announced immediately, and pg_cron calls the sweep every minute. You can delete the QStash schedule.';
end
$$;

comment on function admin.call_sweep_from_database(text, text) is
  'Makes the database call the sweep when SQL schedules jobs (pg_net) and every minute (pg_cron) with SWEEP_TOKEN; a null URL stops it.';
