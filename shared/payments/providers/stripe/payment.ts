// A Checkout session and what came of it.
import type { Stripe } from 'stripe';
import { expanded } from './client.ts';

/** What a session is asked for together with. Lists put `data.` before it, and four levels are all that Stripe goes down. */
export const WITH_PAYMENT = [
  'payment_intent.latest_charge.balance_transaction',
  'payment_intent.latest_charge.failure_balance_transaction',
];

/** A session with what came of it, as far as it was asked for in full. */
export interface Payment {
  session: Stripe.Checkout.Session;
  intent: Stripe.PaymentIntent | undefined;
  charge: Stripe.Charge | undefined;
  /** What the charge changed of the balance; comes some time after the charge. */
  movement: Stripe.BalanceTransaction | undefined;
}

export function paymentOf(session: Stripe.Checkout.Session): Payment {
  const intent = expanded(session.payment_intent);
  const charge = expanded(intent?.latest_charge);
  return { session, intent, charge, movement: expanded(charge?.balance_transaction) };
}

/** Whether the money is certain: of debits and transfers that is later than the end of the session. */
export function isPaid({ session, intent }: Payment): boolean {
  return session.payment_status === 'paid' || intent?.status === 'succeeded';
}
