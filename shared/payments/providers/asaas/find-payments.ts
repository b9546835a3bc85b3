// The payments of an order at Asaas.
import type { ChargeOrder } from '../charge-port.ts';
import { type AsaasClient, segment } from './client.ts';
import { type Payment, payment as paymentSchema } from './resources.ts';
import { wasPaid } from './states.ts';

export const pathOf = (payment: Pick<Payment, 'id'>): string => `/payments/${segment(payment.id)}`;

/**
 * All payments of an order, paid ones first, deleted ones last: more than one only if it was paid twice or someone added a payment in
 * the dashboard.
 */
export async function paymentsOf(
  client: AsaasClient,
  { reference, providerReference }: Pick<ChargeOrder, 'reference' | 'providerReference'>,
  signal: AbortSignal,
): Promise<Payment[]> {
  const found: Payment[] = [];
  for await (const one of client.list('/payments', { externalReference: reference }, paymentSchema, signal))
    if (one.externalReference === reference) found.push(one);
  if (providerReference && !found.some(({ id }) => id === providerReference)) {
    // Lists may omit deleted payments.
    const known = await client.get(pathOf({ id: providerReference }), paymentSchema, signal);
    if (known) found.push(known);
  }
  const rank = (one: Payment) =>
    (wasPaid(one) ? 0 : one.deleted ? 4 : 2) + (one.id === providerReference ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}
