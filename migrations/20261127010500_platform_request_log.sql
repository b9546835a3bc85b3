set local check_function_bodies = off;

-- Request log: all requests except health checks, kept for seven years in monthly partitions, append-only.
--
-- A write request adds its row in its own transaction; a rejected request adds it afterwards as the role worker. Daily
-- maintenance creates partitions for the coming months and drops expired ones.
--
-- The reason of a 401 is one of missing, malformed, unknown_key, wrong_environment, revoked, expired, stale_timestamp,
-- bad_signature and address_not_allowed.

create table public.request_log (
  at          timestamptz not null default clock_timestamp(),
  request_id  text        not null,
  tenant_id   uuid,
  api_key_id  uuid,
  client_id   text,
  user_id     uuid,
  function    text        not null,
  method      text        not null,
  path        text        not null,
  status      smallint    not null,
  reason      text,
  fields      text[],
  query       text[],
  ip          inet,
  duration_ms integer     not null,
  requests    integer     not null default 1,
  waited_ms   integer,
  trace_id    uuid
) partition by range (at);

comment on table  public.request_log is
  'Requests with caller, time and outcome, without bodies, keys or signatures; kept for seven years.';
comment on column public.request_log.tenant_id is 'Null when the caller could not be identified.';
comment on column public.request_log.api_key_id is
  'The API key that signed the request; not a foreign key, because the log outlives the key.';
comment on column public.request_log.client_id is 'The OAuth client of the request''s token.';
comment on column public.request_log.user_id is 'The user who signed in, if the token is that of a person.';
comment on column public.request_log.function is 'The edge function that handled the request.';
comment on column public.request_log.path is
  'Path without query string, with * in place of secret tokens; the route pattern or "unknown route" when the tenant is unknown.';
comment on column public.request_log.reason is
  'Error name of a rejected request; for a 401 a specific cause such as unknown_key, expired, stale_timestamp or bad_signature.';
comment on column public.request_log.fields is 'Names of the invalid members, never their values; at most 20.';
comment on column public.request_log.query is
  'Names of the query parameters, never their values; at most 20, and not recorded for write requests.';
comment on column public.request_log.requests is
  'Number of similar requests within ten seconds that this row summarizes; 1 unless a caller exceeds the rows allowed per minute.';
comment on column public.request_log.duration_ms is 'Duration in milliseconds; for write requests, up to the end of their transaction.';

comment on column public.request_log.waited_ms is
  'Milliseconds that the request waited for a database connection of its worker, in total; null if it did not wait.';
comment on column public.request_log.trace_id is
  'Trace of the request, as sent by its caller or begun by the function; null if none. Callers choose it, so it proves nothing.';

create index request_log_tenant_idx  on public.request_log (tenant_id, at desc);
create index request_log_request_idx on public.request_log (request_id);
create index request_log_at_idx      on public.request_log using brin (at) with (autosummarize = on);
create index request_log_trace_idx   on public.request_log (trace_id) where trace_id is not null;

alter table public.request_log enable row level security;
grant insert on public.request_log to api, worker;

create policy "A tenant's requests are logged under that tenant" on public.request_log
  for insert to api with check (tenant_id = (select app.tenant_id()));
create policy "Rejected requests are logged for any tenant" on public.request_log
  for insert to worker with check (true);

create trigger request_log_append_only
  before update or delete on public.request_log
  for each row execute function private.refuse_change();
create trigger request_log_no_truncate
  before truncate on public.request_log
  execute function private.refuse_change();

-- Security definer, so that the request log can look up only the owner of a key.
create function app.owner_of_key(key_hash bytea)
returns table (id uuid, tenant_id uuid)
language sql stable security definer
set search_path = ''
as $$ select k.id, k.tenant_id from public.api_keys k where k.key_hash = owner_of_key.key_hash $$;

comment on function app.owner_of_key(bytea) is
  'Owner of the API key with this SHA-256, in any state; used to log calls that were rejected before authentication.';

grant execute on function app.owner_of_key(bytea) to worker;

-- Partitions ----------------------------------------------------------------------------------------------------------

-- The default partition stores rows of months without their own partition, so that requests do not fail.
create table public.request_log_default partition of public.request_log default;

comment on table public.request_log_default is 'Request log of months without their own partition.';

alter table public.request_log_default enable row level security;

create trigger request_log_default_no_truncate
  before truncate on public.request_log_default
  execute function private.refuse_change();

