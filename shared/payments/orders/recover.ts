// Orders whose outcome is unknown: what was begun but not answered is looked up at its provider, and completed when the
// provider has it. What it does not have is for the retry with the same key to send again; but a payout that the provider would
// take for another one is sent again by `payouts/order.ts`, once it was looked for twice.
import { oneRow } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { PayoutReport, Providers } from '../providers/provider.ts';
import type { OrderResource, OrderRow } from './look-up.ts';
import { applyOrderReport, selectKeyHeld, storeCreation, takeOverKey } from './queries.ts';

/** What was begun and never answered. */
export interface UnfinishedOrder {
  tenantId: string;
  id: string;
  /** Whether the look waits for a request that holds the order: once, since one retry after the other may hold it. */
  waitsForRequest: boolean;
}

/** Completes an order that its provider has. One that the provider never saw stays as it is. */
export async function recoverOrder<R extends OrderRow, A extends PayoutReport>(
  kind: OrderResource<R, A>,
  { tenantId, id, waitsForRequest }: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const session = { role: 'worker', tenantId } as const;
  const {
    orders: [found],
    keys: [held],
    clock,
  } = await dependencies.database.transaction(session, (sql) => ({
    orders: kind.selectUnfinished(sql, tenantId, id),
    keys: selectKeyHeld(sql, tenantId, id),
    clock: selectNow(sql),
  }));
  if (!found) return 'done';
  // What is being sent this moment is not there yet, which says nothing of where it will be.
  if (held && waitsForRequest) return { againAt: held.until };
  const { now } = oneRow(clock);
  const accepted = await kind.find({ ...found, now }, providers, dependencies);
  if (accepted === 'done' || !('state' in accepted)) return accepted;
  await transactionWithJobs(dependencies, session, (sql) => ({
    key: takeOverKey(sql, tenantId, id),
    opened: kind.open(sql, found.row, accepted),
    creation: storeCreation(sql, tenantId, id, kind.resource, kind.snapshot(sql, tenantId, id)),
    // It may have moved on meanwhile.
    report: applyOrderReport(sql, kind.table, id, found.row.provider_account_id, now, accepted),
  }));
  return 'done';
}
