// Reads of refunds. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { selectInvoice } from '../invoices/queries.ts';
import { notFound } from '../requests/errors.ts';
import { type RefundSnapshot, type RefundSnapshotRow, refundListSource, selectRefund } from './queries.ts';
import { refundStatuses } from './states.ts';

export { serializeRefund } from './serialize.ts';

/** Throws `not_found`, also for a refund of another invoice. */
export async function getRefund(
  { read, tenantId }: Context,
  { invoiceId, id }: { invoiceId: string; id: string },
): Promise<RefundSnapshot> {
  const [row] = await read((sql) => selectRefund(sql, tenantId, id));
  if (row?.snapshot.invoice_id !== invoiceId) throw notFound('refund');
  return row.snapshot;
}

export const refundFilters: Filters = { status: oneOf('status', refundStatuses) };

/** Throws `not_found` if the invoice does not exist. */
export async function listRefunds(
  { read, tenantId }: Context,
  invoiceId: string,
  query: KeysetQuery,
): Promise<KeysetPage<RefundSnapshot>> {
  const { invoices, refunds } = await read((sql) => ({
    invoices: selectInvoice(sql, tenantId, invoiceId),
    refunds: sql<RefundSnapshotRow>`${refundListSource(sql, invoiceId)} ${keysetClauses(sql, tenantId, query)}`,
  }));
  if (invoices.length === 0) throw notFound('invoice');
  const snapshots = refunds.map(({ snapshot }) => snapshot);
  return toKeysetPage(snapshots, query);
}
