// SQL of the table `provider_events`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { applyInvoiceReport } from '../invoices/queries.ts';
import { applyPayoutReport } from '../payouts/queries.ts';
import type { Notification } from './notification.ts';

/** A notification as JSON has it. */
type NotificationJson = Omit<Notification, 'state'> & {
  state: Omit<Notification['state'], 'at'> & { at: string };
};

/** Keeps a notification; gives a row unless it was kept before. */
export function insertNotification(
  sql: Sql,
  provider: string,
  notification: Notification,
): Statement<{ event_id: string }> {
  return sql`
    insert into public.provider_events (provider, event_id, body)
    values (${provider}, ${notification.eventId}, ${JSON.stringify(notification)}::jsonb)
    on conflict (provider, event_id) do nothing
    returning event_id`;
}

export function selectNotification(
  sql: Sql,
  provider: string,
  eventId: string,
): Statement<{ body: NotificationJson; applied_at: Date | null }> {
  return sql`
    select body, applied_at from public.provider_events where provider = ${provider} and event_id = ${eventId}`;
}

const tableOf = (sql: Sql, { resource }: Notification): Fragment =>
  resource === 'invoice' ? sql`public.invoices` : sql`public.payouts`;

/**
 * Keeps the resource as it is until the end of the transaction, so that the statements that follow see the same of it:
 * without this, one that is opened between them is passed over by the change and taken for changed by the mark.
 */
export const lockResource = (sql: Sql, notification: Notification): Fragment => sql`
  select from ${tableOf(sql, notification)} where id = ${notification.reference} for update`;

/** The change of state, where the notification was not applied before and changes something. */
export function applyReport(sql: Sql, provider: string, notification: Notification): Fragment {
  const unapplied = sql`
    exists (select from public.provider_events e
            where e.provider = ${provider} and e.event_id = ${notification.eventId} and e.applied_at is null)`;
  return notification.resource === 'invoice'
    ? applyInvoiceReport(sql, provider, notification, unapplied)
    : applyPayoutReport(sql, provider, notification, unapplied);
}

/**
 * Notes that a notification was applied; gives a row when its resource exists and it was not applied before. One that the
 * resource's state does not tell of is looked at once more, by the sweep.
 */
export function markApplied(
  sql: Sql,
  provider: string,
  notification: Notification,
): Statement<{ event_id: string }> {
  const { eventId, reference, state } = notification;
  return sql`
    update public.provider_events e
    set applied_at = now(), checked_at = case when r.status = ${state.status} then now() end, tenant_id = r.tenant_id
    from ${tableOf(sql, notification)} r
    where e.provider = ${provider} and e.event_id = ${eventId} and e.applied_at is null
      and r.id = ${reference} and r.status <> 'creating'
    returning e.event_id`;
}

/** A job for what could not be applied yet, soon: whatever opens the resource after that schedules another. */
export function scheduleAnotherTry(sql: Sql, provider: string, { eventId }: Notification): Fragment {
  const payload = JSON.stringify({ provider, event_id: eventId });
  return sql`
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    select null, 'apply-notification', ${`${provider}:${eventId}`}, ${payload}::jsonb, now() + interval '2 seconds'
    from public.provider_events e
    where e.provider = ${provider} and e.event_id = ${eventId} and e.applied_at is null
    on conflict (name, key) do nothing`;
}

/** Most notifications that one sweep looks at. */
const SWEPT = 500;

/**
 * Those that were marked without effect, once each: one that would change its resource after all was never applied, and is
 * taken as not applied again.
 */
export const recheckNotifications = (sql: Sql): Fragment => sql`
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
export const scheduleMissed = (sql: Sql): Fragment => sql`
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
