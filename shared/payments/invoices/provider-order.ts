import type { ChargeOrder } from '../providers/provider.ts';
import type { InvoiceRow } from './serialize.ts';

/** What the provider is asked for, the same at every try. */
export function chargeOrderOf(row: InvoiceRow): ChargeOrder {
  const { customer } = row;
  return {
    reference: row.id,
    providerReference: row.provider_reference ?? undefined,
    createdAt: new Date(row.created),
    amountMinor: row.amount,
    currency: row.currency,
    region: row.region,
    method: row.payment_method_type,
    description: row.description,
    customer: {
      country: customer.country,
      name: customer.name,
      email: customer.email,
      taxId: customer.tax_id,
      phone: customer.phone,
    },
    expiresAt: new Date(row.expires_at),
    returnUrl: row.payment_method.return_url,
  };
}
