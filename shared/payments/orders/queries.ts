// SQL for orders that were begun and not answered: their jobs, and the key of their request.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { SnapshotKind } from '../idempotency/queries.ts';
import type { ListedOrder, PayoutReport } from '../providers/provider.ts';

/** Tables whose rows are ordered from a provider. */
export const orderTables = ['invoices', 'payouts'] as const;
export type OrderTable = (typeof orderTables)[number];

const AFTER_SECONDS = 30;

/**
 * A look-up for each row that is `creating`, for the time when it has been so for that long and nobody holds its key: one for every
 * attempt, since each may have reached the provider. It is there before it is due, so that it does not wait for a later sweep. One
 * that never ran comes sooner where its request gave the key back early; one that ran has a time of its own.
 */
function scheduleRecoveriesOf(sql: Sql, table: OrderTable): Fragment {
  return sql`
    insert into public.jobs as j (tenant_id, name, key, payload, due_at)
    select tenant_id, 'recover-order', key, jsonb_build_object('table', ${table}::text, 'id', id), due_at
    from (
      select t.tenant_id, t.id, t.created, concat_ws(':', t.id, k.claimed_by) as key,
             greatest(now(), t.created + make_interval(secs => ${AFTER_SECONDS}), k.locked_until) as due_at
      from ${sql(`public.${table}`)} t
      left join public.idempotency_keys k
        on k.tenant_id = t.tenant_id and k.resource_id = t.id and k.response_status is null
      where t.status = 'creating'
    ) as unfinished
    where not exists (
      select from public.jobs j
      where j.name = 'recover-order' and j.key = unfinished.key and (j.attempts > 0 or j.due_at <= unfinished.due_at))
    order by created
    limit 100
    on conflict (name, key) do update set due_at = excluded.due_at
    where j.attempts = 0 and j.due_at > excluded.due_at`;
}

/** Schedules a look-up for all that is under way, mostly before it is due. For the sweep. */
export const scheduleRecoveries = (sql: Sql): Fragment[] =>
  orderTables.map((table) => scheduleRecoveriesOf(sql, table));

/** Until when a request holds the key of this resource, where one does. */
export const selectKeyHeld = (
  sql: Sql,
  tenantId: string,
  resourceId: string,
): Statement<{ until: Date }> => sql`
  select locked_until as until from public.idempotency_keys
  where tenant_id = ${tenantId} and resource_id = ${resourceId} and response_status is null and locked_until > now()`;

/** Takes the key over from any attempt that still runs: that one can no longer complete it. */
export function takeOverKey(sql: Sql, tenantId: string, resourceId: string): Fragment {
  return sql`
    update public.idempotency_keys set claimed_by = gen_random_uuid()
    where tenant_id = ${tenantId} and resource_id = ${resourceId} and response_status is null`;
}

/** Stores the answer to the request that began this resource. */
export function storeCreation<R extends object>(
  sql: Sql,
  tenantId: string,
  resourceId: string,
  kind: SnapshotKind,
  snapshot: Statement<{ snapshot: R }>,
): Fragment {
  return sql`
    update public.idempotency_keys k
    set response_status = 201, snapshot = made.snapshot, snapshot_kind = ${kind}
    from (${snapshot}) as made
    where k.tenant_id = ${tenantId} and k.resource_id = ${resourceId} and k.response_status is null`;
}

/** What a look at an order at its provider came to (`app.apply_order_report`); `not_there`: the provider does not have it. */
export type LookupResult =
  | 'applied'
  | 'known'
  | 'older'
  | 'other'
  | 'in_part'
  | 'too_early'
  | 'unknown'
  | 'not_there';

/** Applies what a provider reports; `lookedAt` is a time by the database's clock before the provider was asked. */
export const applyOrderReport = (
  sql: Sql,
  table: OrderTable,
  id: string | Fragment,
  accountId: string | null,
  lookedAt: Date,
  report: PayoutReport & Pick<ListedOrder, 'inPart'>,
): Statement<{ outcome: LookupResult }> => sql`
  select app.apply_order_report(${table}, ${id}, ${accountId}, ${lookedAt.toISOString()}, ${JSON.stringify(report)}::jsonb) as outcome`;

/** Fails (`statusChanged`) unless the resource is in one of these states, and keeps it so until the end. */
export const expectStatus = (
  sql: Sql,
  table: OrderTable | 'tax_documents',
  id: string,
  states: readonly string[],
): Fragment => sql`select app.expect_status(${table}, ${id}, ${states})`;

/**
 * Fails (`statusChanged`) unless the resource is in one of these states, and keeps it so until the end. A `canceled` one passes when no
 * other request has canceled it: its provider reported our own cancellation before we stored it.
 */
export const expectCancelable = (
  sql: Sql,
  kind: 'invoice' | 'payout' | 'tax_document',
  { tenantId, id }: { tenantId: string; id: string },
  states: readonly string[],
): Fragment[] => [
  expectStatus(sql, `${kind}s`, id, [...states, 'canceled']),
  // A statement of its own, so that it sees what was committed while the one above waited for the row.
  sql`
    select app.expect_status(${`${kind}s`}, ${id}, ${states}) from ${sql(`public.${kind}s`)} r
    where r.tenant_id = ${tenantId} and r.id = ${id} and r.status = 'canceled' and exists (
      select from public.idempotency_keys k
      where k.tenant_id = r.tenant_id and k.snapshot_kind = ${kind}
        and k.snapshot ->> 'id' = r.id and k.snapshot ->> 'status' = 'canceled')`,
];
