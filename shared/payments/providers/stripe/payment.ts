// A Checkout session with its expanded payment objects.
import type { Stripe } from 'stripe';
import { expanded } from './client.ts';

/** Members to expand in a session. Lists prefix them with `data.`, which reaches Stripe's limit of four levels. */
export const WITH_PAYMENT = [
  'payment_intent.latest_charge.balance_transaction',
  'payment_intent.latest_charge.failure_balance_transaction',
];

/** A session and its expanded payment objects. */
export interface Payment {
  session: Stripe.Checkout.Session;
  intent: Stripe.PaymentIntent | undefined;
  charge: Stripe.Charge | undefined;
  /** The balance transaction of the charge. It appears some time after the charge. */
  movement: Stripe.BalanceTransaction | undefined;
}

export function paymentOf(session: Stripe.Checkout.Session): Payment {
  const intent = expanded(session.payment_intent);
  const charge = expanded(intent?.latest_charge);
  return { session, intent, charge, movement: expanded(charge?.balance_transaction) };
}

/** Whether the payment has succeeded. For debits and transfers, this happens after the session is complete. */
export function isPaid({ session, intent }: Payment): boolean {
  return session.payment_status === 'paid' || intent?.status === 'succeeded';
}
