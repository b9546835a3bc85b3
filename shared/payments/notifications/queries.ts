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
