// SQL for orders that were begun and not answered: their jobs, and the key of their request.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { SnapshotKind } from '../snapshot.ts';

/** Tables whose rows are ordered from a provider. */
export const orderTables = ['invoices', 'payouts'] as const;
export type OrderTable = (typeof orderTables)[number];

/**
 * A look-up for each row that has been `creating` for so long while nobody works on it: one for every attempt, since each may
 * have reached the provider.
 */
export function scheduleRecoveriesOf(sql: Sql, table: OrderTable, afterSeconds: number): Fragment {
  return sql`
    insert into public.jobs (tenant_id, name, key, payload)
    select tenant_id, 'recover-order', key, jsonb_build_object('table', ${table}::text, 'id', id)
    from (
      select t.tenant_id, t.id, t.created, concat_ws(':', t.id, k.claimed_by) as key
      from ${sql(`public.${table}`)} t
      left join public.idempotency_keys k
        on k.tenant_id = t.tenant_id and k.resource_id = t.id and k.response_status is null
      where t.status = 'creating' and t.created < now() - make_interval(secs => ${afterSeconds})
        and coalesce(k.locked_until < now(), true)
    ) as unfinished
    where not exists (select from public.jobs j where j.name = 'recover-order' and j.key = unfinished.key)
    order by created
    limit 100
    on conflict (name, key) do nothing`;
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
