// SQL of the sweep for notifications that were kept and are not applied.
import type { Fragment, Sql } from '../../platform/db/database.ts';

/** Finds what was marked without effect, or kept and never applied, and has it applied again. */
export const scheduleMissedNotifications = (sql: Sql): Fragment[] => [
  recheckNotifications(sql),
  scheduleMissed(sql),
];

/** Most notifications that one sweep looks at. */
const SWEPT = 500;

/**
 * Those that were marked without effect, once each: one that would change its resource after all was never applied, and is
 * taken as not applied again.
 */
const recheckNotifications = (sql: Sql): Fragment => sql`
  update public.provider_events e
  set applied_at = case when not looked.applies then e.applied_at end,
      checked_at = case when not looked.applies then now() end
  from (
    select e.provider, e.event_id, ${wouldChange(sql)} as applies
    from public.provider_events e ${resourceOf(sql)}
    where e.applied_at is not null and e.checked_at is null
    order by e.applied_at
    limit ${SWEPT}
    for update of e skip locked
  ) as looked
  where e.provider = looked.provider and e.event_id = looked.event_id`;

/** A job for each that was kept and not applied although its resource is there, unless one waits or failed lately. */
const scheduleMissed = (sql: Sql): Fragment => sql`
  insert into public.jobs (tenant_id, name, key, payload)
  select null, 'apply-notification', key, jsonb_build_object('provider', provider, 'event_id', event_id)
  from (
    select e.provider, e.event_id, e.received_at, concat_ws(':', e.provider, e.event_id) as key
    from public.provider_events e ${resourceOf(sql)}
    where e.applied_at is null and coalesce(i.status, p.status) <> 'creating'
  ) as missed
  where not exists (
    select from public.jobs j
    where j.name = 'apply-notification' and j.key = missed.key and j.finished_at is null
      and coalesce(j.failed_at > now() - interval '1 hour', true)
  )
  order by received_at
  limit ${SWEPT}
  on conflict (name, key) do update
  set due_at = now(), published_at = null, locked_until = null, attempts = 0, failures = 0, finished_at = null,
      failed_at = null`;

/** Joins a notification to what it is about. */
const resourceOf = (sql: Sql): Fragment => sql`
  left join public.invoices i
    on e.body ->> 'resource' = 'invoice' and i.id = e.body ->> 'reference' and i.provider = e.provider
  left join public.payouts p
    on e.body ->> 'resource' = 'payout' and p.id = e.body ->> 'reference' and p.provider = e.provider`;

const wouldChange = (sql: Sql): Fragment => sql`
  coalesce(
    app.report_applies(
      case when i.id is not null then 'invoices' else 'payouts' end,
      coalesce(i.status, p.status), coalesce(i.state_at, p.state_at),
      e.body #>> '{state,status}', (e.body #>> '{state,at}')::timestamptz),
    false)`;
