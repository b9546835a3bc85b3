/** What payers do, and what becomes of it: cards at once, bank debits later, bank transfers when they come. */

import { businessDaysAfter, startOfDay } from './calendar.ts';
import { type Card, cardOf, type Decline, debitOf } from './cards.ts';
import type { Desk } from './desk.ts';
import { missing, refused } from './errors.ts';
import { feeOf, transferInstructions } from './methods.ts';
import type { Method } from './options.ts';
import { makeCharge, makeIntent, makeMethod, type Payer } from './payment-objects.ts';
import { completeSession, concludeSession, requireOpen } from './session-life.ts';
import type { Account, Charge, PaymentIntent, Session } from './state.ts';

export interface CardPayment extends Payer {
  number: string;
  /** What the cardholder does where authentication is asked for; nothing when absent. */
  authentication?: 'pass' | 'fail' | undefined;
}

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
  account.chargeBackgrounds[charge.id]?.method ?? 'card';

const sessionOf = (account: Account, intent: PaymentIntent): Session | undefined =>
  account.sessions.find(({ payment_intent: id }) => id === intent.id);

function begin(desk: Desk, account: Account, session: Session, method: Method): PaymentIntent {
  requireOpen(desk, session);
  if (!session.payment_method_types.includes(method)) {
    throw refused(`The session does not take ${method}.`, { param: 'payment_method_types' });
  }
  return session.payment_intent === null
    ? makeIntent(desk, account, session)
    : intentOf(account, session.payment_intent);
}

export function payByCard(desk: Desk, account: Account, session: Session, payment: CardPayment): void {
  const number = payment.number.replaceAll(' ', '');
  const intent = begin(desk, account, session, 'card');
  const card = cardOf(number);
  if (card.needsAuthentication && payment.authentication !== 'pass') {
    if (payment.authentication === undefined) askForAuthentication(desk, account, intent);
    else failIntent(desk, account, intent, NOT_AUTHENTICATED);
    return;
  }
  const method = makeMethod(desk, account, payment, {
    method: 'card',
    number,
    card,
    customer: session.customer,
  });
  const status = card.decline === undefined ? 'succeeded' : 'failed';
  const charge = makeCharge(desk, account, intent, payment, {
    method: 'card',
    methodId: method.id,
    card,
    number,
    status,
  });
  if (card.decline !== undefined) {
    failCharge(desk, account, intent, charge, card.decline);
    return;
  }
  intent.payment_method = method.id;
  succeed(desk, account, intent, charge);
  completeSession(desk, account, session, payment, 'paid');
  planWhatFollows(desk, account, charge, card);
}

const NOT_AUTHENTICATED: Decline = {
  code: 'payment_intent_authentication_failure',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};

function askForAuthentication(desk: Desk, account: Account, intent: PaymentIntent): void {
  intent.status = 'requires_action';
  intent.next_action = { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } };
  desk.emit(account, 'payment_intent.requires_action', intent);
}

function planWhatFollows(desk: Desk, account: Account, charge: Charge, card: Pick<Card, 'dispute'>): void {
  if (card.dispute === undefined) return;
  const { reason, inquiry } = card.dispute;
  desk.plan('disputes:open', desk.nowMs() + 1000, account, {
    charge: charge.id,
    reason,
    inquiry: String(inquiry),
  });
}

/** The payer agrees to a debit of a bank account. */
export function payByDebit(
  desk: Desk,
  account: Account,
  session: Session,
  method: 'us_bank_account' | 'sepa_debit',
  payment: Payer & { number: string },
): void {
  const intent = begin(desk, account, session, method);
  const { id: methodId } = makeMethod(desk, account, payment, {
    ...payment,
    method,
    customer: session.customer,
  });
  intent.payment_method = methodId;
  intent.status = 'processing';
  const way = { method, methodId, number: payment.number, status: 'pending' } as const;
  const charge = makeCharge(desk, account, intent, payment, way);
  if (account.options.entryOfPending) enterCharge(desk, account, charge);
  desk.emit(account, 'payment_intent.processing', intent);
  desk.emit(account, 'charge.pending', charge);
  completeSession(desk, account, session, payment, 'unpaid');
  if (debitOf(payment.number) === null) return;
  const dueAtMs = processedAtMs(desk, account, method);
  desk.plan('payments:conclude', dueAtMs, account, { intent: intent.id, number: payment.number });
}

