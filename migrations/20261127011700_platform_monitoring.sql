set local check_function_bodies = off;

-- Monitoring: one view per alert in the schema `monitor`, each without rows while everything is fine. The views read with
-- the rights of their owner, because a role that sees tables only through row-level security would see no trouble either.
-- They contain no names, addresses, amounts or bodies.

create schema monitor;

comment on schema monitor is 'Views for monitoring: one per alert, without rows while everything is fine, and without personal data.';

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'placar_monitor') then
    create role placar_monitor nologin noinherit nobypassrls;
  end if;
end
$$;

-- What the sweep and the daily maintenance report -----------------------------------------------------------------------

create table private.sweep_runs (
  only_row   boolean     primary key default true check (only_row),
  set_up_at  timestamptz not null default now(),
  last_run   timestamptz
);

comment on table private.sweep_runs is 'When the sweep last ran, and when this database was set up.';

alter table private.sweep_runs enable row level security;
insert into private.sweep_runs default values;

create function app.record_sweep() returns void
language sql security definer
set search_path = ''
begin atomic
  update private.sweep_runs set last_run = now() where last_run is null or last_run < now() - interval '10 seconds';
end;

comment on function app.record_sweep() is 'Records that the sweep runs (worker only).';

grant execute on function app.record_sweep() to worker;

create table private.found_point_differences (
  tenant_id uuid        not null references public.tenants (id) on delete cascade,
  player_id uuid        not null,
  found_at  timestamptz not null default now(),
  primary key (tenant_id, player_id)
);

comment on table private.found_point_differences is 'Players whose totals differed from their ledger in the last daily check.';

alter table private.found_point_differences enable row level security;

create function app.check_points(after_tenant uuid, after_player uuid, at_most integer) returns table (tenant_id uuid, player_id uuid)
language sql security definer
set search_path = ''
as $$
  with part as materialized (
    select p.tenant_id, p.id, p.total_points, p.total_completions
    from public.players p
    where after_tenant is null or (p.tenant_id, p.id) > (after_tenant, after_player)
    order by p.tenant_id, p.id
    limit at_most
  ), changed as (
    select p.* from part p
    where exists (
        select from public.point_entries e
        where e.tenant_id = p.tenant_id and e.player_id = p.id and e.created_at > now() - interval '2 days')
      or exists (select from private.found_point_differences d where d.tenant_id = p.tenant_id and d.player_id = p.id)
  ), checked as (
    select c.tenant_id, c.id, (c.total_points, c.total_completions) is distinct from (sums.points, sums.completions) as differs
    from changed c
    cross join lateral (
      select coalesce(sum(e.points), 0) as points, coalesce(sum(e.completions), 0) as completions
      from public.point_entries e where e.tenant_id = c.tenant_id and e.player_id = c.id
    ) as sums
  ), resolved as (
    delete from private.found_point_differences d using checked c
    where d.tenant_id = c.tenant_id and d.player_id = c.id and not c.differs
  ), found as (
    insert into private.found_point_differences (tenant_id, player_id)
    select c.tenant_id, c.id from checked c where c.differs
    on conflict do nothing
  )
  select p.tenant_id, p.id from part p order by p.tenant_id desc, p.id desc limit 1
$$;

comment on function app.check_points(uuid, uuid, integer) is
  'Compares totals of the next players with entries of the last two days with their ledger; returns the last player (worker only).';

grant execute on function app.check_points(uuid, uuid, integer) to worker;

-- Alerts --------------------------------------------------------------------------------------------------------------

create view monitor.overdue_jobs with (security_barrier = true) as
  select j.name, count(*) as overdue, min(j.due_at) as since
  from public.jobs j
  where j.finished_at is null and j.failed_at is null and j.due_at < now() - interval '5 minutes'
    and coalesce(j.locked_until <= now(), true)
  group by j.name;

comment on view monitor.overdue_jobs is 'Jobs that were due five minutes ago and have not begun.';

create view monitor.sweep_silent with (security_barrier = true) as
  select s.last_run, now() - coalesce(s.last_run, s.set_up_at) as silent_for
  from private.sweep_runs s
  where coalesce(s.last_run, s.set_up_at) < now() - interval '3 minutes';

comment on view monitor.sweep_silent is 'The sweep has not run for three minutes.';

