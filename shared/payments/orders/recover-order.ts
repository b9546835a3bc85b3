// The job that recovers an order whose outcome is unknown: looks it up at the provider and completes it if the provider has it. If it
// does not, a retry with the same idempotency key sends the order again; payouts that the provider would not deduplicate are sent again by
// this job, after two lookups (`payouts/order.ts`). The job is scheduled by `app.recover_order_soon` and by the sweep (`orders/queries.ts`).
import { z } from 'zod';
import {
  type ClaimedJob,
  defineJob,
  type JobDependencies,
  type JobHandler,
  type JobResult,
  tenantOf,
} from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { Providers } from '../providers/provider.ts';
import { type AnyOrderResource, retryWhenAvailable } from './look-up.ts';
import {
  applyOrderReport,
  orderTables,
  selectKeyLease,
  selectOrderIn,
  storeCreation,
  takeOverKey,
} from './queries.ts';

export const createRecoverOrderJob = (
  providers: Providers,
  { charge, payout }: Readonly<Record<'charge' | 'payout', AnyOrderResource>>,
): JobHandler =>
  defineJob({
    name: 'recover-order',
    payload: z.object({ table: z.enum(orderTables), id: z.string() }),
    leaseSeconds: 60,
    run: ({ table, id }, job, dependencies) =>
      recoverOrder(table === 'invoices' ? charge : payout, id, job, providers, dependencies).catch((error) =>
        retryWhenAvailable(error, job, dependencies.log),
      ),
  });

/** Completes an order that its provider has. Does not change an order that the provider never received. */
async function recoverOrder(
  kind: AnyOrderResource,
  id: string,
  job: ClaimedJob,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const tenantId = tenantOf(job);
  const session = { role: 'worker', tenantId } as const;
  const {
    orders: [found],
    keys: [held],
  } = await dependencies.database.transaction(session, (sql) => ({
    orders: selectOrderIn(sql, kind, tenantId, id, ['creating']),
    keys: selectKeyLease(sql, tenantId, id),
  }));
  if (!found) return 'done';
  // The request may be sending the order right now, so not finding it at the provider would prove nothing. Only the first run waits,
  // because a series of retries may hold the key indefinitely.
  if (held && job.attempts === 1) return { againAt: held.until };
  // `find` of the adapter's charges, or `findOrResend` of payouts.
  const accepted = await kind.find(found, providers, dependencies);
  if (accepted === 'done' || !('state' in accepted)) return accepted;
  await transactionWithJobs(dependencies, session, (sql) => ({
    key: takeOverKey(sql, tenantId, id),
    opened: kind.open(sql, found.row, accepted),
    creation: storeCreation(sql, tenantId, id, kind.resource, kind.snapshot(sql, tenantId, id)),
    // The order's state may have changed since it was accepted.
    report: applyOrderReport(sql, kind.table, found.row, found.now, accepted),
  }));
  return 'done';
}
