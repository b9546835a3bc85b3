/** Shared by all payment methods: starting, succeeding and failing an intent, and its balance transaction. */
import { businessDaysAfter, startOfDay } from './calendar.ts';
import type { Card, Decline } from './cards.ts';
import { missing, refused } from './errors.ts';
import { feeOf } from './methods.ts';
import type { Method } from './options.ts';
import { makeIntent } from './payment-objects.ts';
import type { StripeServices } from './services.ts';
import { requireOpen } from './session-life.ts';
import type { Account, Charge, PaymentIntent, Session } from './state.ts';

export const intentOf = (account: Account, id: string | null): PaymentIntent => {
  const found = account.intents.find((intent) => intent.id === id);
  if (found === undefined) throw missing('payment_intent', id ?? '', 'intent');
  return found;
};

export const chargeOf = (account: Account, id: string | null): Charge => {
  const found = account.charges.find((charge) => charge.id === id);
  if (found === undefined) throw missing('charge', id ?? '', 'id');
  return found;
};

export const methodOf = (account: Account, charge: Charge): Method =>
  account.chargeInternals[charge.id]?.method ?? 'card';

export const sessionOf = (account: Account, intent: PaymentIntent): Session | undefined =>
  account.sessions.find(({ payment_intent: id }) => id === intent.id);

export function begin(
  services: StripeServices,
  account: Account,
  session: Session,
  method: Method,
): PaymentIntent {
  requireOpen(services, session);
  if (!session.payment_method_types.includes(method)) {
    throw refused(`The session does not accept ${method}.`, { param: 'payment_method_types' });
  }
  return session.payment_intent === null
    ? makeIntent(services, account, session)
    : intentOf(account, session.payment_intent);
}

/** Schedules the dispute of a test card. */
export function planDispute(
  services: StripeServices,
  account: Account,
  charge: Charge,
  card: Pick<Card, 'dispute'>,
): void {
  if (card.dispute === undefined) return;
  const { reason, inquiry } = card.dispute;
  services.schedule('disputes:open', services.nowMs() + 1000, account, {
    charge: charge.id,
    reason,
    inquiry: String(inquiry),
  });
}

export function succeed(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  charge: Charge,
): void {
  charge.paid = true;
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  intent.next_action = null;
  const laterMs = account.options.balanceTransactionMs;
  if (laterMs === 0) enterCharge(services, account, charge);
  else services.schedule('charges:enter', services.nowMs() + laterMs, account, { charge: charge.id });
  services.emit(account, 'charge.succeeded', charge);
  services.emit(account, 'payment_intent.succeeded', intent);
}

/** Creates the balance transaction of a charge, possibly after the charge itself. */
export function enterCharge(services: StripeServices, account: Account, charge: Charge): void {
  if (charge.balance_transaction !== null) return;
  const method = methodOf(account, charge);
  const { beganAtMs, availableAtOnce } = account.chargeInternals[charge.id] ?? {
    beganAtMs: 0,
    availableAtOnce: true,
  };
  const days = availableAtOnce ? 0 : account.options.availableAfterDays[method];
  const fromRules = businessDaysAfter(Math.floor(beganAtMs / 1000), days);
  const { id } = services.enter(account, {
    type: method === 'card' ? 'charge' : 'payment',
    reportingCategory: 'charge',
    amount: charge.amount,
    fee: feeOf(account.options.fees[method], charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    availableOn: Math.max(fromRules, startOfDay(services.now())),
  });
  charge.balance_transaction = id;
}

export function failCharge(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  charge: Charge,
  decline: Decline,
): void {
  charge.paid = false;
  charge.failure_code = decline.code;
  charge.failure_message = decline.message;
  services.emit(account, 'charge.failed', charge);
  failIntent(services, account, intent, decline, charge);
}

export function failIntent(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  decline: Decline,
  charge?: Charge,
): void {
  const method = account.methods.find(({ id }) => id === charge?.payment_method);
  intent.status = 'requires_payment_method';
  intent.payment_method = null;
  intent.next_action = null;
  intent.last_payment_error = {
    ...(charge === undefined ? {} : { charge: charge.id }),
    code: decline.code,
    ...(decline.declineCode === undefined ? {} : { decline_code: decline.declineCode }),
    doc_url: `https://stripe.com/docs/error-codes/${decline.code.replaceAll('_', '-')}`,
    message: decline.message,
    ...(method === undefined ? {} : { payment_method: structuredClone(method) }),
    type:
      charge === undefined || methodOf(account, charge) !== 'card' ? 'invalid_request_error' : 'card_error',
  };
  services.emit(account, 'payment_intent.payment_failed', intent);
}
