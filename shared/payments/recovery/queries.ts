// SQL for orders that were begun and not answered: their jobs, and the key of their request.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { SnapshotKind } from '../snapshot.ts';

/** Tables whose rows are ordered from a provider. */
export const orderTables = ['invoices', 'payouts'] as const;
export type OrderTable = (typeof orderTables)[number];

/**
 * A look-up for each row that is `creating`, due when it has been so for so long and nobody works on it: one for every attempt, since
 * each may have reached the provider. It is scheduled before it is due, so that it does not wait for the sweep after that.
 */
export function scheduleRecoveriesOf(sql: Sql, table: OrderTable, afterSeconds: number): Fragment {
  return sql`
    insert into public.jobs as j (tenant_id, name, key, payload, due_at)
    select tenant_id, 'recover-order', key, jsonb_build_object('table', ${table}::text, 'id', id), due_at
    from (
      select t.tenant_id, t.id, t.created, concat_ws(':', t.id, k.claimed_by) as key,
             greatest(now(), t.created + make_interval(secs => ${afterSeconds}), k.locked_until) as due_at
      from ${sql(`public.${table}`)} t
      left join public.idempotency_keys k
        on k.tenant_id = t.tenant_id and k.resource_id = t.id and k.response_status is null
      where t.status = 'creating'
    ) as unfinished
    where not exists (
      select from public.jobs j where j.name = 'recover-order' and j.key = unfinished.key and j.due_at <= unfinished.due_at)
    order by created
    limit 100
    -- The request that held the order gave it back before its time.
    on conflict (name, key) do update set due_at = excluded.due_at
    where j.due_at > excluded.due_at and j.finished_at is null and j.failed_at is null and j.locked_until is null`;
}

/** Takes the key over from any attempt that still runs: that one can no longer complete it. */
export function takeKeyOver(sql: Sql, tenantId: string, resourceId: string): Fragment {
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
