import type { ChargeOrder } from '../providers/provider.ts';
import type { InvoiceRow } from './serialize.ts';

/** Whom an invoice is for, as providers are told. */
export const orderCustomerOf = ({ customer }: Pick<InvoiceRow, 'customer'>): ChargeOrder['customer'] => ({
  country: customer.country,
  name: customer.name,
  email: customer.email,
  taxId: customer.tax_id,
  phone: customer.phone,
});

/** What the provider is asked for, the same at every try. */
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
    customer: orderCustomerOf(row),
    expiresAt: new Date(row.expires_at),
    returnUrl: row.payment_method.return_url,
  };
}
