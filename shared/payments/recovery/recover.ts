// Orders whose outcome is unknown: what was begun but not answered is looked up at its provider, and completed when the
// provider has it. What it does not have is for the retry with the same key to send again; but a payout that the provider would
// take for another one is sent again here, once it was looked for twice.
import { oneRow } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import {
  insertWaitingTaxDocument,
  openInvoice,
  selectInvoice,
  selectInvoiceIn,
} from '../invoices/queries.ts';
import {
  applyOrderReport,
  type OrderTable,
  selectKeyHeld,
  storeCreation,
  takeKeyOver,
} from '../orders/queries.ts';
import { lookForPayout } from '../payouts/look-for.ts';
import { firstStatusOf, payoutOrderOf } from '../payouts/provider-order.ts';
import { claimResend, noteNotOrdered, openPayout, selectPayout, selectPayoutIn } from '../payouts/queries.ts';
import type { PayoutRow } from '../payouts/serialize.ts';
import type { Providers } from '../provider-registry/providers.ts';
import { isNothingDone } from '../providers/ask-provider.ts';
import type { PayoutReport } from '../providers/provider.ts';
import { askProviderInJob, type LookedAt } from './look-up.ts';

/** Between two looks for a payout before it is sent again. */
export const BETWEEN_LOOKS_SECONDS = 30;

/** What was begun and never answered. */
export interface UnfinishedOrder {
  tenantId: string;
  id: string;
  /** Whether the look waits for a request that holds the order: once, since one retry after the other may hold it. */
  waitsForRequest: boolean;
}

type Recover = (
  order: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
) => Promise<JobResult>;

/** Completes an order that its provider has. One that the provider never saw stays as it is. */
export const recoverOrder: Readonly<Record<OrderTable, Recover>> = {
  invoices: recoverInvoice,
  payouts: recoverPayout,
};

async function recoverInvoice(
  { tenantId, id, waitsForRequest }: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const session = { role: 'worker', tenantId } as const;
  const {
    invoices: [found],
    keys: [held],
    clock,
  } = await dependencies.database.transaction(session, (sql) => ({
    invoices: selectInvoiceIn(sql, tenantId, id, 'creating'),
    keys: selectKeyHeld(sql, tenantId, id),
    clock: selectNow(sql),
  }));
  if (!found) return 'done';
  if (held && waitsForRequest) return { againAt: held.until };
  const order = chargeOrderOf(found.row);
  const charge = await askProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
    provider.findCharge(order, signal),
  );
  if (!charge) return 'done';
  await transactionWithJobs(dependencies, session, (sql) => ({
    key: takeKeyOver(sql, tenantId, id),
    invoice: openInvoice(sql, tenantId, id, charge),
    document: insertWaitingTaxDocument(sql, id),
    creation: storeCreation(sql, tenantId, id, 'invoice', selectInvoice(sql, tenantId, id)),
    // It may have been paid meanwhile.
    report: applyOrderReport(sql, 'invoices', id, found.row.provider_account_id, oneRow(clock).now, charge),
  }));
  return 'done';
}

async function recoverPayout(
  { tenantId, id, waitsForRequest }: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const session = { role: 'worker', tenantId } as const;
  const {
    payouts: [found],
    keys: [held],
    clock,
  } = await dependencies.database.transaction(session, (sql) => ({
    payouts: selectPayoutIn(sql, tenantId, id, ['creating']),
    keys: selectKeyHeld(sql, tenantId, id),
    clock: selectNow(sql),
  }));
  if (!found) return 'done';
  // What is being sent this moment is not there yet, which says nothing of where it will be.
  if (held && waitsForRequest) return { againAt: held.until };
  const sent = await askForPayout({ ...found, now: oneRow(clock).now }, providers, dependencies);
  if (typeof sent === 'string' || 'againInSeconds' in sent) return sent;
  const status = firstStatusOf(payoutOrderOf(found.row));
  await transactionWithJobs(dependencies, session, (sql) => ({
    key: takeKeyOver(sql, tenantId, id),
    payout: openPayout(sql, tenantId, id, status, sent),
    creation: storeCreation(sql, tenantId, id, 'payout', selectPayout(sql, tenantId, id)),
    report: applyOrderReport(sql, 'payouts', id, found.row.provider_account_id, oneRow(clock).now, sent),
  }));
  return 'done';
}

/**
 * A payout as its provider has it: found there, or sent again where that is safe. Else what becomes of the job: it is done where a
 * retry of the request may send it, and runs again while nobody knows.
 */
export async function askForPayout(
  found: LookedAt<PayoutRow>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<PayoutReport | 'done' | { againInSeconds: number }> {
  const { row } = found;
  const { tenant_id: tenantId, id } = row;
  const session = { role: 'worker', tenantId } as const;
  const order = payoutOrderOf(row);
  return await askProviderInJob(row, found, providers, dependencies, async (provider, signal) => {
    const there = await lookForPayout(provider, order, signal);
    if (there) return there;
    if (row.ordered_at === null || provider.resendsPayouts === 'at_once') return 'done';
    const [claimed] = await dependencies.database.transaction(session, (sql) =>
      claimResend(sql, tenantId, id, { lookedAt: found.now, betweenLooksSeconds: BETWEEN_LOOKS_SECONDS }),
    );
    if (!claimed?.resend) return { againInSeconds: BETWEEN_LOOKS_SECONDS };
    try {
      return await provider.createPayout(order, signal);
    } catch (error) {
      if (!isNothingDone(error)) return { againInSeconds: BETWEEN_LOOKS_SECONDS };
      await dependencies.database.transaction(session, (sql) => noteNotOrdered(sql, row, claimed.ordered_at));
      throw error;
    }
  });
}
