// Looks up invoices and payouts by our id or the provider's. Used by provider events, the reconciliation and jobs.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { invoiceOrders } from '../invoices/order.ts';
import { lookUpOrder, type OrderResource, type OrderRow } from '../orders/look-up.ts';
import type { LookupResult } from '../orders/queries.ts';
import { payoutOrders } from '../payouts/order.ts';
import type { Providers } from '../providers/provider.ts';
import type { OrderIds } from '../providers/routing.ts';

/** Looks up an order of an account, or of the sandbox (null), by our id or the provider's. */
export const lookUpOrderById = (
  kind: 'charge' | 'payout',
  accountId: string | null,
  ids: OrderIds,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> =>
  kind === 'charge'
    ? lookUpOrderOf(invoiceOrders, accountId, ids, providers, dependencies)
    : lookUpOrderOf(payoutOrders, accountId, ids, providers, dependencies);

async function lookUpOrderOf<R extends OrderRow>(
  kind: Pick<OrderResource<R, never>, 'table' | 'read' | 'selectAt'>,
  accountId: string | null,
  ids: OrderIds,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const [found] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    kind.selectAt(sql, accountId, ids),
  );
  if (!found) return 'unknown';
  return found.row.status === 'creating'
    ? 'too_early'
    : await lookUpOrder(kind, found, providers, dependencies);
}
