set local check_function_bodies = off;

-- Health: the queries of the functions' readiness check (`GET /health/ready`).

create table private.write_probes (
  function   text        primary key check (function ~ '^[a-z0-9-]{1,40}$'),
  -- Random bytes do not compress, so do not try.
  payload    bytea       storage external not null check (octet_length(payload) <= 16384),
  written_at timestamptz not null
);

comment on table  private.write_probes is 'One row per function, which its readiness check replaces to find out whether the database accepts writes.';
comment on column private.write_probes.payload is '16 KiB of random bytes, so that a full disk makes the check fail.';

alter table private.write_probes enable row level security;

create function app.write_probe(function text) returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
begin
  insert into private.write_probes as p (function, payload, written_at)
  -- gen_random_bytes returns at most 1 KiB.
  select write_probe.function, string_agg(extensions.gen_random_bytes(1024), ''), now() from generate_series(1, 16)
  on conflict on constraint write_probes_pkey do update set payload = excluded.payload, written_at = excluded.written_at;
end
$$;

comment on function app.write_probe(text) is
  'Replaces the row of a function with 16 KiB of random bytes; fails if the database accepts no writes or the row is locked (worker only).';

grant execute on function app.write_probe(text) to worker;

create function app.missing_migrations(needed text[]) returns text[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select version from unnest(needed) as version
    except
    select m.version from supabase_migrations.schema_migrations m
    order by 1);
end
$$;

comment on function app.missing_migrations(text[]) is 'Which of these migrations have not been applied (worker only).';

grant execute on function app.missing_migrations(text[]) to worker;

-- Whether a request could write ---------------------------------------------------------------------------------------

-- The readiness check stores a lead as requests do and takes it back.

create function app.create_probe_tenant() returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.tenants (id, name, slug) values (app.tenant_id(), 'Write probe', 'write-probe-' || app.tenant_id());
end
$$;

comment on function app.create_probe_tenant() is 'Creates the transaction''s tenant, which the transaction cannot commit.';

create function private.reject_probe_tenant() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'The tenant of a write probe must not be stored' using errcode = 'integrity_constraint_violation';
end
$$;

comment on function private.reject_probe_tenant() is 'Rejects the tenant of a write probe when its transaction commits.';

create constraint trigger reject_probe_tenant after insert on public.tenants
  deferrable initially deferred
  for each row when (new.slug = 'write-probe-' || new.id) execute function private.reject_probe_tenant();

-- The caller's own privileges, defaults, generated columns, policies and triggers are what it tries.
create function app.probe_request() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.create_probe_tenant();
  insert into public.leads (tenant_id, name, email) values (app.tenant_id(), 'Write probe', 'write-probe@example.com');
  raise exception 'probed' using errcode = 'PL299';
end
$$;

comment on function app.probe_request() is
  'Stores a lead of a tenant that exists in this transaction only, with the caller''s privileges; always fails, with PL299 if the lead was stored.';

grant execute on function app.create_probe_tenant(), app.probe_request() to api;

-- Metrics: the figures that `GET callbacks/metrics` returns in the format of Prometheus.
--
-- A scrape reaches one worker of many, so the figures come from the database. The sweep adds up each minute of the request
-- log and of finished jobs in `private.metric_sums`: counters that never decrease, even if rows are deleted. Gauges are measured by
-- the scrape. No label contains a tenant, a caller or anything that callers send.

create table private.metric_sums (
  metric text             not null,
  labels jsonb            not null default '{}',
  value  double precision not null default 0,
  primary key (metric, labels)
) with (fillfactor = 50);

comment on table  private.metric_sums is 'Counters of the metrics, summed each minute from the request log and finished jobs.';
comment on column private.metric_sums.metric is
  'Name in the format of Prometheus. placar_metrics_summed_timestamp_seconds is where the next sum begins.';

alter table private.metric_sums enable row level security;

insert into private.metric_sums (metric, value)
values ('placar_metrics_summed_timestamp_seconds', extract(epoch from date_trunc('minute', now())));

create function app.roll_up_metrics() returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  progress    constant text      := 'placar_metrics_summed_timestamp_seconds';
  -- Rows of a minute may be committed this long after it, because write transactions take up to 25 s.
  delay       constant interval  := '30 seconds';
  max_minutes constant integer   := 10;
  -- Upper bounds of the histograms.
  seconds     constant text[]    := '{0.005,0.01,0.025,0.05,0.1,0.25,0.5,1,2.5,5,10,30,+Inf}';
  bounds_ms   constant integer[] := '{5,10,25,50,100,250,500,1000,2500,5000,10000,30000}';
  since timestamptz;
  until timestamptz;