function processedAtMs(
  desk: Desk,
  { options, livemode }: Account,
  method: 'us_bank_account' | 'sepa_debit',
): number {
  const waitMs = options.processingMs ?? (livemode ? undefined : 2000);
  if (waitMs !== undefined) return desk.nowMs() + waitMs;
  return businessDaysAfter(desk.now(), method === 'sepa_debit' ? 5 : 4) * 1000;
}

/** What the bank says to a debit that is processing. */
export function concludeDebit(
  desk: Desk,
  account: Account,
  intent: PaymentIntent,
  decline: Decline | undefined,
): void {
  if (intent.status !== 'processing') throw refused(`The intent is ${intent.status}, not processing.`);
  const charge = chargeOf(account, intent.latest_charge);
  const session = sessionOf(account, intent);
  if (decline !== undefined) {
    charge.status = 'failed';
    charge.captured = false;
    charge.amount_captured = 0;
    if (charge.balance_transaction !== null) takeBack(desk, account, charge);
    const fee = account.options.failureFee;
    if (fee > 0) {
      const words = { source: null, description: 'Bank debit failure fee', currency: charge.currency };
      desk.enter(account, { type: 'stripe_fee', reportingCategory: 'fee', amount: -fee, ...words });
    }
    failCharge(desk, account, intent, charge, decline);
    if (session !== undefined) concludeSession(desk, account, session, 'unpaid');
    return;
  }
  charge.status = 'succeeded';
  succeed(desk, account, intent, charge);
  if (session !== undefined) concludeSession(desk, account, session, 'paid');
}

/** By the number of the bank account that was given. */
export function concludeByNumber(desk: Desk, account: Account, intent: PaymentIntent, number: string): void {
  // Somebody ordered another end meanwhile.
  if (intent.status !== 'processing') return;
  const outcome = debitOf(number);
  concludeDebit(desk, account, intent, outcome?.decline);
  if (outcome?.dispute !== undefined)
    planWhatFollows(desk, account, chargeOf(account, intent.latest_charge), outcome);
}

