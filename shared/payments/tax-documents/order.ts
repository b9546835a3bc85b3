import { customerOf } from '../providers/customer.ts';
import type { TaxDocumentOrder } from '../providers/provider.ts';
import type { TaxDocumentToIssue } from './queries.ts';

/** The order sent to the provider. Every attempt sends the same order. */
export function taxDocumentOrderOf({
  document,
  invoice,
  tenant_name: name,
  time_zone: timeZone,
  issue_on: effectiveOn,
}: Omit<TaxDocumentToIssue, 'account'>): TaxDocumentOrder {
  const { provider_reference: chargedAs } = invoice;
  const sameAccount = invoice.provider_account_id === document.provider_account_id;
  return {
    reference: document.id,
    issuer: { tenantId: document.tenant_id, name, timeZone },
    providerReference: document.provider_reference ?? undefined,
    serviceCode: document.service_code,
    amountMinor: invoice.amount,
    description: invoice.description,
    customer: customerOf(invoice.customer),
    charge: sameAccount && chargedAs ? { reference: invoice.id, providerReference: chargedAs } : undefined,
    effectiveOn,
  };
}
