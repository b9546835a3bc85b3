import type { TaxDocumentOrder } from '../providers/tax-document-port.ts';
import type { TaxDocumentToIssue } from './queries.ts';

/** The order sent to the provider. Every attempt sends the same order. */
export function taxDocumentOrderOf({
  document,
  invoice,
  tenant_name: name,
  time_zone: timeZone,
  issue_on: effectiveOn,
  tax_order: taxOrder,
}: Omit<TaxDocumentToIssue, 'account'>): TaxDocumentOrder {
  const { provider_reference: chargedAs } = invoice;
  const sameAccount = invoice.provider_account_id === document.provider_account_id;
  return {
    reference: document.id,
    issuer: { tenantId: document.tenant_id, name, timeZone },
    providerReference: document.provider_reference ?? undefined,
    serviceCode: document.service_code,
    taxes: taxOrder?.taxes ?? {},
    amountMinor: invoice.amount,
    description: invoice.description,
    customer: { ...invoice.customer, address: document.customer_address ?? invoice.customer.address },
    charge: sameAccount && chargedAs ? { reference: invoice.id, providerReference: chargedAs } : undefined,
    effectiveOn,
  };
}
