// Verifies Stripe's webhook deliveries and extracts which order to look up.
import { Stripe } from 'stripe';
import { z } from 'zod';
import type { EventSubject, ProviderEvent } from '../accounts.ts';
import { REFERENCE } from './checkout-parameters.ts';

/** Events that our webhook subscribes to. Stripe's event list accepts at most twenty types. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.partially_funded',
  'payment_intent.canceled',
  // Reports the fee and the settlement date.
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

/** Whether there is a signature that is well-formed and within the time tolerance. */
export function hasRecentSignature(headers: Headers): boolean {
  const signature = headers.get('stripe-signature') ?? '';
  const [, timestamp] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature) ?? [];
  if (timestamp === undefined || !/(?:^|,)v1=[0-9a-f]{64}(?:,|$)/.test(signature)) return false;
  return Date.now() / 1000 - Number(timestamp) <= Stripe.webhooks.DEFAULT_TOLERANCE;
}

/** Whether the delivery has a valid signature with our webhook's secret, within the library's time tolerance. */
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

/** The members of an event that identify its subject. */
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
 * Sessions, PaymentIntents and charges carry our reference. Refunds and disputes contain only the PaymentIntent, cash balance movements
 * only the customer; `readSession` finds the session by either.
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
      return relatedCharge(object.payment_intent);
    case 'customer_cash_balance_transaction':
      return relatedCharge(object.customer);
    default:
      return undefined;
  }
}

function relatedCharge(providerReference: string | null | undefined): EventSubject | undefined {
  return providerReference ? { kind: 'charge', reference: undefined, providerReference } : undefined;
}
