// The list of invoices.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { controlFilters, type Filters, oneOfValues } from '../list.ts';

export const invoiceFilters: Filters = {
  ...controlFilters,
  status: oneOfValues('status', ['open', 'paid', 'canceled', 'failed']),
  'payment_method.type': oneOfValues('payment_method_type', ['pix', 'boleto', 'bolepix', 'card']),
};

/** Rows as snapshots, those that a provider has not taken left out. */
export const invoiceSource = (sql: Sql): Statement => sql`
  select snapshot from (
    select i.*, app.invoice_snapshot(i) as snapshot from public.invoices i where status <> 'creating'
  ) as invoices`;
