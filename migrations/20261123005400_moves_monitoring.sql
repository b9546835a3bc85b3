-- Moves of tenants: the alert for moves that make no progress.
set local lock_timeout = '3s';

create view monitor.stalled_moves with (security_barrier = true) as
  select m.id as move_id, m.state,
         case when m.state in ('moved', 'open') then m.switched_at else m.progressed_at end as since
  from private.tenant_moves m
  where (m.state in ('copying', 'frozen', 'verified') and m.progressed_at < now() - interval '10 minutes')
     or (m.state in ('moved', 'open') and m.switched_at < now() - interval '30 days');

comment on view monitor.stalled_moves is
  'Moves of tenants without progress for ten minutes, or not finished 30 days after the switch, so that both sides hold the data.';

grant select on monitor.stalled_moves to placar_monitor;

-- The same, with the alert above.
create or replace view monitor.alerts with (security_barrier = true) as
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
