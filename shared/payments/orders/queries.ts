// SQL for orders whose outcome is unknown: their recovery jobs and idempotency keys.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { SnapshotKind } from '../idempotency/queries.ts';
import type { ListedOrder } from '../providers/accounts.ts';
import type { PayoutReport } from '../providers/payout-port.ts';
import { accountOf, type OrderIds } from '../providers/routing.ts';
import type { FoundOrder, OrderResource, OrderRow } from './look-up.ts';

/** Tables whose rows are sent to a provider as orders. */
export const orderTables = ['invoices', 'payouts'] as const;
export type OrderTable = (typeof orderTables)[number];

/** The table of a resource, and the type of its rows. */
type TableOf<R extends OrderRow> = Pick<OrderResource<R, never>, 'table' | 'read'>;

const foundOrder = (sql: Sql, table: OrderTable): Fragment => sql`
  select to_jsonb(o) as row, now() as now, ${accountOf(sql, sql`o`)} from ${sql(`public.${table}`)} o`;

/** The row of an order, if it is in one of these states. For jobs. */
export const selectOrderIn = <R extends OrderRow>(
  sql: Sql,
  { table }: TableOf<R>,
  tenantId: string,
  id: string,
  states: readonly R['status'][],
): Statement<FoundOrder<R>> => sql`
  ${foundOrder(sql, table)} where tenant_id = ${tenantId} and id = ${id} and status = any (${states})`;

/**
 * Finds an order of an account, in any state, by our id or the provider's, to apply a provider's report. In the sandbox (null), only our
 * id counts.
 */
export const selectOrderByIds = <R extends OrderRow>(
  sql: Sql,
  { table }: TableOf<R>,
  accountId: string | null,
  { reference, providerReference }: OrderIds,
): Statement<FoundOrder<R>> =>
  accountId === null
    ? sql`${foundOrder(sql, table)} where o.id = ${reference ?? null} and o.provider_account_id is null limit 1`
    : sql`
      ${foundOrder(sql, table)}
      where o.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
        and o.provider_account_id = ${accountId}
        and (o.id = ${reference ?? null} or o.provider_reference = ${providerReference ?? null})
      limit 1`;

const RECOVERY_DELAY_SECONDS = 30;

/**
 * Schedules a recovery job for each row in `creating`, due after `RECOVERY_DELAY_SECONDS` and once no request holds its key. Each
 * attempt gets its own job, since each may have reached the provider, unless an earlier job waits to look again. Jobs are created
 * before they are due, so that they do not wait for a later sweep. If the request released its key early, a job that has not run yet becomes due earlier.
 */
const scheduleRecoveriesOf = (sql: Sql, table: OrderTable): Fragment => sql`
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  select tenant_id, 'recover-order', key, jsonb_build_object('table', ${table}::text, 'id', id), due_at
  from (
    select t.tenant_id, t.id, t.created, concat_ws(':', t.id, k.claimed_by) as key,
           greatest(now(), t.created + make_interval(secs => ${RECOVERY_DELAY_SECONDS}), k.locked_until) as due_at
    from ${sql(`public.${table}`)} t
    left join public.idempotency_keys k
      on k.tenant_id = t.tenant_id and k.resource_id = t.id and k.response_status is null
    where t.status = 'creating'
  ) as unfinished
  where not exists (
    select from public.jobs j
    where j.name = 'recover-order' and j.key = unfinished.key and (j.attempts > 0 or j.due_at <= unfinished.due_at))
  and not exists (
    select from public.jobs w
    where w.tenant_id = unfinished.tenant_id and w.name = 'recover-order' and w.payload ->> 'id' = unfinished.id
      and w.finished_at is null and w.failed_at is null and w.attempts > 0 and coalesce(w.locked_until <= now(), true))
  order by created
  limit 100
  on conflict (name, key) do update set due_at = excluded.due_at
  where j.attempts = 0 and j.due_at > excluded.due_at`;

/** Schedules recovery jobs for all unfinished orders, usually before they are due. Run by the sweep. */
export const scheduleRecoveries = (sql: Sql): Fragment[] =>
  orderTables.map((table) => scheduleRecoveriesOf(sql, table));

/** When the lease on the resource's idempotency key expires. No row if no request holds it. */
export const selectKeyLease = (
  sql: Sql,
  tenantId: string,
  resourceId: string,
): Statement<{ until: Date }> => sql`
  select locked_until as until from public.idempotency_keys
  where tenant_id = ${tenantId} and resource_id = ${resourceId} and response_status is null and locked_until > now()`;

/** Takes over the key from a running attempt, which can then no longer complete the request. */
export const takeOverKey = (sql: Sql, tenantId: string, resourceId: string): Fragment => sql`
  update public.idempotency_keys set claimed_by = gen_random_uuid()
  where tenant_id = ${tenantId} and resource_id = ${resourceId} and response_status is null`;

