-- Jobs: background work scheduled in the transaction of its cause, by triggers, other jobs and SQL functions.
--
-- This table is the source of truth; a QStash message only wakes a worker. Lost, duplicate or late messages do no harm,
-- because a sweep finds every overdue row. Jobs with a lane run several per message, on one worker at a time. Handlers:
-- functions/callbacks/job-registry.ts.

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
-- Claiming and publishing change no indexed column; with room on the page, they write no index entries (HOT).
create table public.jobs (
  id           uuid        primary key default gen_random_uuid(),
  tenant_id    uuid        references public.tenants (id) on delete cascade,
  name         text        not null check (name ~ '^[a-z]+(-[a-z]+)*$'),
  key          text        not null,
  payload      jsonb       not null default '{}',
  lane         text,
  due_at       timestamptz not null default now(),
  published_at timestamptz,
  announcements integer   not null default 0,
  locked_until timestamptz,
  attempts     integer     not null default 0,
  failures     integer     not null default 0,
  last_error   text,
  finished_at  timestamptz,
  failed_at    timestamptz,
  created_at   timestamptz not null default now(),
  traceparent  text        default nullif(current_setting('app.traceparent', true), ''),
  unique (name, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02, fillfactor = 70);

comment on table  public.jobs is
  'Background jobs, one row per unit of work; each is done once even if its messages are lost, duplicated or late.';
comment on column public.jobs.tenant_id is 'The tenant that the job belongs to; null for deployment-wide jobs.';
comment on column public.jobs.name is 'Job type; determines the handler.';
comment on column public.jobs.key is 'Identifies the unit of work: the same name and key is the same job.';
comment on column public.jobs.payload is
  'Input of the handler, mostly ids of rows that it reads itself; cleared for emails after sending.';
comment on column public.jobs.lane is
  'Groups jobs for one receiver; one worker at a time runs several per message, so that a slow receiver delays only its own lane.';
comment on column public.jobs.due_at is 'When the job is due or will be retried.';
comment on column public.jobs.published_at is 'When the sweep last published a message for the overdue job.';
comment on column public.jobs.announcements is
  'Messages that the sweep published for the overdue job; each one waits longer for a worker. 0 again when a worker claims it.';
comment on column public.jobs.locked_until is 'When the worker''s lease expires; the job can then be claimed again.';
comment on column public.jobs.attempts is
  'Number of claims, which is also the fencing token: only the latest claim may record the outcome.';
comment on column public.jobs.failures is 'Consecutive failures; the job fails permanently after ten.';
comment on column public.jobs.failed_at is 'When the job failed permanently for the reason in last_error; set to null to retry.';
comment on column public.jobs.traceparent is
  'W3C traceparent of the request or job that created this job, which continues its trace; null if none.';

create index jobs_due_idx    on public.jobs (due_at) where finished_at is null and failed_at is null;
create index jobs_lane_idx   on public.jobs (lane, due_at) where lane is not null and finished_at is null and failed_at is null;
create index jobs_finished_idx on public.jobs (finished_at) where finished_at is not null;
create index jobs_tenant_idx on public.jobs (tenant_id);
create index jobs_waiting_idx on public.jobs (tenant_id, name) where finished_at is null and failed_at is null;

alter table public.jobs enable row level security;
grant select on public.jobs to api;
grant insert, select, update, delete on public.jobs to worker;

create policy "A tenant sees its own jobs" on public.jobs
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "The worker manages the jobs of every tenant" on public.jobs
  for all to worker using (true) with check (true);

-- Jobs scheduled by a transaction -------------------------------------------------------------------------------------

create function private.note_new_job() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  ids   text := nullif(current_setting('app.new_jobs', true), '');
  parts integer;
begin
  -- Appending copies the setting, so full parts go to settings of their own: the cost of a job does not grow with their number.
  if octet_length(ids) > 4000 then
    parts := coalesce(nullif(current_setting('app.new_jobs_parts', true), ''), '0')::integer + 1;
    perform set_config('app.new_jobs_' || parts, ids, true), set_config('app.new_jobs_parts', parts::text, true);
    ids := null;
  end if;
  perform set_config('app.new_jobs', concat_ws(' ', ids, new.id), true);
  return null;
end
$$;

comment on function private.note_new_job() is
  'Trigger: collects the jobs that a transaction schedules, directly or through other triggers, for app.new_jobs().';

create trigger jobs_note_new
  after insert or update of due_at on public.jobs
  for each row when (new.finished_at is null and new.failed_at is null and new.locked_until is null)
  execute function private.note_new_job();

create function app.new_jobs()
returns table (id uuid, tenant_id uuid, name text, lane text, due_at timestamptz)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
begin
  -- Most transactions schedule no jobs. PL/pgSQL also keeps the plan of the query, which costs more than running it.
  if current_setting('app.new_jobs', true) <> '' then
    return query
    select j.id, j.tenant_id, j.name, j.lane, j.due_at
    -- A join: with = any (array), Postgres may split and search the array again for each row of the table.
    from (
      select distinct unnest(string_to_array(current_setting(part.setting), ' ')::uuid[]) as id
      from (select 'app.new_jobs'
            union all
            select 'app.new_jobs_' || n
            from generate_series(1, nullif(current_setting('app.new_jobs_parts', true), '')::integer) n) as part (setting)
    ) noted
    join public.jobs j on j.id = noted.id;
  end if;
end
$$;

comment on function app.new_jobs() is 'Jobs scheduled by this transaction so far, which the caller publishes after the commit.';

grant execute on function app.new_jobs() to api, worker;

create function app.settle_job(id uuid, claim integer, again_at timestamptz) returns void
language sql
set search_path = ''
begin atomic
  update public.jobs j
  set locked_until = null, last_error = null, failures = 0,
      finished_at = case when again_at is null then now() end,
      due_at = case when again_at is null then j.due_at
                    else greatest(again_at, clock_timestamp() + interval '1 second') end
  where j.id = settle_job.id and j.attempts = settle_job.claim and j.finished_at is null;
end;

comment on function app.settle_job(uuid, integer, timestamptz) is
  'Marks a claimed job as finished, or sets when it runs again (at least one second from now), unless it was reclaimed since.';

grant execute on function app.settle_job(uuid, integer, timestamptz) to worker;
-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.jobs with (security_invoker = true) as
  select id, tenant_id, name, key,
         case when finished_at is not null then 'finished'
              when failed_at is not null then 'failed'
              when locked_until > now() then 'running'
              else 'waiting' end as status,
         attempts, failures, due_at, last_error, finished_at, failed_at, created_at,
         traceparent, substr(traceparent, 4, 32)::uuid as trace_id
  from public.jobs;

comment on view admin.jobs is 'Background jobs and their state.';
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

create function private.announce_jobs() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Requests and jobs publish their own jobs. One call per transaction is enough.
  if current_setting('role') in ('api', 'payments', 'manage', 'worker') or current_setting('app.announced', true) = 'yes' then
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

comment on column admin.jobs.traceparent is 'W3C traceparent that the job continues; null if none.';
comment on column admin.jobs.trace_id is 'Trace of the job; null if none.';

-- Jitter of retry schedules. Work that failed together, for example because a host was unreachable, is not retried together.

create function private.add_jitter(seconds integer, id text, failures integer) returns integer
language sql immutable parallel safe
begin atomic
  select case when seconds <= 5 then seconds
              else bounds.least + (hash.value % (bounds.most - bounds.least + 1))::integer end
  from (select (seconds * 4 + 4) / 5 as least, (seconds * 6) / 5 as most) as bounds,
       (select ('x' || encode(substr(sha256(convert_to(id || ':' || failures, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint as value) as hash;
end;

comment on function private.add_jitter(integer, text, integer) is
  'A wait multiplied by 0.8 to 1.2, always the same for the same id and failures; waits up to 5 seconds are unchanged.';
