// The stored taxes of a document (`app.tax_order`), and the reasons that prevent the document from being issued.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import type { DocumentTaxes } from '../providers/tax-document-port.ts';
import type { CustomerAddress } from '../requests/address.ts';

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
