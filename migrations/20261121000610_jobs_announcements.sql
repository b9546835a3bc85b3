-- Announcing jobs that a change in SQL causes. A request publishes the jobs that it caused itself; Studio, scripts and apps
-- that change tables do not know of them. Where it is set up, the database then calls the sweep as soon as the change is
-- committed, by pg_net; pg_cron can call it each minute, in the place of a QStash schedule. The sweep stays what finds every
-- overdue row, whatever became of a call.

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
  -- Sent after the commit, by a worker of pg_net.
  perform net.http_post(
    url     := target.sweep_url,
    headers := jsonb_build_object('Content-Type', 'application/json', 'Authorization', 'Bearer ' || s.decrypted_secret)
  )
  from vault.decrypted_secrets s where s.id = target.sweep_token;
exception when others then
  raise warning 'The sweep was not called: %', sqlerrm;
end
$$;

comment on function private.call_sweep() is
  'Calls the sweep once this transaction is committed. Never fails: what is not announced is found a minute later.';

create function private.announce_jobs() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Requests and jobs publish what they cause; one call for a transaction is enough.
  if current_setting('role') in ('api', 'payments', 'worker') or current_setting('app.announced', true) = 'yes' then
    return null;
  end if;
  perform set_config('app.announced', 'yes', true), private.call_sweep();
  return null;
end
$$;

comment on function private.announce_jobs() is 'Trigger: jobs that SQL causes are announced when it commits, where that is set up.';

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
    perform private.refuse_argument('functions_url', 'is no address', array['such as https://<ref>.supabase.co/functions/v1']);
  elsif char_length(coalesce(token, '')) < 32 then
    perform private.refuse_argument('token', 'must have at least 32 characters', array['the setting SWEEP_TOKEN of the functions']);
  elsif to_regnamespace('net') is null then
    raise exception 'Enable the extension pg_net first (Database > Extensions).' using errcode = 'undefined_object';
  end if;
  delete from vault.secrets where name = secret_name;
  secret_id := vault.create_secret(token, secret_name, 'What calls of the sweep carry.');
  update private.deployment
  set sweep_url = rtrim(functions_url, '/') || '/callbacks/sweep', sweep_token = secret_id;
  if to_regnamespace('cron') is null then
    return 'Jobs that SQL causes are announced at once. Keep the QStash schedule for every minute, or enable pg_cron and call this again.';
  end if;
  execute $cron$ select cron.schedule('placar-sweep', '* * * * *', 'select private.call_sweep()') $cron$;
  return 'Jobs that SQL causes are announced at once, and pg_cron calls the sweep each minute: the QStash schedule can go.';
end
$$;

comment on function admin.call_sweep_from_database(text, text) is
  'Has the database call the sweep, with SWEEP_TOKEN of the functions as token: as soon as SQL caused a job (pg_net), and each minute where pg_cron is enabled. Without an address it stops.';