create function private.create_month_partition(parent text, month date, about text, at_most integer default 50000) returns void
language plpgsql
set search_path = ''
as $$
declare
  starts_at    constant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  ends_at      constant timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  partition    constant text := parent || '_' || to_char(month, 'YYYY_MM');
  rest         constant text := parent || '_default';
  was_maintained constant text := coalesce(current_setting('app.maintenance', true), '');
  move         constant text := format('with moved as (delete from public.%I where at >= $1 and at < $2 returning *) insert into public.%I overriding system value select * from moved', rest, partition);
  rows_in_rest integer;
begin
  if to_regclass('public.' || partition) is not null then
    return;
  end if;
  execute format('select count(*) from (select from public.%I where at >= $1 and at < $2 limit $3) as r', rest)
    into rows_in_rest using starts_at, ends_at, at_most + 1;
  -- Requests wait while rows are moved. monitor.missing_partitions reports a month with more rows.
  if rows_in_rest > at_most then
    return;
  end if;
  if rows_in_rest = 0 then
    execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', partition, parent, starts_at, ends_at);
  else
    -- Inserts lock the parent first, too.
    execute format('lock table public.%I, public.%I in access exclusive mode', parent, rest);
    execute format('create table public.%I (like public.%I including defaults including constraints including storage)', partition, parent);
    perform set_config('app.maintenance', 'on', true);
    execute move using starts_at, ends_at;
    perform set_config('app.maintenance', was_maintained, true);
    execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, partition, starts_at, ends_at);
  end if;
  execute format('alter table public.%I enable row level security', partition);
  -- Rows are only inserted, so that inserts must trigger vacuum; otherwise it runs for the first time to prevent wraparound.
  execute format('alter table public.%I set (autovacuum_vacuum_insert_scale_factor = 0.05)', partition);
  execute format('comment on table public.%I is %L', partition, about || ' of ' || to_char(month, 'YYYY-MM') || ' (UTC).');
  execute format('create trigger %I before truncate on public.%I execute function private.refuse_change()',
                 partition || '_no_truncate', partition);
end
$$;

comment on function private.create_month_partition(text, date, text, integer) is
  'Creates the partition of a month unless it exists, with its rows of the default partition if those are at most at_most.';

create function private.create_request_log_partition(month date) returns void
language sql
set search_path = ''
as $$ select private.create_month_partition('request_log', month, 'Request log') $$;

comment on function private.create_request_log_partition(date) is 'Creates the request log''s partition of a month unless it exists.';

create function app.maintain_request_log(at timestamptz default now())
returns table (created integer, dropped integer)
language plpgsql security definer
set search_path = ''
as $$
declare
  months_ahead constant integer := 12;
  years_kept   constant integer := 7;
  before_count integer;
  old_name     text;
begin
  select count(*) into before_count from pg_catalog.pg_inherits where inhparent = 'public.request_log'::regclass;
  perform private.create_request_log_partition(m.month)
  from (
    select (date_trunc('month', maintain_request_log.at at time zone 'UTC') + make_interval(months => i))::date as month
    from generate_series(0, months_ahead) as i
    union
    select distinct date_trunc('month', d.at at time zone 'UTC')::date from public.request_log_default d
  ) as m;
  select count(*) - before_count into created
  from pg_catalog.pg_inherits where inhparent = 'public.request_log'::regclass;

  dropped := 0;
  for old_name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
      and c.relname ~ '^request_log_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
          <= (least(at, now()) at time zone 'UTC') - make_interval(years => years_kept)
  loop
    execute format('drop table public.%I', old_name);
    dropped := dropped + 1;
  end loop;
  return next;
end
$$;

comment on function app.maintain_request_log(timestamptz) is
  'Creates partitions for the coming twelve months and for rows of the default partition; drops those older than seven years.';

grant execute on function app.maintain_request_log(timestamptz) to worker;

select app.maintain_request_log();
-- Rows of past months no longer change. Freezing them immediately means that they are never read again to prevent wraparound.
create function app.freeze_ended_months(at timestamptz default now()) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  partition text;
  changed   integer := 0;
begin
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass and c.relname ~ '^request_log_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= at at time zone 'UTC'
      and not coalesce(c.reloptions @> '{autovacuum_freeze_min_age=0}', false)
  loop
    execute format('alter table public.%I set (autovacuum_freeze_min_age = 0)', partition);
    changed := changed + 1;
  end loop;
  return changed;
end
$$;

comment on function app.freeze_ended_months(timestamptz) is
  'Makes autovacuum freeze all rows of request log partitions of past months; returns how many partitions it changed (worker only).';

grant execute on function app.freeze_ended_months(timestamptz) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.request_log with (security_invoker = true) as
  select at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, fields, query, ip,
         duration_ms, requests, trace_id
  from public.request_log;

comment on view admin.request_log is 'All requests of the last seven years; filter them by tenant_id and at, or by request_id.';
comment on column admin.request_log.trace_id is 'Trace of the request; null if none.';

