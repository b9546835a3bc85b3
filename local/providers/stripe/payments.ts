/** Payments by card and by bank debit: starting, succeeding and failing, and their balance transactions. */
import { type Desk, find, newId } from './desk.ts';
import { refused } from './errors.ts';
import type { Charge, Method, PaymentIntent, Session } from './state.ts';

/** A bank account whose debits stay processing. */
const SILENT_ACCOUNT = '000000000009';
const DAY_S = 24 * 60 * 60;

/** Each account has its own fees; those for cards are of a US account. All are unconfirmed. */
function feeOf(method: Method, amount: number): number {
  const fees: Record<Method, number> = {
    card: Math.round(amount * 0.029) + 30,
    us_bank_account: Math.min(Math.round(amount * 0.008), 500),
    sepa_debit: 35,
    customer_balance: Math.min(Math.round(amount * 0.005), 500),
  };
  return Math.min(fees[method], amount);
}

/** Business days from the start of the payment until its money is available. Confirmed only for cards. */
const AVAILABLE_AFTER_DAYS: Record<Method, number> = {
  card: 2,
  us_bank_account: 4,
  sepa_debit: 5,
  customer_balance: 1,
};

/** Start of the day after this number of business days in UTC. Bank holidays are not emulated. */
function businessDaysAfter(seconds: number, count: number): number {
  let day = Math.floor(seconds / DAY_S) * DAY_S;
  for (let left = count; left > 0; ) {
    day += DAY_S;
    if (![0, 6].includes(new Date(day * 1000).getUTCDay())) left -= 1;
  }
  return day;
}

export const methodOf = ({ payment_method_details: { type } }: Charge): Method => type;

export function createIntent({ account, now }: Desk, session: Session): PaymentIntent {
  const { description = null, metadata = {} } = account.intentData[session.id] ?? {};
  const intent: PaymentIntent = {
    id: newId('pi'),
    object: 'payment_intent',
    created: now(),
    amount: session.amount_total,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    currency: session.currency,
    customer: session.customer,
    description,
    last_payment_error: null,
    latest_charge: null,
    metadata,
    next_action: null,
    status: 'requires_payment_method',
  };
  account.intents.push(intent);
  session.payment_intent = intent.id;
  return intent;
}

export function createCharge(
  { account, now }: Desk,
  intent: PaymentIntent,
  type: Method,
  status: Charge['status'],
): Charge {
  const { amount, currency, customer, description, metadata } = intent;
  const charge: Charge = {
    // Methods other than cards create payments, whose ids have another prefix.
    id: newId(type === 'card' ? 'ch' : 'py'),
    object: 'charge',
    created: now(),
    ...{ amount, currency, customer, description, metadata },
    amount_refunded: 0,
    balance_transaction: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    paid: status === 'succeeded',
    payment_intent: intent.id,
    payment_method_details: { type },
    refunded: false,
    status,
  };
  account.charges.push(charge);
  intent.latest_charge = charge.id;
  return charge;
}

/** The payer has completed the page. */
export function completeSession(desk: Desk, session: Session, status: Session['payment_status']): void {
  Object.assign(session, { status: 'complete', payment_status: status, url: null });
  desk.emit('checkout.session.completed', session);
}

/** Concludes a payment that took longer than the page. */
export function concludeSession(desk: Desk, { id }: PaymentIntent, isPaid: boolean): void {
  const session = desk.account.sessions.find((one) => one.payment_intent === id);
  if (session?.status !== 'complete' || session.payment_status === 'paid') return;
  if (isPaid) session.payment_status = 'paid';
  desk.emit(`checkout.session.async_payment_${isPaid ? 'succeeded' : 'failed'}`, session);
}

export function succeed(desk: Desk, intent: PaymentIntent, charge: Charge): void {
  const { balanceTransactionMs } = desk.account.options;
  charge.paid = true;
  const done = { amount_received: intent.amount, last_payment_error: null, next_action: null };
  Object.assign(intent, done, { status: 'succeeded' });
  if (balanceTransactionMs === 0) enterCharge(desk, charge);
  else desk.later('charges:enter', balanceTransactionMs, charge.id);
}

/** Creates the balance transaction of a charge, possibly after the charge itself. */
export function enterCharge(desk: Desk, charge: Charge): void {
  if (charge.balance_transaction !== null) return;
  const method = methodOf(charge);
  const available = businessDaysAfter(charge.created, AVAILABLE_AFTER_DAYS[method]);
  const { id } = desk.enter({
    type: method === 'card' ? 'charge' : 'payment',
    reportingCategory: 'charge',
    amount: charge.amount,
    fee: feeOf(method, charge.amount),
    currency: charge.currency,
    source: charge.id,
    description: charge.description,
    availableOn: Math.max(available, businessDaysAfter(desk.now(), 0)),
  });
  charge.balance_transaction = id;
}

export function failCharge(
  desk: Desk,
  intent: PaymentIntent,
  charge: Charge,
  code: string,
  message: string,
): void {
  Object.assign(charge, { paid: false, failure_code: code, failure_message: message });
  const type = methodOf(charge) === 'card' ? 'card_error' : 'invalid_request_error';
  intent.status = 'requires_payment_method';
  intent.last_payment_error = { code, message, type };
  desk.emit('payment_intent.payment_failed', intent);
}

/** The payer agrees to a bank debit, which the bank concludes later. */
export function payByDebit(
  desk: Desk,
  session: Session,
  intent: PaymentIntent,
  method: 'us_bank_account' | 'sepa_debit',
  number: string | undefined,
): void {
  const { entryOfPending, processingMs } = desk.account.options;
  intent.status = 'processing';
  const charge = createCharge(desk, intent, method, 'pending');
  if (entryOfPending) enterCharge(desk, charge);
  completeSession(desk, session, 'unpaid');
  if (number !== SILENT_ACCOUNT) desk.later('debits:conclude', processingMs, intent.id);
}

export interface DebitEnd {
  outcome: 'succeed' | 'fail';
  code?: string;
  message?: string;
}

/** The bank's response to a debit that is processing. */
export function concludeDebit(desk: Desk, intent: PaymentIntent, { outcome, ...failure }: DebitEnd): void {
  if (intent.status !== 'processing') throw refused(`The intent is ${intent.status}, not processing.`);
  const { account } = desk;
  const charge = find(account.charges, intent.latest_charge, 'charge');
  if (outcome === 'succeed') {
    charge.status = 'succeeded';
    succeed(desk, intent, charge);
  } else {
    charge.status = 'failed';
    if (charge.balance_transaction !== null) reverseEntry(desk, charge);
    const { failureFee } = account.options;
    const { currency } = charge;
    if (failureFee > 0)
      desk.enter({ type: 'stripe_fee', reportingCategory: 'fee', amount: -failureFee, currency });
    const { code = 'insufficient_funds', message = 'The account has insufficient funds.' } = failure;
    failCharge(desk, intent, charge, code, message);
  }
  concludeSession(desk, intent, outcome === 'succeed');
}

function reverseEntry(desk: Desk, charge: Charge): void {
  const { id } = desk.enter({
    type: 'payment_failure_refund',
    reportingCategory: 'charge_failure',
    amount: -charge.amount,
    fee: -feeOf(methodOf(charge), charge.amount),
    currency: charge.currency,
    source: charge.id,
  });
  charge.failure_balance_transaction = id;
}
