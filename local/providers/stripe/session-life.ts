/** The end of a Checkout session. */
import { moveCash } from './cash.ts';
import { refused } from './errors.ts';
import type { Payer } from './payment-objects.ts';
import type { StripeServices } from './services.ts';
import type { Account, PaymentIntent, Session } from './state.ts';

export function requireOpen(services: StripeServices, session: Session): void {
  if (session.status === 'open' && session.expires_at > services.now()) return;
  throw refused(`The Checkout Session is ${session.status}.`);
}

/** The payer has completed the page. */
export function completeSession(
  services: StripeServices,
  account: Account,
  session: Session,
  payer: Payer,
  paymentStatus: Session['payment_status'],
): void {
  session.status = 'complete';
  session.payment_status = paymentStatus;
  session.url = null;
  session.customer_details = {
    address: { city: null, country: 'US', line1: null, line2: null, postal_code: null, state: null },
    business_name: null,
    email: payer.email,
    individual_name: null,
    name: payer.name,
    phone: null,
    tax_exempt: 'none',
    tax_ids: [],
  };
  forgetExpiry(services, account, session);
  services.emit(account, 'checkout.session.completed', session);
}

/** Concludes a payment that took longer than the page. */
export function concludeSession(
  services: StripeServices,
  account: Account,
  session: Session,
  paymentStatus: 'paid' | 'unpaid',
): void {
  if (session.payment_status === 'paid') return;
  session.payment_status = paymentStatus;
  const outcome = paymentStatus === 'paid' ? 'succeeded' : 'failed';
  services.emit(account, `checkout.session.async_payment_${outcome}`, session);
}

export function expireSession(services: StripeServices, account: Account, session: Session): void {
  session.status = 'expired';
  session.url = null;
  forgetExpiry(services, account, session);
  const intent = account.intents.find(({ id }) => id === session.payment_intent);
  if (intent !== undefined) cancelIntent(services, account, intent, 'expired');
  services.emit(account, 'checkout.session.expired', session);
}

export function cancelIntent(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  reason: string | null,
): void {
  giveBack(services, account, intent);
  intent.status = 'canceled';
  intent.canceled_at = services.now();
  intent.cancellation_reason = reason;
  intent.next_action = null;
  services.emit(account, 'payment_intent.canceled', intent);
}

/** Returns partial payments to the customer's cash balance. */
function giveBack(services: StripeServices, account: Account, intent: PaymentIntent): void {
  const { customer, currency } = intent;
  const applied = account.cashTransactions.filter(
    (one) => (one[one.type] as { payment_intent?: string } | undefined)?.payment_intent === intent.id,
  );
  const amount = -applied.reduce((sum, one) => sum + one.net_amount, 0);
  if (customer === null || amount === 0) return;
  const details = { payment_intent: intent.id };
  moveCash(services, account, customer, { type: 'unapplied_from_payment', currency, amount, details });
}

function forgetExpiry(services: StripeServices, account: Account, session: Session): void {
  const internals = account.sessionInternals[session.id];
  if (internals === undefined || internals.expiryJob === null) return;
  services.kit.scheduler.cancel(internals.expiryJob);
  internals.expiryJob = null;
}
