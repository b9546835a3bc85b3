// Maps an invoice to the charge order sent to its provider.
import { callProviderInJob, type OrderResource } from '../orders/look-up.ts';
import type { AcceptedCharge, ChargeOrder } from '../providers/charge-port.ts';
import { chargesOf } from '../providers/provider.ts';
import { dueTermsOf } from './due-terms.ts';
import { type InvoiceRow, insertWaitingTaxDocument, openInvoice, selectInvoice } from './queries.ts';

export const invoiceOrders: OrderResource<InvoiceRow, AcceptedCharge> = {
  table: 'invoices',
  resource: 'invoice',
  read: (provider, row, signal) => chargesOf(provider).read(chargeOrderOf(row), signal),
  find: async (found, providers, dependencies) =>
    (await callProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
      chargesOf(provider).find(chargeOrderOf(found.row), signal),
    )) ?? 'done',
  open: (sql, { tenant_id: tenantId, id }, charge) => ({
    invoice: openInvoice(sql, tenantId, id, charge),
    document: insertWaitingTaxDocument(sql, id),
  }),
  snapshot: selectInvoice,
};

/** The order sent to the provider. Every attempt sends the same order. */
export function chargeOrderOf(row: InvoiceRow): ChargeOrder {
  return {
    reference: row.id,
    providerReference: row.provider_reference ?? undefined,
    createdAt: new Date(row.created),
    amountMinor: row.amount,
    currency: row.currency,
    region: row.region,
    method: row.payment_method_type,
    description: row.description,
    customer: row.customer,
    expiresAt: new Date(row.expires_at),
    due: dueTermsOf(row.payment_method),
    paidOn: row.paid_on ?? undefined,
    returnUrl: row.payment_method.return_url,
    laterReferences: row.checkout_sessions?.flatMap(({ reference }) => reference ?? []),
  };
}