create view monitor.failed_jobs with (security_barrier = true) as
  select j.name, count(*) as failed, max(j.failed_at) as last,
         left(regexp_replace((array_agg(j.last_error order by j.failed_at desc))[1], '"[^"]*"|''[^'']*''|\S+@\S+', '...', 'g'), 200) as last_error
  from public.jobs j
  where j.failed_at > now() - interval '1 day' and j.finished_at is null
  group by j.name;

comment on view monitor.failed_jobs is 'Jobs that failed permanently within a day; the error is shortened and contains no quoted values.';

create view monitor.failing_requests with (security_barrier = true) as
  with recent as materialized (
    select r.function, r.reason, coalesce(sum(r.requests) filter (where r.status >= 500), 0) as failed, sum(r.requests) as requests,
           min(r.at) filter (where r.status >= 500) as since
    from public.request_log r
    where r.at > now() - interval '10 minutes'
    group by r.function, r.reason
  ), totals as (
    select t.function, sum(t.failed) as failed, sum(t.requests) as requests from recent t group by t.function
  )
  select r.function, r.reason, r.failed, t.requests, r.since
  from recent r join totals t on t.function = r.function
  where r.failed > 0 and t.failed > greatest(5, t.requests / 100);

comment on view monitor.failing_requests is 'Functions with more than five, and more than one in a hundred, 5xx responses in ten minutes, by reason.';

create view monitor.refused_callers with (security_barrier = true) as
  select r.api_key_id, r.client_id, case when r.tenant_id is null then r.ip end as ip, r.reason, sum(r.requests) as refused,
         min(r.at) as since
  from public.request_log r
  where r.at > now() - interval '10 minutes' and r.status in (401, 403)
  group by r.api_key_id, r.client_id, case when r.tenant_id is null then r.ip end, r.reason
  having sum(r.requests) > 100;

comment on view monitor.refused_callers is 'Callers with more than a hundred 401 or 403 responses in ten minutes; the address only of unknown callers.';

-- failing_since, because each check changes updated_at.
create view monitor.failing_provider_accounts with (security_barrier = true) as
  select a.tenant_id, t.slug as tenant, a.provider, a.id, a.reason, coalesce(a.failing_since, a.updated_at) as since
  from public.provider_accounts a join public.tenants t on t.id = a.tenant_id
  where a.status = 'failing';

comment on view monitor.failing_provider_accounts is 'Provider accounts that do not work, so their orders fail.';

create view monitor.provider_differences with (security_barrier = true) as
  select d.account_id, d.kind, d.found_at
  from public.provider_differences d where d.resolved_at is null;

comment on view monitor.provider_differences is 'Unresolved differences between Placar and a provider.';

create view monitor.waiting_payouts with (security_barrier = true) as
  select p.tenant_id, p.id as payout_id, 'approval' as waits_for, p.created as since
  from public.payouts p
  where p.approval = 'waiting' and p.status = 'created' and p.created < now() - interval '1 day'
  union all
  select p.tenant_id, p.id, 'funding', p.created
  from public.payouts p
  where p.status = 'incoming_payment_waiting' and (p.funding ->> 'fundBy')::timestamptz < now() + interval '1 day';

comment on view monitor.waiting_payouts is 'Payouts that have waited for approval for a day, or must be funded within a day.';

create view monitor.unknown_orders with (security_barrier = true) as
  select o.kind, count(*) as orders, min(o.since) as since
  from (
    select 'invoice' as kind, i.created as since from public.invoices i where i.status = 'creating'
    union all
    select 'payout', p.ordered_at from public.payouts p where p.status = 'creating' and p.ordered_at is not null
    union all
    select 'refund', r.ordered_at from public.refunds r where r.status = 'creating'
  ) as o
  where o.since < now() - interval '15 minutes'
  group by o.kind;

comment on view monitor.unknown_orders is
  'Invoices, payouts and refunds whose outcome at the provider has been unknown for 15 minutes.';

create view monitor.point_differences with (security_barrier = true) as
  select d.tenant_id, d.player_id, d.found_at from private.found_point_differences d;

comment on view monitor.point_differences is 'Players whose totals differed from their ledger in the last daily check.';

