// Orders whose outcome is unknown: what was begun but not answered is looked up at its provider, and completed when the
// provider has it. Nothing is sent again here; that is for the retry with the same key.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import {
  insertWaitingTaxDocument,
  openInvoice,
  selectInvoice,
  selectInvoiceIn,
} from '../invoices/queries.ts';
import { receiveFound } from '../notifications/receive.ts';
import { firstStatusOf, payoutOrderOf } from '../payouts/provider-order.ts';
import { openPayout, selectPayout, selectPayoutIn } from '../payouts/queries.ts';
import type { Providers } from '../providers/routing.ts';
import { type OrderTable, orderTables, scheduleRecoveriesOf, storeCreation, takeKeyOver } from './queries.ts';

const AFTER_SECONDS = 60;

/** What was begun and never answered. */
export interface UnfinishedOrder {
  tenantId: string;
  id: string;
}

type Recover = (order: UnfinishedOrder, providers: Providers, dependencies: JobDependencies) => Promise<void>;

/** Schedules a look-up for all that nobody works on any more. For the sweep. */
export const scheduleRecoveries = (sql: Sql): Fragment[] =>
  orderTables.map((table) => scheduleRecoveriesOf(sql, table, AFTER_SECONDS));

/** Completes an order that its provider has. One that the provider never saw stays as it is. */
export const recoverOrder: Readonly<Record<OrderTable, Recover>> = {
  invoices: recoverInvoice,
  payouts: recoverPayout,
};

async function recoverInvoice(
  { tenantId, id }: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<void> {
  const session = { role: 'worker', tenantId } as const;
  const [[found]] = await dependencies.database.transaction(session, (sql) => [
    selectInvoiceIn(sql, tenantId, id, 'creating'),
  ]);
  if (!found) return;
  const charge = await providers.named(found.row.provider).findCharge(chargeOrderOf(found.row));
  if (!charge) return;
  await transactionWithJobs(dependencies, session, (sql) => [
    takeKeyOver(sql, tenantId, id),
    ...openInvoice(sql, tenantId, id, charge),
    insertWaitingTaxDocument(sql, tenantId, id),
    storeCreation(sql, tenantId, id, 'invoice', selectInvoice(sql, tenantId, id)),
  ]);
  // It may have been paid meanwhile.
  if (charge.state.status !== 'open') {
    await receiveFound(found.row.provider, 'invoice', id, charge, dependencies);
  }
}

async function recoverPayout(
  { tenantId, id }: UnfinishedOrder,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<void> {
  const session = { role: 'worker', tenantId } as const;
  const [[found]] = await dependencies.database.transaction(session, (sql) => [
    selectPayoutIn(sql, tenantId, id, ['creating']),
  ]);
  if (!found) return;
  const status = firstStatusOf(payoutOrderOf(found.row));
  const accepted = await providers.named(found.row.provider).findPayout(id);
  if (!accepted) return;
  await transactionWithJobs(dependencies, session, (sql) => [
    takeKeyOver(sql, tenantId, id),
    ...openPayout(sql, tenantId, id, status, accepted),
    storeCreation(sql, tenantId, id, 'payout', selectPayout(sql, tenantId, id)),
  ]);
  if (accepted.state.status !== status) {
    await receiveFound(found.row.provider, 'payout', id, accepted, dependencies);
  }
}