/** Stores the response of the request that created this resource. */
export const storeCreation = <R extends object>(
  sql: Sql,
  tenantId: string,
  resourceId: string,
  kind: SnapshotKind,
  snapshot: Statement<{ snapshot: R }>,
): Fragment => sql`
  update public.idempotency_keys k
  set response_status = 201, snapshot = made.snapshot, snapshot_kind = ${kind}
  from (${snapshot}) as made
  where k.tenant_id = ${tenantId} and k.resource_id = ${resourceId} and k.response_status is null`;

/** The result of an order lookup (`app.apply_order_report`). `not_there`: the provider does not have the order. */
export type LookupResult =
  | 'applied'
  | 'known'
  | 'older'
  | 'other'
  | 'in_part'
  | 'too_early'
  | 'unknown'
  | 'not_there';

/** Applies a provider's report. `lookupStartedAt`: the database's time before the provider was queried. */
export const applyOrderReport = (
  sql: Sql,
  table: OrderTable,
  { id, provider_account_id: accountId }: { id: string | Fragment; provider_account_id: string | null },
  lookupStartedAt: Date,
  report: PayoutReport & Pick<ListedOrder, 'isPartial'>,
): Statement<{ outcome: LookupResult }> => sql`
  select app.apply_order_report(${table}, ${id}, ${accountId}, ${lookupStartedAt.toISOString()}, ${JSON.stringify(report)}::jsonb) as outcome`;

/** Minimum seconds between the two lookups that must both miss an order before a job sends it again. */
const MIN_LOOKUP_INTERVAL_SECONDS = 30;
/** The wait for the second lookup. With jitter, it is at least `MIN_LOOKUP_INTERVAL_SECONDS`. */
export const RETRY_FOR_SECOND_LOOKUP = { retryInSeconds: 40 };

/** The states in which a job may send an order again. */
const RESENDABLE = { payouts: ['creating', 'created'], refunds: ['creating'] } as const;

/**
 * Marks an order as sent again after two lookups, `MIN_LOOKUP_INTERVAL_SECONDS` apart, missed it; after the first miss it only records the
 * miss. `resend` is true for exactly one caller. `lookupStartedAt`: when the lookup started, because a lookup that started before the last
 * attempt proves nothing about that attempt.
 */
export const claimResend = (
  sql: Sql,
  table: keyof typeof RESENDABLE,
  { tenant_id: tenantId, id }: { tenant_id: string; id: string },
  lookupStartedAt: Date,
): Statement<{ resend: boolean; ordered_at: string | null }> => sql`
  update ${sql(`public.${table}`)} o
  set ordered_at = case when looked.twice then now() else o.ordered_at end,
      missed_at = case when looked.twice then null else coalesce(o.missed_at, now()) end
  from (
    select id,
           coalesce(missed_at <= ${lookupStartedAt.toISOString()}::timestamptz - make_interval(secs => ${MIN_LOOKUP_INTERVAL_SECONDS}), false) as twice
    from ${sql(`public.${table}`)}
    where tenant_id = ${tenantId} and id = ${id} and status = any (${RESENDABLE[table]})
      and ordered_at < ${lookupStartedAt.toISOString()}::timestamptz
    for update
  ) as looked
  where o.tenant_id = ${tenantId} and o.id = looked.id
  returning looked.twice as resend, o.ordered_at::text`;

/** Throws `statusChanged` unless the resource is in one of these states. Locks the row until the transaction ends. */
export const expectStatus = (
  sql: Sql,
  table: OrderTable | 'tax_documents',
  id: string,
  states: readonly string[],
): Fragment => sql`select app.expect_status(${table}, ${id}, ${states})`;

/**
 * Throws `statusChanged` unless the resource is in one of these states. Locks the row until the transaction ends. A `canceled`
 * resource passes if no other request canceled it: then the provider reported our own cancellation before we stored it.
 */
export const expectCancelable = (
  sql: Sql,
  kind: 'invoice' | 'payout' | 'tax_document',
  { tenantId, id }: { tenantId: string; id: string },
  states: readonly string[],
): Fragment[] => [
  expectStatus(sql, `${kind}s`, id, [...states, 'canceled']),
  // A separate statement, so that it sees rows committed while the statement above waited for the lock.
  sql`
    select app.expect_status(${`${kind}s`}, ${id}, ${states}) from ${sql(`public.${kind}s`)} r
    where r.tenant_id = ${tenantId} and r.id = ${id} and r.status = 'canceled' and exists (
      select from public.idempotency_keys k
      where k.tenant_id = r.tenant_id and k.snapshot_kind = ${kind}
        and k.snapshot ->> 'id' = r.id and k.snapshot ->> 'status' = 'canceled')`,
];