begin
  -- Concurrent sweeps do not wait for each other.
  select to_timestamp(s.value) into since from private.metric_sums s where s.metric = progress for update skip locked;
  until := least(date_trunc('minute', now() - delay), since + make_interval(mins => max_minutes));
  if since is null or until <= since then
    return 0;
  end if;

  insert into private.metric_sums as s (metric, labels, value)
  with logged as materialized (
    -- Aggregate rows have no duration.
    select r.function, r.status, case when r.reason is null or r.reason ~ '^[a-z][a-z0-9_]{0,59}$' then r.reason else 'other' end as reason,
           width_bucket(r.duration_ms - 1, bounds_ms) as duration, width_bucket(r.waited_ms - 1, bounds_ms) as waited,
           sum(r.requests) as requests, count(*) filter (where r.request_id <> 'sum' or r.duration_ms > 0) as timed,
           sum(r.duration_ms) as duration_ms, sum(r.waited_ms) as waited_ms
    from public.request_log r
    where r.at >= since and r.at < until
    group by r.function, r.status, r.reason, duration, waited
  ), timed as (
    select 'placar_request_duration_seconds' as metric, l.function, l.duration as bucket, sum(l.timed) as requests, sum(l.duration_ms) as ms
    from logged l where l.timed > 0 group by l.function, l.duration
    union all
    select 'placar_database_wait_seconds', l.function, l.waited, sum(l.timed), sum(l.waited_ms)
    from logged l where l.waited is not null group by l.function, l.waited
  ), finished as materialized (
    select j.name, j.key, j.lane from public.jobs j where j.finished_at >= since and j.finished_at < until
  )
  select 'placar_requests_total', jsonb_build_object('function', l.function, 'status', l.status::text), sum(l.requests)
  from logged l group by l.function, l.status
  union all
  select 'placar_requests_refused_total', jsonb_build_object('function', l.function, 'reason', l.reason), sum(l.requests)
  from logged l where l.reason is not null group by l.function, l.reason
  union all
  select t.metric || '_bucket', jsonb_build_object('function', t.function, 'le', b.le), coalesce(sum(t.requests) filter (where t.bucket < b.place), 0)
  from timed t cross join unnest(seconds) with ordinality as b (le, place) group by t.metric, t.function, b.le
  union all
  select t.metric || v.suffix, jsonb_build_object('function', t.function), sum(v.value)
  from timed t cross join lateral (values ('_sum', t.ms / 1000.0), ('_count', t.requests)) as v (suffix, value)
  group by t.metric, t.function, v.suffix
  union all
  select 'placar_jobs_finished_total', jsonb_build_object('name', f.name), count(*) from finished f group by f.name
  union all
  select 'placar_webhook_deliveries_total', jsonb_build_object('interface', w.interface, 'outcome', d.status), count(*)
  from finished f
  join public.webhook_deliveries d on d.id = f.key
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where f.name = 'deliver-webhook' and d.status in ('delivered', 'failed')
  group by w.interface, d.status
  on conflict (metric, labels) do update set value = s.value + excluded.value where excluded.value <> 0;

  update private.metric_sums s set value = extract(epoch from until) where s.metric = progress;
  return (extract(epoch from until - since) / 60)::integer;
end
$$;

comment on function app.roll_up_metrics() is
  'Adds whole minutes that ended 30 seconds ago to private.metric_sums, at most ten per call; returns their number (worker only).';

grant execute on function app.roll_up_metrics() to worker;

-- Data of a scrape. Each function covers one part, and `shared/platform/metrics/queries.ts` lists them all. ------------

create function app.measure_counters() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$ select s.metric, s.labels, s.value from private.metric_sums s $$;

comment on function app.measure_counters() is 'Metrics: counters and histograms (worker only).';

create function app.measure_jobs() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  with due as (
    select j.name, count(*) filter (where running is not true) as due, min(j.due_at) filter (where running is not true) as oldest,
           count(*) filter (where running) as running
    from public.jobs j cross join lateral (values (j.locked_until > now())) as r (running)
    where j.finished_at is null and j.failed_at is null and j.due_at <= now()
    group by j.name
  ), given_up as (
    select j.name, count(*) as given_up from public.jobs j where j.failed_at is not null and j.finished_at is null group by j.name
  ), known as (
    select s.labels ->> 'name' as name from private.metric_sums s where s.metric = 'placar_jobs_finished_total'
    union select d.name from due d
    union select g.name from given_up g
  )
  select v.metric, jsonb_build_object('name', k.name), coalesce(v.value, 0)
  from known k
  left join due d on d.name = k.name
  left join given_up g on g.name = k.name
  cross join lateral (values
    ('placar_jobs_due', d.due::double precision),
    ('placar_jobs_oldest_due_seconds', extract(epoch from now() - d.oldest)),
    ('placar_jobs_running', d.running),
    ('placar_jobs_given_up', g.given_up)
  ) as v (metric, value)
  union all
  select 'placar_sweep_last_run_timestamp_seconds', '{}', extract(epoch from s.last_run)
  from private.sweep_runs s where s.last_run is not null
