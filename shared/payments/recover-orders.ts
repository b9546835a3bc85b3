// Orders whose outcome is unknown: what was begun but not answered is looked up at its provider, and completed when the
// provider has it. Nothing is sent again here; that is for the retry with the same key.
import type { Sql, Statement } from '../platform/db/database.ts';
import type { JobDependencies } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';
import { orderOf } from './invoices/provider-order.ts';
import { attachTaxDocument, type InvoiceRow, invoiceSnapshot, openInvoice } from './invoices/queries.ts';
import { firstStatus, payoutOrderOf } from './payouts/provider-order.ts';
import { openPayout, type PayoutRow, payoutSnapshot } from './payouts/queries.ts';
import type { Providers } from './providers/routing.ts';

const AFTER_SECONDS = 60;

/**
 * Orders a look-up for each invoice and payout that has been `creating` for a minute while nobody works on it: one for
 * every attempt, since each may have reached the provider. For the sweep.
 */
export function orderRecoveries(sql: Sql): Statement[] {
  return (['invoices', 'payouts'] as const).map(
    (table) => sql`
      insert into public.jobs (tenant_id, name, key, payload)
      select tenant_id, 'recover-order', key, jsonb_build_object('table', ${table}::text, 'id', id)
      from (
        select t.tenant_id, t.id, t.created, concat_ws(':', t.id, k.claimed_by) as key
        from ${sql(`public.${table}`)} t
        left join public.idempotency_keys k
          on k.tenant_id = t.tenant_id and k.resource_id = t.id and k.response_status is null
        where t.status = 'creating' and t.created < now() - make_interval(secs => ${AFTER_SECONDS})
          and coalesce(k.locked_until < now(), true)
      ) as unfinished
      where not exists (select from public.jobs j where j.name = 'recover-order' and j.key = unfinished.key)
      order by created
      limit 100
      on conflict (name, key) do nothing`,
  );
}

/** Completes an order that its provider has. One that the provider never saw stays as it is. */
export async function recoverOrder(
  { table, id, tenantId }: { table: 'invoices' | 'payouts'; id: string; tenantId: string },
  providers: Providers,
  dependencies: JobDependencies,
): Promise<void> {
  const session = { role: 'worker', tenantId } as const;
  const [rows] = await dependencies.database.transaction(session, (sql) => [
    sql`select to_jsonb(t) as row from ${sql(`public.${table}`)} t where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`,
  ]);
  const [found] = rows ?? [];
  if (!found) return;
  if (table === 'invoices') {
    const row = found.row as InvoiceRow;
    const charge = await providers.named(row.provider).findCharge(orderOf(row));
    if (!charge) return;
    await transactionWithJobs(dependencies, session, (sql) => [
      holdKeyOf(sql, tenantId, id),
      openInvoice(sql, tenantId, id, charge),
      attachTaxDocument(sql, tenantId, id),
      answerKeyOf(sql, tenantId, id, 'invoice', invoiceSnapshot(sql, tenantId, id)),
    ]);
  } else {
    const row = found.row as PayoutRow;
    const order = payoutOrderOf(row);
    const accepted = await providers.named(row.provider).findPayout(id);
    if (!accepted) return;
    await transactionWithJobs(dependencies, session, (sql) => [
      holdKeyOf(sql, tenantId, id),
      openPayout(sql, tenantId, id, firstStatus(order), accepted),
      answerKeyOf(sql, tenantId, id, 'payout', payoutSnapshot(sql, tenantId, id)),
    ]);
  }
}

/** Takes the key over from any attempt that still runs: that one can no longer finish. */
function holdKeyOf(sql: Sql, tenantId: string, resourceId: string): Statement {
  return sql`
    update public.idempotency_keys set claimed_by = gen_random_uuid()
    where tenant_id = ${tenantId} and resource_id = ${resourceId} and response_status is null`;
}

function answerKeyOf(
  sql: Sql,
  tenantId: string,
  resourceId: string,
  kind: string,
  snapshot: Statement,
): Statement {
  return sql`
    update public.idempotency_keys k
    set response_status = 201, snapshot = made.snapshot, snapshot_kind = ${kind}
    from (${snapshot}) as made
    where k.tenant_id = ${tenantId} and k.resource_id = ${resourceId} and k.response_status is null`;
}
