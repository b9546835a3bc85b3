import type { ChargeOrder } from '../providers/provider.ts';
import type { InvoiceRow } from './serialize.ts';

/** What the provider is asked for, the same at every try. */
export function chargeOrderOf(row: InvoiceRow): ChargeOrder {
  return {
    reference: row.id,
    amountMinor: row.amount,
    currency: row.currency,
    method: row.payment_method_type,
    description: row.description,
    customerName: row.customer.name,
    expiresAt: new Date(row.expires_at),
    returnUrl: row.payment_method.return_url,
  };
}
