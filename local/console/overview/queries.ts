// Queries for the start page.
import type { View } from '../view.ts';

/** Requests of the tenant and of unidentified callers. */
const ofTenant = ({ sql, tenant }: View) =>
  sql`(tenant_id = ${tenant.id} or tenant_id is null and function <> 'callbacks')`;

/** External requests only, without our own callbacks. */
const isCall = ({ sql }: View) => sql`function <> 'callbacks'`;

export const MINUTES = 60;

export interface Minute {
  at: Date;
  good: number;
  refused: number;
  broken: number;
  events: number;
}

/** The last hour by minute, oldest first. */
export const readMinutes = (view: View) => view.sql<Minute[]>`
  with minutes as (
    select generate_series(date_trunc('minute', now()) - make_interval(mins => ${MINUTES - 1}), now(), '1 minute') as at
  ), requests as (
    select date_trunc('minute', at) as at,
           sum(requests) filter (where status < 400) as good,
           sum(requests) filter (where status between 400 and 499) as refused,
           sum(requests) filter (where status >= 500) as broken
    from admin.request_log
    where at > now() - make_interval(mins => ${MINUTES}) and ${ofTenant(view)} and ${isCall(view)}
    group by 1
  ), events as (
    select date_trunc('minute', created_at) as at, count(*) as events
    from public.events
    where tenant_id = ${view.tenant.id} and created_at > now() - make_interval(mins => ${MINUTES})
    group by 1
  )
  select m.at, coalesce(r.good, 0)::integer as good, coalesce(r.refused, 0)::integer as refused,
         coalesce(r.broken, 0)::integer as broken, coalesce(e.events, 0)::integer as events
  from minutes m
  left join requests r using (at)
  left join events e using (at)
  order by m.at`;

export interface Totals {
  requests_ever: number;
  deliveries_failing: number;
  deliveries_pending: number;
  jobs_waiting: number;
  jobs_failed: number;
  open_invoices: number;
  approvals: number;
  median_ms: number | null;
}

export async function readTotals(view: View): Promise<Totals | undefined> {
  const { sql, tenant } = view;
  const [row] = await sql<Totals[]>`
    select
      (select count(*) from (select from admin.request_log where tenant_id = ${tenant.id} limit 1) as r)::integer
        as requests_ever,
      (select count(*) from public.webhook_deliveries
       where tenant_id = ${tenant.id} and (status = 'failed' or status = 'pending' and attempts > 0))::integer
        as deliveries_failing,
      (select count(*) from public.webhook_deliveries where tenant_id = ${tenant.id} and status = 'pending')::integer
        as deliveries_pending,
      (select count(*) from admin.jobs
       where tenant_id = ${tenant.id} and status in ('waiting', 'running') and due_at < now() + interval '1 hour')::integer
        as jobs_waiting,
      (select count(*) from admin.jobs where tenant_id = ${tenant.id} and status = 'failed')::integer as jobs_failed,
      (select count(*) from public.invoices where tenant_id = ${tenant.id} and status = 'open')::integer as open_invoices,
      (select count(*) from admin.payouts_to_approve where tenant_id = ${tenant.id})::integer as approvals,
      (select percentile_cont(0.5) within group (order by duration_ms) from admin.request_log
       where tenant_id = ${tenant.id} and ${isCall(view)} and at > now() - make_interval(mins => ${MINUTES})) as median_ms`;
  return row;
}

export interface Trouble {
  kind: 'request' | 'delivery' | 'job';
  id: string;
  at: Date;
  title: string;
  /** Endpoint of a delivery; null for others. */
  url: string | null;
  status: number | null;
  reason: string | null;
}

/** Latest rejected requests, failed deliveries and failed jobs. */
export const readTroubles = (view: View) => view.sql<Trouble[]>`
  select * from (
    (select 'request' as kind, request_id::text as id, at, method || ' ' || path as title, null as url, status::integer, reason
     from admin.request_log
     where status >= 400 and ${ofTenant(view)} and at > now() - interval '1 day'
     order by at desc limit 6)
    union all
    (select 'delivery', d.id, d.updated_at, d.type, w.url, d.last_status::integer, d.last_error
     from admin.webhook_deliveries d
     join public.webhook_endpoints w on w.id = d.endpoint_id
     where d.tenant_id = ${view.tenant.id} and (d.status = 'failed' or d.status = 'pending' and d.attempts > 0)
     order by d.updated_at desc limit 6)
    union all
    (select 'job', id::text, failed_at, name, null, null, last_error
     from admin.jobs where tenant_id = ${view.tenant.id} and status = 'failed'
     order by failed_at desc limit 6)
  ) as troubles
  order by at desc
  limit 8`;

export interface Waiting {
  kind: 'delivery' | 'job';
  id: string;
  at: Date;
  title: string;
}

/** Jobs that are due next. */
export const readWaiting = ({ sql, tenant }: View) => sql<Waiting[]>`
  select 'job' as kind, id::text, due_at as at, name as title
  from admin.jobs
  where tenant_id = ${tenant.id} and status in ('waiting', 'running')
  order by due_at
  limit 6`;
