import { orderCustomerOf } from '../invoices/provider-order.ts';
import type { TaxDocumentOrder } from '../providers/provider.ts';
import type { TaxDocumentToIssue } from './queries.ts';

/** What the provider is asked for, the same at every try. */
export function taxDocumentOrderOf({
  document,
  invoice,
  issue_on: effectiveOn,
}: Pick<TaxDocumentToIssue, 'document' | 'invoice' | 'issue_on'>): TaxDocumentOrder {
  const { provider_reference: chargedAs } = invoice;
  const sameAccount = invoice.provider_account_id === document.provider_account_id;
  return {
    reference: document.id,
    providerReference: document.provider_reference ?? undefined,
    serviceCode: document.service_code,
    amountMinor: invoice.amount,
    description: invoice.description,
    customer: orderCustomerOf(invoice),
    charge: sameAccount && chargedAs ? { reference: invoice.id, providerReference: chargedAs } : undefined,
    effectiveOn,
  };
}
