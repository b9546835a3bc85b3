// What Stripe tells us: proved by the library, and read for what to look at.
import { Stripe } from 'stripe';
import { z } from 'zod';
import type { EventSubject, ProviderEvent } from '../provider.ts';
import { REFERENCE } from './checkout-parameters.ts';

/** What our webhook subscribes to; lists of events take twenty at most. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.partially_funded',
  'payment_intent.canceled',
  // The fee and the day of settlement come with it.
  'charge.updated',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'customer_cash_balance_transaction.created',
  'account.updated',
] as const;

/** Whether Stripe signed it with the secret of our webhook, not longer ago than the library allows. */
export async function isSigned(headers: Headers, body: Uint8Array, secret: string | null): Promise<boolean> {
  const signature = headers.get('stripe-signature');
  if (!signature || !secret) return false;
  const { signature: library, DEFAULT_TOLERANCE: toleranceSeconds } = Stripe.webhooks;
  const payload = new TextDecoder().decode(body);
  const crypto = Stripe.createSubtleCryptoProvider();
  try {
    return (await library?.verifyHeaderAsync(payload, signature, secret, toleranceSeconds, crypto)) ?? false;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
    throw error;
  }
}

const id = z.string().nullish();

/** As much of an event as says what to look at. */
const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  data: z.object({
    object: z.object({
      id,
      object: z.string(),
      metadata: z.record(z.string(), z.string()).nullish(),
      payment_intent: id,
      customer: id,
    }),
  }),
});
type EventObject = z.infer<typeof eventSchema>['data']['object'];

export function readEvent(body: Uint8Array): ProviderEvent {
  const event = eventSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  return { eventId: event.id, type: event.type, about: subjectOf(event.data.object) };
}

/**
 * Sessions, PaymentIntents and charges carry our reference. Refunds and disputes name the PaymentIntent alone, movements of a customer's
 * cash the customer: by these a charge can be read as by its own id (`readSession`).
 */
export function subjectOf(object: EventObject): EventSubject | undefined {
  const kind = 'charge';
  const reference = object.metadata?.[REFERENCE];
  switch (object.object) {
    case 'account':
      return { kind: 'account' };
    case 'checkout.session':
      return reference ? { kind, reference, providerReference: object.id ?? undefined } : undefined;
    case 'payment_intent':
    case 'charge':
      return reference ? { kind, reference, providerReference: undefined } : undefined;
    case 'refund':
    case 'dispute':
      return elsewhere(object.payment_intent);
    case 'customer_cash_balance_transaction':
      return elsewhere(object.customer);
    default:
      return undefined;
  }
}

function elsewhere(providerReference: string | null | undefined): EventSubject | undefined {
  return providerReference ? { kind: 'charge', reference: undefined, providerReference } : undefined;
}