function takeBack(desk: Desk, account: Account, charge: Charge): void {
  const { id } = desk.enter(account, {
    type: 'payment_failure_refund',
    reportingCategory: 'charge_failure',
    amount: -charge.amount,
    fee: -feeOf(account.options.fees[methodOf(account, charge)], charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    availableOn:
      account.transactions.find((one) => one.id === charge.balance_transaction)?.available_on ?? desk.now(),
  });
  charge.failure_balance_transaction = id;
}

/** The payer is shown where to transfer to; what was transferred before counts. */
export function awaitTransfer(desk: Desk, account: Account, session: Session, payer: Payer): void {
  const intent = begin(desk, account, session, 'customer_balance');
  const method = makeMethod(desk, account, payer, {
    method: 'customer_balance',
    number: '',
    customer: session.customer,
  });
  intent.payment_method = method.id;
  intent.status = 'requires_action';
  showInstructions(desk, account, intent, intent.amount);
  desk.emit(account, 'payment_intent.requires_action', intent);
  const held = account.cashBalances[intent.customer ?? '']?.[intent.currency] ?? 0;
  completeSession(desk, account, session, payer, held >= intent.amount ? 'paid' : 'unpaid');
  if (held > 0) receiveTransfer(desk, account, intent, 0);
}

function showInstructions(desk: Desk, account: Account, intent: PaymentIntent, remaining: number): void {
  const session = sessionOf(account, intent);
  const transfer = account.sessionBackgrounds[session?.id ?? '']?.bankTransfer ?? {
    type: 'us_bank_transfer',
  };
  const reference = intent.id.slice(-12).toUpperCase();
  const page = `${desk.kit.url}/bank_transfers/${intent.id}`;
  intent.next_action = transferInstructions(transfer, intent.currency, remaining, reference, page);
}

export function remainingOf(intent: PaymentIntent): number {
  const shown = intent.next_action?.display_bank_transfer_instructions;
  // Made by `showInstructions`.
  return (shown as { amount_remaining: number } | undefined)?.amount_remaining ?? 0;
}

/** Money of the customer arrives: it pays the intent, in part or whole, and the rest is kept for the customer. */
export function receiveTransfer(desk: Desk, account: Account, intent: PaymentIntent, amount: number): void {
  const { customer, currency } = intent;
  if (customer === null || !intent.payment_method_types.includes('customer_balance')) {
    throw refused('The intent does not take bank transfers.');
  }
  const cash = account.cashBalances[customer] ?? {};
  account.cashBalances[customer] = cash;
  cash[currency] = (cash[currency] ?? 0) + amount;
  const open = intent.status === 'requires_action' ? remainingOf(intent) : 0;
  const used = Math.min(open, cash[currency]);
  cash[currency] -= used;
  if (used > 0 && used === open) {
    const payer = { name: null, email: null };
    const way = { method: 'customer_balance', methodId: intent.payment_method ?? '', number: '' } as const;
    const charge = makeCharge(desk, account, intent, payer, { ...way, status: 'succeeded' });
    succeed(desk, account, intent, charge);
    const session = sessionOf(account, intent);
    if (session?.status === 'complete') concludeSession(desk, account, session, 'paid');
  } else if (used > 0) {
    showInstructions(desk, account, intent, open - used);
    desk.emit(account, 'payment_intent.partially_funded', intent);
  }
  if (cash[currency] > 0) {
    const available = Object.fromEntries(Object.entries(cash).filter(([, held]) => held > 0));
    desk.emit(account, 'cash_balance.funds_available', {
      object: 'cash_balance',
      available,
      customer,
      customer_account: null,
      livemode: account.livemode,
      settings: { reconciliation_mode: 'automatic', using_merchant_default: true },
    });
  }
}

function succeed(desk: Desk, account: Account, intent: PaymentIntent, charge: Charge): void {
  charge.paid = true;
  intent.status = 'succeeded';
  intent.amount_received = intent.amount;
  intent.last_payment_error = null;
  intent.next_action = null;
  const laterMs = methodOf(account, charge) === 'card' ? account.options.balanceTransactionMs : 0;
  if (laterMs === 0) enterCharge(desk, account, charge);
  else desk.plan('charges:enter', desk.nowMs() + laterMs, account, { charge: charge.id });
  desk.emit(account, 'charge.succeeded', charge);
  desk.emit(account, 'payment_intent.succeeded', intent);
}

/** The balance transaction of a charge, which can be later than the charge itself. */
export function enterCharge(desk: Desk, account: Account, charge: Charge): void {
  if (charge.balance_transaction !== null) return;
  const method = methodOf(account, charge);
  const { beganAtMs, availableAtOnce } = account.chargeBackgrounds[charge.id] ?? {
    beganAtMs: 0,
    availableAtOnce: true,
  };
  const days = availableAtOnce ? 0 : account.options.availableAfterDays[method];
  const fromRules = businessDaysAfter(Math.floor(beganAtMs / 1000), days);
  const { id } = desk.enter(account, {
    type: method === 'card' ? 'charge' : 'payment',
    reportingCategory: 'charge',
    amount: charge.amount,
    fee: feeOf(account.options.fees[method], charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    availableOn: Math.max(fromRules, startOfDay(desk.now())),
  });
  charge.balance_transaction = id;
}

function failCharge(
  desk: Desk,
  account: Account,
  intent: PaymentIntent,
  charge: Charge,
  decline: Decline,
): void {
  charge.paid = false;
  charge.failure_code = decline.code;
  charge.failure_message = decline.message;
  desk.emit(account, 'charge.failed', charge);
  failIntent(desk, account, intent, decline, charge);
}

function failIntent(
  desk: Desk,
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
  desk.emit(account, 'payment_intent.payment_failed', intent);
}
