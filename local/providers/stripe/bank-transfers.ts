/** Bank transfers: incoming money pays the intent in part or in full; the customer keeps the rest as cash balance. */
import { type Desk, newId } from './desk.ts';
import { refused } from './errors.ts';
import { completeSession, concludeSession, createCharge, succeed } from './payments.ts';
import type { CashTransaction, PaymentIntent, Session } from './state.ts';

const cashOf = ({ account }: Desk, { customer, currency }: PaymentIntent): number =>
  account.cashTransactions
    .filter((one) => one.customer === customer && one.currency === currency)
    .reduce((sum, one) => sum + one.net_amount, 0);

/** Moves money of the cash balance of a customer, which has what was transferred beyond payments. `amount` is signed. */
export function moveCash(
  desk: Desk,
  { id, customer, currency }: Pick<PaymentIntent, 'id' | 'customer' | 'currency'>,
  type: CashTransaction['type'],
  amount: number,
): void {
  if (customer === null) return;
  const isOfPayment = type === 'applied_to_payment' || type === 'unapplied_from_payment';
  const movement: CashTransaction = {
    id: newId('ccsbtxn'),
    object: 'customer_cash_balance_transaction',
    created: desk.now(),
    currency,
    customer,
    net_amount: amount,
    type,
    ...(isOfPayment && { applied_to_payment: { payment_intent: id } }),
  };
  desk.account.cashTransactions.push(movement);
  desk.emit('customer_cash_balance_transaction.created', movement);
}

/** Shows where to transfer the money to. An existing cash balance is applied. */
export function awaitTransfer(desk: Desk, session: Session, intent: PaymentIntent): void {
  intent.status = 'requires_action';
  setRemaining(intent, intent.amount);
  const held = cashOf(desk, intent);
  completeSession(desk, session, held >= intent.amount ? 'paid' : 'unpaid');
  if (held > 0) receiveTransfer(desk, intent, 0);
}

function setRemaining(intent: PaymentIntent, remaining: number): void {
  intent.next_action = { display_bank_transfer_instructions: { amount_remaining: remaining } };
}

export const remainingOf = ({ next_action: action }: PaymentIntent): number =>
  action?.display_bank_transfer_instructions.amount_remaining ?? 0;

/** Money of the customer arrives: it pays the intent in part or in full; the customer keeps the rest as cash balance. */
export function receiveTransfer(desk: Desk, intent: PaymentIntent, amount = remainingOf(intent)): void {
  if (intent.customer === null) throw refused('The intent does not accept bank transfers.');
  if (amount > 0) moveCash(desk, intent, 'funded', amount);
  const open = intent.status === 'requires_action' ? remainingOf(intent) : 0;
  const used = Math.min(open, cashOf(desk, intent));
  if (used === 0) return;
  moveCash(desk, intent, 'applied_to_payment', -used);
  if (used === open) {
    succeed(desk, intent, createCharge(desk, intent, 'customer_balance', 'succeeded'));
    concludeSession(desk, intent, true);
  } else {
    setRemaining(intent, open - used);
    desk.emit('payment_intent.partially_funded', intent);
  }
}

/** Returns cash to the customer's bank account. Default: all of it. */
export function returnCash(desk: Desk, intent: PaymentIntent, amount?: number): void {
  const held = cashOf(desk, intent);
  const returned = amount ?? held;
  if (returned === 0 || returned > held) throw refused(`The customer of ${intent.id} has less cash.`);
  moveCash(desk, intent, 'return_initiated', -returned);
}
