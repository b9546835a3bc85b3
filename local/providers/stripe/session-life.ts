/** The end of a Checkout session. */
import { moveCash } from './cash.ts';
import type { Desk } from './desk.ts';
import { refused } from './errors.ts';
import type { Payer } from './payment-objects.ts';
import type { Account, PaymentIntent, Session } from './state.ts';

export function requireOpen(desk: Desk, session: Session): void {
  if (session.status === 'open' && session.expires_at > desk.now()) return;
  throw refused(`The Checkout Session is ${session.status}.`);
}

/** The payer has completed the page. */
export function completeSession(
  desk: Desk,
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
  forgetExpiry(desk, account, session);
  desk.emit(account, 'checkout.session.completed', session);
}

/** Concludes a payment that took longer than the page. */
export function concludeSession(
  desk: Desk,
  account: Account,
  session: Session,
  paymentStatus: 'paid' | 'unpaid',
): void {
  if (session.payment_status === 'paid') return;
  session.payment_status = paymentStatus;
  const outcome = paymentStatus === 'paid' ? 'succeeded' : 'failed';
  desk.emit(account, `checkout.session.async_payment_${outcome}`, session);
}

export function expireSession(desk: Desk, account: Account, session: Session): void {
  session.status = 'expired';
  session.url = null;
  forgetExpiry(desk, account, session);
  const intent = account.intents.find(({ id }) => id === session.payment_intent);
  if (intent !== undefined) cancelIntent(desk, account, intent, 'expired');
  desk.emit(account, 'checkout.session.expired', session);
}

export function cancelIntent(
  desk: Desk,
  account: Account,
  intent: PaymentIntent,
  reason: string | null,
): void {
  giveBack(desk, account, intent);
  intent.status = 'canceled';
  intent.canceled_at = desk.now();
  intent.cancellation_reason = reason;
  intent.next_action = null;
  desk.emit(account, 'payment_intent.canceled', intent);
}

/** Returns partial payments to the customer's cash balance. */
function giveBack(desk: Desk, account: Account, intent: PaymentIntent): void {
  const { customer, currency } = intent;
  const applied = account.cashTransactions.filter(
    (one) => (one[one.type] as { payment_intent?: string } | undefined)?.payment_intent === intent.id,
  );
  const amount = -applied.reduce((sum, one) => sum + one.net_amount, 0);
  if (customer === null || amount === 0) return;
  const details = { payment_intent: intent.id };
  moveCash(desk, account, customer, { type: 'unapplied_from_payment', currency, amount, details });
}

function forgetExpiry(desk: Desk, account: Account, session: Session): void {
  const background = account.sessionBackgrounds[session.id];
  if (background === undefined || background.expiryJob === null) return;
  desk.kit.agenda.cancel(background.expiryJob);
  background.expiryJob = null;
}