create view monitor.deactivated_webhooks with (security_barrier = true) as
  select w.tenant_id, w.interface, w.id as endpoint_id, w.deactivated_at
  from public.webhook_endpoints w
  where not w.active and w.deactivated_at > now() - interval '1 day';

comment on view monitor.deactivated_webhooks is 'Webhooks that Placar deactivated within a day.';

create view monitor.missing_partitions with (security_barrier = true) as
  select p.parent as table_name, to_char(m.month, 'YYYY-MM') as month,
         case when to_regclass('public.' || p.parent || to_char(m.month, '_YYYY_MM')) is null then 'missing' else 'detached' end as state
  from (values ('request_log'), ('admin_changes')) as p (parent)
  cross join generate_series(date_trunc('month', now() at time zone 'UTC'),
                             date_trunc('month', now() at time zone 'UTC') + interval '2 months', interval '1 month') as m (month)
  where not exists (
    select from pg_catalog.pg_inherits i
    where i.inhparent = to_regclass('public.' || p.parent) and i.inhrelid = to_regclass('public.' || p.parent || to_char(m.month, '_YYYY_MM')))
  union all
  select 'request_log', d.month, 'rows in request_log_default'
  from (select distinct to_char(r.at at time zone 'UTC', 'YYYY-MM') as month from public.request_log_default r) as d;

comment on view monitor.missing_partitions is
  'Months from this one to the second next whose partition is missing or detached, and months with rows in request_log_default.';

-- A view calls functions with the rights of its reader, who sees no details of other roles' sessions.
create function private.client_sessions() returns table (role name, transaction_since timestamptz, state text)
language sql stable security definer
set search_path = ''
as $$
  select a.usename, a.xact_start, a.state from pg_catalog.pg_stat_activity a where a.backend_type = 'client backend'
$$;

comment on function private.client_sessions() is
  'Sessions of clients, for the schema monitor; shows all roles if the owner has pg_monitor, as it does in hosted projects.';

create view monitor.connections with (security_barrier = true) as
  select used, allowed
  from (
    select count(*) as used, current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as allowed
    from private.client_sessions()
  ) as c
  where used > allowed * 0.8;

comment on view monitor.connections is 'More than 80 % of the connections of Postgres are in use.';

create view monitor.long_transactions with (security_barrier = true) as
  select s.role, s.transaction_since as since, s.state
  from private.client_sessions() as s
  where s.transaction_since < now() - interval '10 minutes';

comment on view monitor.long_transactions is 'Transactions that have been open for ten minutes; they keep vacuum from removing dead rows.';

create view monitor.tables_behind with (security_barrier = true) as
  select format('%I.%I', s.schemaname, s.relname) as table_name, s.n_dead_tup as dead_rows, greatest(s.last_vacuum, s.last_autovacuum) as last_vacuum
  from pg_catalog.pg_stat_user_tables s
  where s.n_dead_tup > 100000 and s.n_dead_tup > 0.2 * (s.n_dead_tup + s.n_live_tup);

comment on view monitor.tables_behind is 'Tables with more than 100 000 dead rows and more than 20 %: autovacuum does not keep up.';

create view monitor.read_only with (security_barrier = true) as
  select coalesce(r.last_run, r.set_up_at) as since
  from private.sweep_runs r
  where pg_is_in_recovery()
    or exists (
      select from pg_catalog.pg_db_role_setting s
      where s.setrole = 0 and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
        and exists (select from unnest(s.setconfig) as c where c ~ '^default_transaction_read_only=(on|true|yes|1)$'))
    -- Not visible to logins with a setting of their own, such as that of monitoring.
    or exists (
      select from pg_catalog.pg_settings s
      where s.name = 'default_transaction_read_only' and s.setting = 'on' and s.source in ('configuration file', 'command line'));

comment on view monitor.read_only is
  'The database accepts no writes, as hosted ones do when the disk is almost full; since is the last write of the sweep.';

create view monitor.stalled_moves with (security_barrier = true) as
  select m.id as move_id, m.state,
         case when m.state in ('moved', 'open') then m.switched_at else m.progressed_at end as since
  from private.tenant_moves m
  where (m.state in ('copying', 'frozen', 'verified') and m.progressed_at < now() - interval '10 minutes')
     or (m.state in ('moved', 'open') and m.switched_at < now() - interval '30 days');

