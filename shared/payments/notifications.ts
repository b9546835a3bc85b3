// What providers tell us later: each notification is kept once, and applied by the life of its resource. One that is
// older than what is known, or that no longer fits, changes nothing. SQL of the table `provider_events`.
import type { Sql, Statement } from '../platform/db/database.ts';
import type { JobDependencies } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';
import type { Notification } from './providers/provider.ts';

const session = { role: 'worker', tenantId: null } as const;

export type Applied = 'applied' | 'known' | 'too_early';

/** Keeps a notification and applies it. `too_early` means that its resource is not ours yet: it stays due and is tried again. */
export async function receiveNotification(
  provider: string,
  notification: Notification,
  dependencies: JobDependencies,
): Promise<Applied> {
  const [kept, , applied] = await transactionWithJobs(dependencies, session, (sql) => [
    keepNotification(sql, provider, notification),
    ...applyStatements(sql, provider, notification),
    orderRetry(sql, provider, notification),
  ]);
  if (applied?.length) return 'applied';
  return kept?.length ? 'too_early' : 'known';
}

/** Applies a notification that was kept before its resource was there. */
export async function applyKept(
  provider: string,
  eventId: string,
  dependencies: JobDependencies,
): Promise<Applied> {
  const [rows] = await dependencies.database.transaction(session, (sql) => [
    sql`select body, applied_at from public.provider_events where provider = ${provider} and event_id = ${eventId}`,
  ]);
  const [row] = rows ?? [];
  if (!row || row.applied_at) return 'known';
  const notification = revive(row.body);
  const [, applied] = await transactionWithJobs(dependencies, session, (sql) =>
    applyStatements(sql, provider, notification),
  );
  return applied?.length ? 'applied' : 'too_early';
}

function revive(body: Notification): Notification {
  return { ...body, state: { ...body.state, at: new Date(body.state.at) } };
}

function keepNotification(sql: Sql, provider: string, notification: Notification): Statement {
  return sql`
    insert into public.provider_events (provider, event_id, body)
    values (${provider}, ${notification.eventId}, ${JSON.stringify(notification)}::jsonb)
    on conflict (provider, event_id) do nothing
    returning event_id`;
}

/**
 * The change of state, then the mark that it was applied; the mark gives a row when the resource exists. A status that
 * does not follow from the present one, or a report older than the last, leaves the resource as it is.
 */
function applyStatements(
  sql: Sql,
  provider: string,
  { eventId, resource, reference, state }: Notification,
): Statement[] {
  const { status, at, feeMinor, availableOn, reason } = state;
  const unapplied = sql`
    exists (select from public.provider_events e where e.provider = ${provider} and e.event_id = ${eventId} and e.applied_at is null)`;
  const change =
    resource === 'invoice'
      ? sql`
        update public.invoices
        set status = ${status}, state_at = ${at.toISOString()}, fee = coalesce(${feeMinor ?? null}::bigint, fee),
            available_on = coalesce(${availableOn ?? null}::date, available_on)
        where id = ${reference} and provider = ${provider} and ${unapplied}
          and (status, ${status}::text) in (('open', 'paid'), ('open', 'failed'), ('open', 'canceled'), ('failed', 'paid'))
          and (state_at is null or state_at <= ${at.toISOString()}::timestamptz or ${status} = 'paid')`
      : sql`
        update public.payouts
        set status = ${status}, state_at = ${at.toISOString()}, fee = coalesce(${feeMinor ?? null}::bigint, fee),
            available_on = coalesce(${availableOn ?? null}::date, available_on),
            failure_reason = coalesce(${reason ?? null}, failure_reason)
        where id = ${reference} and provider = ${provider} and ${unapplied}
          and (status, ${status}::text) in (
            ('created', 'incoming_payment_waiting'), ('created', 'processing'), ('created', 'paid'), ('created', 'failed'), ('created', 'canceled'),
            ('incoming_payment_waiting', 'processing'), ('incoming_payment_waiting', 'paid'), ('incoming_payment_waiting', 'failed'), ('incoming_payment_waiting', 'canceled'),
            ('processing', 'paid'), ('processing', 'failed'), ('paid', 'failed'))
          and (state_at is null or state_at <= ${at.toISOString()}::timestamptz)`;
  const table = resource === 'invoice' ? sql`public.invoices` : sql`public.payouts`;
  const mark = sql`
    update public.provider_events e set applied_at = now(), tenant_id = r.tenant_id
    from ${table} r
    where e.provider = ${provider} and e.event_id = ${eventId} and e.applied_at is null
      and r.id = ${reference} and r.status <> 'creating'
    returning e.event_id`;
  return [change, mark];
}

/** A job for what could not be applied yet, soon: whatever opens the resource after that orders another. */
function orderRetry(sql: Sql, provider: string, { eventId }: Notification): Statement {
  const payload = JSON.stringify({ provider, event_id: eventId });
  return sql`
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    select null, 'apply-notification', ${`${provider}:${eventId}`}, ${payload}::jsonb, now() + interval '2 seconds'
    from public.provider_events e
    where e.provider = ${provider} and e.event_id = ${eventId} and e.applied_at is null
    on conflict (name, key) do nothing`;
}
