// Maps a tax document to the order sent to its provider: its taxes (`app.tax_order`), and the reasons that prevent it from being issued.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import type { DocumentTaxes, TaxDocumentOrder } from '../providers/tax-document-port.ts';
import type { CustomerAddress } from '../requests/address.ts';
import type { TaxDocumentToIssue } from './queries.ts';

/** The taxes to send for a document that would be issued today. */
export interface TaxOrder {
  taxes: DocumentTaxes;
  /** Members that are missing or wrong, from the request or the settings. */
  faults: { member: string; message: string }[];
  /** Whether the account's settings require the customer's address. */
  address_required: boolean;
}

interface DocumentToCheck {
  tenantId: string | Fragment;
  /** Null in the sandbox. */
  accountId: Fragment;
  serviceCode: string | Fragment;
  /** The taxes of the request, as JSON. */
  requested: Fragment;
}

/** A `TaxOrder`. */
export const taxOrder = (
  sql: Sql,
  { tenantId, accountId, serviceCode, requested }: DocumentToCheck,
): Fragment => sql`app.tax_order(${tenantId}, ${accountId}, ${serviceCode}, ${requested})`;

const REQUIRED_ADDRESS = ['line1', 'number', 'district', 'postal_code'] as const;

/** The faults of a document. `paths`: where a request has the taxes and the customer's address. */
export function taxOrderErrors(
  { faults, address_required: addressRequired }: TaxOrder,
  address: CustomerAddress | undefined,
  paths: { taxes: string; address: string },
): ErrorDetail[] {
  const missing = addressRequired ? REQUIRED_ADDRESS.filter((member) => !address?.[member]) : [];
  return [
    ...faults.map(({ member, message }) => ({ field: `${paths.taxes}.${member}`, message })),
    ...missing.map((member) => ({
      field: `${paths.address}.${member}`,
      message: 'is required for a tax document: this account sends addresses to the city',
    })),
  ];
}

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