$$;

comment on function app.measure_jobs() is 'Metrics: background jobs and the sweep (worker only).';

create function app.measure_webhooks() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  with lanes as (
    -- A delivery is pending as long as its job is unfinished, except those of paused webhooks.
    select j.lane, count(*) as pending, min(j.created_at) as oldest
    from public.jobs j
    where j.name = 'deliver-webhook' and j.lane is not null and j.finished_at is null and j.failed_at is null
    group by j.lane
  ), pending as (
    select w.interface, sum(l.pending) as pending, min(l.oldest) as oldest
    from lanes l join public.webhook_endpoints w on 'webhook-' || w.id = l.lane
    group by w.interface
  )
  select v.metric, jsonb_build_object('interface', i.interface), coalesce(v.value, 0)
  from (values ('payments'), ('records')) as i (interface)
  left join pending p on p.interface = i.interface
  cross join lateral (values
    ('placar_webhook_deliveries_pending', p.pending::double precision),
    ('placar_webhook_oldest_pending_seconds', extract(epoch from now() - p.oldest))
  ) as v (metric, value)
  union all
  select 'placar_webhook_endpoints', jsonb_build_object('interface', w.interface, 'status', app.webhook_status(w)), count(*)
  from public.webhook_endpoints w
  group by w.interface, app.webhook_status(w)
$$;

comment on function app.measure_webhooks() is 'Metrics: webhooks and their pending deliveries (worker only).';

create function app.measure_payments() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_provider_accounts', jsonb_build_object('provider', a.provider, 'status', a.status), count(*)::double precision
  from public.provider_accounts a group by a.provider, a.status
  union all
  select 'placar_orders_unknown', '{"kind": "invoice"}', count(*)
  from public.invoices i where i.status = 'creating' and i.created < now() - interval '1 minute'
  union all
  select 'placar_orders_unknown', '{"kind": "payout"}', count(*)
  from public.payouts p where p.status = 'creating' and p.ordered_at < now() - interval '1 minute'
  union all
  select 'placar_orders_unknown', '{"kind": "refund"}', count(*)
  from public.refunds r where r.status = 'creating' and r.ordered_at < now() - interval '1 minute'
  union all
  select 'placar_payouts_waiting', '{"waits_for": "approval"}', count(*)
  from public.payouts p where p.approval = 'waiting' and p.status = 'created'
  union all
  select 'placar_payouts_waiting', '{"waits_for": "funding"}', count(*)
  from public.payouts p where p.status = 'incoming_payment_waiting'
$$;

comment on function app.measure_payments() is 'Metrics: provider accounts, orders and payouts (worker only).';

create function app.measure_database() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  with sessions as materialized (
    select s.state, s.transaction_since from private.client_sessions() s
  ), tables as (
    -- Partitions count as one table.
    select coalesce(i.inhparent, s.relid)::regclass::text as name, sum(pg_total_relation_size(s.relid)) as bytes, sum(s.n_dead_tup) as dead
    from pg_catalog.pg_stat_user_tables s
    left join pg_catalog.pg_inherits i on i.inhrelid = s.relid
    group by coalesce(i.inhparent, s.relid)
    order by bytes desc
    limit 20
  )
  select 'placar_database_connections', jsonb_build_object('state', coalesce(s.state, 'unknown')), count(*)::double precision
  from sessions s group by coalesce(s.state, 'unknown')
  union all
  select 'placar_database_connections_max', '{}',
         current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
  union all
  select 'placar_database_size_bytes', '{}', pg_database_size(current_database())
  union all
  select 'placar_database_oldest_transaction_seconds', '{}', coalesce(extract(epoch from now() - min(s.transaction_since)), 0) from sessions s
  union all
  select 'placar_database_read_only', '{}', count(*) from monitor.read_only
  union all
  select v.metric, jsonb_build_object('table', t.name), v.value
  from tables t cross join lateral (values ('placar_table_size_bytes', t.bytes), ('placar_table_dead_rows', t.dead)) as v (metric, value)
$$;

comment on function app.measure_database() is 'Metrics: connections, transactions, size and the twenty largest tables (worker only).';

create function app.measure_alerts() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_alerts', jsonb_build_object('alert', a.alert, 'severity', a.severity), a.rows::double precision from monitor.alerts a
$$;

comment on function app.measure_alerts() is 'Metrics: rows of monitor.alerts (worker only).';

create function app.measure_tenants() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_tenants', jsonb_build_object('plan', p.name), count(t.id)::double precision
  from public.plans p left join public.tenants t on t.plan = p.name
  group by p.name
$$;

comment on function app.measure_tenants() is 'Metrics: tenants by plan (worker only).';

grant execute on function app.measure_counters(), app.measure_jobs(), app.measure_webhooks(), app.measure_payments(),
  app.measure_database(), app.measure_alerts(), app.measure_tenants() to worker;
