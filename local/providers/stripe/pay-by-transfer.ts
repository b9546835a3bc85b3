/** Bank transfers: incoming money pays the intent in part or in full; the customer keeps the rest as cash balance. */
import { cashOf, moveCash } from './cash.ts';
import { refused } from './errors.ts';
import { transferInstructions } from './methods.ts';
import { makeCharge, makeMethod, type Payer } from './payment-objects.ts';
import { begin, sessionOf, succeed } from './payments.ts';
import type { StripeServices } from './services.ts';
import { completeSession, concludeSession } from './session-life.ts';
import type { Account, PaymentIntent, Session } from './state.ts';

/** Shows the transfer instructions to the payer. The existing cash balance is applied. */
export function awaitTransfer(
  services: StripeServices,
  account: Account,
  session: Session,
  payer: Payer,
): void {
  const intent = begin(services, account, session, 'customer_balance');
  const method = makeMethod(services, account, payer, {
    method: 'customer_balance',
    number: '',
    customer: session.customer,
  });
  intent.payment_method = method.id;
  intent.status = 'requires_action';
  showInstructions(services, account, intent, intent.amount);
  services.emit(account, 'payment_intent.requires_action', intent);
  const held = cashOf(account, intent.customer ?? '', intent.currency);
  completeSession(services, account, session, payer, held >= intent.amount ? 'paid' : 'unpaid');
  if (held > 0) receiveTransfer(services, account, intent, 0);
}

function showInstructions(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  remaining: number,
): void {
  const session = sessionOf(account, intent);
  const transfer = account.sessionInternals[session?.id ?? '']?.bankTransfer ?? {
    type: 'us_bank_transfer',
  };
  const reference = intent.id.slice(-12).toUpperCase();
  const page = `${services.kit.url}/bank_transfers/${intent.id}`;
  intent.next_action = transferInstructions(transfer, intent.currency, remaining, reference, page);
}

export function remainingOf(intent: PaymentIntent): number {
  const shown = intent.next_action?.display_bank_transfer_instructions;
  // Set by `showInstructions`.
  return (shown as { amount_remaining: number } | undefined)?.amount_remaining ?? 0;
}

/** Money of the customer arrives: it pays the intent in part or in full; the rest is added to the cash balance. */
export function receiveTransfer(
  services: StripeServices,
  account: Account,
  intent: PaymentIntent,
  amount: number,
): void {
  const { customer, currency } = intent;
  if (customer === null || !intent.payment_method_types.includes('customer_balance')) {
    throw refused('The intent does not accept bank transfers.');
  }
  const type = currency === 'usd' ? 'us_bank_transfer' : 'eu_bank_transfer';
  const sender =
    currency === 'usd'
      ? { network: 'ach', sender_name: 'Joe Doe' }
      : { bic: 'DEUTDEFF', iban_last4: '3000', sender_name: 'Jo Dee' };
  const from = { bank_transfer: { reference: null, type, [type]: sender } };
  if (amount > 0) moveCash(services, account, customer, { type: 'funded', currency, amount, details: from });
  const open = intent.status === 'requires_action' ? remainingOf(intent) : 0;
  const used = Math.min(open, cashOf(account, customer, currency));
  if (used > 0) {
    const details = { payment_intent: intent.id };
    moveCash(services, account, customer, { type: 'applied_to_payment', currency, amount: -used, details });
  }
  if (used > 0 && used === open) {
    const payer = { name: null, email: null };
    const way = { method: 'customer_balance', methodId: intent.payment_method ?? '', number: '' } as const;
    const charge = makeCharge(services, account, intent, payer, { ...way, status: 'succeeded' });
    succeed(services, account, intent, charge);
    const session = sessionOf(account, intent);
    if (session?.status === 'complete') concludeSession(services, account, session, 'paid');
  } else if (used > 0) {
    showInstructions(services, account, intent, open - used);
    services.emit(account, 'payment_intent.partially_funded', intent);
  }
  if (cashOf(account, customer, currency) > 0) {
    const cash = Object.entries(account.cashBalances[customer] ?? {});
    const available = Object.fromEntries(cash.filter(([, held]) => held > 0));
    services.emit(account, 'cash_balance.funds_available', {
      object: 'cash_balance',
      available,
      customer,
      customer_account: null,
      livemode: account.livemode,
      settings: { reconciliation_mode: 'automatic', using_merchant_default: true },
    });
  }
}

/** Returns cash to the customer's bank account. Default: all of it. */
export function returnCash(
  services: StripeServices,
  account: Account,
  { id, customer, currency }: PaymentIntent,
  amount?: number,
): void {
  const held = cashOf(account, customer ?? '', currency);
  const returned = amount ?? held;
  if (customer === null || returned === 0 || returned > held)
    throw refused(`The customer of ${id} has less cash.`);
  const details = {};
  moveCash(services, account, customer, { type: 'return_initiated', currency, amount: -returned, details });
}
