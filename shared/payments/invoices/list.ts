// The list of invoices.
import type { Context } from '../../platform/context.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { controlFilters } from '../list-filters.ts';
import { paymentMethods } from './methods.ts';
import { type InvoiceSnapshotRow, invoiceListSource } from './queries.ts';
import type { InvoiceSnapshot } from './serialize.ts';
import { invoiceStatuses } from './states.ts';

export const invoiceFilters: Filters = {
  ...controlFilters,
  status: oneOf('status', invoiceStatuses),
  'payment_method.type': oneOf('payment_method_type', paymentMethods),
};

export async function listInvoices(
  { read, tenantId }: Context,
  query: KeysetQuery,
): Promise<KeysetPage<InvoiceSnapshot>> {
  const rows = await read(
    (sql) => sql<InvoiceSnapshotRow>`${invoiceListSource(sql)} ${keysetClauses(sql, tenantId, query)}`,
  );
  return toKeysetPage(
    rows.map(({ snapshot }) => snapshot),
    query,
  );
}