-- Request answers: stored responses to requests with an Idempotency-Key, so that a retry gets the same response.
--
-- Used by records and activity sync, where a request is a single transaction: locking the key, doing the work and
-- storing the response commit together. A payments request calls a provider in between, so payments use
-- idempotency_keys instead.

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.request_answers (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  scope       text        not null,
  key         text        not null check (char_length(key) between 1 and 255),
  fingerprint text        not null,
  status      smallint    not null,
  body        jsonb,
  headers     jsonb       not null,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, scope, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.request_answers is
  'Responses to records and activity sync requests with an Idempotency-Key, kept for 24 hours.';
comment on column public.request_answers.scope is
  'Owner of the key: an OAuth client id, or activity-sync for a tenant''s API keys.';
comment on column public.request_answers.fingerprint is
  'SHA-256 of the method, path, body with sorted members, and everything else that the response depends on.';
comment on column public.request_answers.headers is 'Response headers that describe the body, such as ETag.';

create index request_answers_age_idx on public.request_answers using brin (created_at);

alter table public.request_answers enable row level security;
grant select, insert, update on public.request_answers to api;
grant select, delete on public.request_answers to worker;

create policy "A tenant manages its own responses" on public.request_answers
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs delete old responses" on public.request_answers
  for all to worker using (true) with check (true);

create function app.hold_request_key(scope text, key text, fingerprint text) returns void
language plpgsql
set search_path = ''
as $$
declare
  kept public.request_answers;
begin
  if not pg_try_advisory_xact_lock(hashtextextended(
    concat_ws(chr(10), app.tenant_id(), hold_request_key.scope, hold_request_key.key), 0)) then
    raise exception 'another request with this key is in progress' using errcode = 'PL409';
  end if;
  select a.* into kept from public.request_answers a
  where a.tenant_id = app.tenant_id() and a.scope = hold_request_key.scope and a.key = hold_request_key.key
    and a.created_at > now() - interval '24 hours';
  if not found then
    return;
  elsif kept.fingerprint <> hold_request_key.fingerprint then
    raise exception 'the key was used for a different request' using errcode = 'PL422';
  end if;
  raise exception 'the key already has a response' using errcode = 'PL208';
end
$$;

comment on function app.hold_request_key(text, text, text) is
  'First statement of a request: locks its key, or fails with PL409 (in use), PL422 (different request) or PL208 (has a response).';

grant execute on function app.hold_request_key(text, text, text) to api;

create function app.keep_request_answer(
  scope text, key text, fingerprint text, status integer, body jsonb, headers jsonb
) returns void
language sql
set search_path = ''
as $$
  insert into public.request_answers as a (tenant_id, scope, key, fingerprint, status, body, headers)
  values (app.tenant_id(), keep_request_answer.scope, keep_request_answer.key, keep_request_answer.fingerprint,
    keep_request_answer.status, keep_request_answer.body, keep_request_answer.headers)
  on conflict (tenant_id, scope, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, headers = excluded.headers,
        created_at = now()
$$;

comment on function app.keep_request_answer(text, text, text, integer, jsonb, jsonb) is
  'Stores a response in the transaction that locked its key, replacing one older than 24 hours.';

grant execute on function app.keep_request_answer(text, text, text, integer, jsonb, jsonb) to api;

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

-- Jobs: emails. The texts in both languages are in shared/platform/mail/mails.ts; the row of a job `send-mail` contains
-- the email's name and the values for its text.

create function private.send_mail(tenant_id uuid, key text, recipient text, mail text, "values" jsonb) returns void
language sql
set search_path = ''
as $$
  insert into public.jobs (tenant_id, name, key, payload)
  select t.id, 'send-mail', send_mail.key,
         jsonb_build_object('to', recipient, 'mail', mail, 'language', t.language,
                            'values', jsonb_build_object('tenant', t.name) || "values")
  from public.tenants t
  where t.id = send_mail.tenant_id and btrim(recipient) <> ''
  on conflict (name, key) do nothing
$$;

comment on function private.send_mail(uuid, text, text, text, jsonb) is
  'Schedules an email in the tenant''s language, once per key; does nothing without a recipient.';

create function private.mail_owner(tenant_id uuid, key text, mail text, "values" jsonb) returns void
language sql
set search_path = ''
as $$
  select private.send_mail(t.id, mail_owner.key, t.owner_email, mail, "values")
  from public.tenants t
  where t.id = mail_owner.tenant_id
$$;

comment on function private.mail_owner(uuid, text, text, jsonb) is
  'Schedules an email to the tenant''s owner; does nothing if the tenant has no owner address.';