comment on view monitor.stalled_moves is
  'Moves of tenants without progress for ten minutes, or not finished 30 days after the switch, so that both sides hold the data.';

grant select on monitor.stalled_moves to placar_monitor;

create view monitor.alerts with (security_barrier = true) as
  select a.alert, a.severity, a.since, a.rows, a.detail
  from (
    select 'overdue_jobs' as alert, 'page' as severity, min(v.since) as since, count(*) as rows, jsonb_agg(to_jsonb(v)) as detail from monitor.overdue_jobs v
    union all select 'sweep_silent', 'page', min(now() - v.silent_for), count(*), jsonb_agg(to_jsonb(v)) from monitor.sweep_silent v
    union all select 'failed_jobs', 'ticket', min(v.last), count(*), jsonb_agg(to_jsonb(v)) from monitor.failed_jobs v
    union all select 'failing_requests', 'page', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.failing_requests v
    union all select 'refused_callers', 'ticket', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.refused_callers v
    union all select 'failing_provider_accounts', 'page', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.failing_provider_accounts v
    union all select 'provider_differences', 'ticket', min(v.found_at), count(*), jsonb_agg(to_jsonb(v)) from monitor.provider_differences v
    union all select 'waiting_payouts', 'ticket', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.waiting_payouts v
    union all select 'unknown_orders', 'page', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.unknown_orders v
    union all select 'point_differences', 'ticket', min(v.found_at), count(*), jsonb_agg(to_jsonb(v)) from monitor.point_differences v
    union all select 'deactivated_webhooks', 'ticket', min(v.deactivated_at), count(*), jsonb_agg(to_jsonb(v)) from monitor.deactivated_webhooks v
    union all select 'missing_partitions', 'page', null, count(*), jsonb_agg(to_jsonb(v)) from monitor.missing_partitions v
    union all select 'connections', 'page', null, count(*), jsonb_agg(to_jsonb(v)) from monitor.connections v
    union all select 'long_transactions', 'ticket', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.long_transactions v
    union all select 'tables_behind', 'ticket', null, count(*), jsonb_agg(to_jsonb(v)) from monitor.tables_behind v
    union all select 'read_only', 'page', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.read_only v
    union all select 'stalled_moves', 'page', min(v.since), count(*), jsonb_agg(to_jsonb(v)) from monitor.stalled_moves v
  ) as a
  where a.rows > 0;

comment on view monitor.alerts is 'One row for each alert that is on: its view, severity (page or ticket), since when, and its rows.';

create view monitor.heartbeat with (security_barrier = true) as
  select now() as at;

comment on view monitor.heartbeat is 'Always one row: no answer is an alert as well.';

revoke all on all tables in schema monitor from public;
grant usage on schema monitor to placar_monitor;
grant select on all tables in schema monitor to placar_monitor;
grant execute on function private.client_sessions() to placar_monitor;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_new_login(name text) returns void
language plpgsql stable
set search_path = ''
as $$
begin
  if name is null or name !~ '^placar_[a-z0-9_]{1,40}$' then
    perform private.refuse_argument('name', format('"%s" is not a valid name', name), array['placar_ followed by lower-case letters, digits and _']);
  elsif exists (select from pg_catalog.pg_roles r where r.rolname = expect_new_login.name) then
    perform private.refuse_argument('name', format('the role "%s" exists already', name));
  end if;
end
$$;

comment on function private.expect_new_login(text) is 'Rejects a name that is not a valid new name for a login.';

create function admin.create_monitor(name text default 'placar_monitoring') returns table (role text, password text)
language plpgsql
set search_path = ''
as $$
declare
  secret constant text := private.random_base62(32);
begin
  perform private.keep_errors_out_of_log(), private.expect_new_login(name);
  execute format('create role %I login inherit nobypassrls connection limit 3 password %L', name, secret);
  execute format('grant placar_monitor to %I with inherit true, set false', name);
  execute format('alter role %I set default_transaction_read_only = on', name);
  execute format('alter role %I set statement_timeout = %L', name, '5s');
  execute format('alter role %I set lock_timeout = %L', name, '1s');
  execute format('alter role %I set search_path = %L', name, '');
  return query select name, secret;
end
$$;

comment on function admin.create_monitor(text) is
  'Creates a login for monitoring, which reads the schema monitor and nothing else, and returns its password once.';
