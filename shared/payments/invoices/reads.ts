// Reads of invoices. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import type { KeysetPage, KeysetQuery } from '../../platform/lists/keyset-list.ts';
import { paymentMethods } from '../providers/charge-port.ts';
import { notFound } from '../requests/errors.ts';
import { controlFilters, listSnapshots } from '../requests/list-filters.ts';
import { type InvoiceSnapshot, invoiceListSource, selectInvoice } from './queries.ts';
import { invoiceStatuses } from './states.ts';

export { serializeInvoice } from './serialize.ts';

/** Throws `not_found`. */
export async function getInvoice({ read, tenantId }: Context, id: string): Promise<InvoiceSnapshot> {
  const [row] = await read((sql) => selectInvoice(sql, tenantId, id));
  if (!row) throw notFound('invoice');
  return row.snapshot;
}

export const invoiceFilters: Filters = {
  ...controlFilters,
  status: oneOf('status', invoiceStatuses),
  'payment_method.type': oneOf('payment_method_type', paymentMethods),
};

export const listInvoices = (context: Context, query: KeysetQuery): Promise<KeysetPage<InvoiceSnapshot>> =>
  listSnapshots(context, invoiceListSource, query);
