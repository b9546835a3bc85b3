/** The life cycle of a transfer: funded, converted, sent, bounced, refunded or canceled. */
import { invalid } from './errors.ts';
import { emitPayoutFailure, emitRefund, emitStateChange } from './events.ts';
import { findQuote } from './quotes.ts';
import { bankAccountOf } from './recipient-render.ts';
import { findRecipient } from './recipients.ts';
import { balanceIn, profileOf, type WiseServices } from './services.ts';
import type { Account, Payment, Transfer } from './state.ts';
import { lacksNature } from './transfer-form.ts';

export const stateOf = ({ states }: Transfer): string => states.at(-1) ?? 'unknown';

/** Next states on the regular path. */
export const NEXT: Readonly<Record<string, string>> = {
  processing: 'funds_converted',
  funds_converted: 'outgoing_payment_sent',
};

export const FAILURES: Readonly<Record<string, string>> = {
  ACCOUNT_CLOSED: 'The recipient details are correct, but beneficiary account is closed.',
  ACCOUNT_FROZEN: 'The recipient details are correct, but beneficiary account is frozen.',
  WRONG_ACCOUNT_NUMBER: 'Invalid account number.',
  WRONG_BANK_CODE: 'Invalid sort/BIC/routing/etc number.',
  WRONG_NAME: 'Account number matches, but the name is not 100% correct.',
  WRONG_ID_NUMBER: "Invalid recipient's ID document number",
  MANDATE_NOT_FILLED_IN: "Recipient didn't fill out the mandate form on time.",
};

/** Enters any state, sends its event, and schedules the next step according to the account's options. */
export function enterState(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  state: string,
): void {
  const previous = transfer.states.at(-1) ?? null;
  transfer.states.push(state);
  emitStateChange(services, account, transfer, previous);
  planNext(services, account, transfer, state);
}

function planNext(services: WiseServices, account: Account, transfer: Transfer, state: string): void {
  const { options } = account;
  const plan = (afterMs: number, to: string) =>
    services.kit.scheduler.schedule('transfers:step', services.now() + afterMs, {
      account: account.id,
      transfer: String(transfer.id),
      from: state,
      number: String(transfer.states.length),
      to,
    });
  if (state === 'incoming_payment_waiting' && transfer.states.length === 1)
    plan(options.fundWithinMs, 'cancelled');
  else if (state === 'cancelled' && transfer.payments.length > 0) plan(options.refundMs, 'funds_refunded');
  else if (options.transfers === 'held') return;
  else if (state === 'outgoing_payment_sent' && options.transfers === 'bounced') {
    plan(options.bounceMs, 'bounced_back');
  } else if (state === 'bounced_back') plan(options.refundMs, 'funds_refunded');
  else if (state === 'processing' && isBlocked(account, transfer)) plan(options.stepMs, 'cancelled');
  else {
    const to = NEXT[state];
    if (to !== undefined) plan(options.stepMs, to);
  }
}

/** Payments from and to Brazil are blocked if their nature is missing. */
function isBlocked(account: Account, transfer: Transfer): boolean {
  const quote = account.quotes.find(({ id }) => id === transfer.quoteUuid);
  return quote !== undefined && lacksNature(quote);
}

/** Executes a scheduled step unless the state has changed in between. */
export function step(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  { from, number, to = '' }: Record<string, string>,
): void {
  if (stateOf(transfer) !== from || String(transfer.states.length) !== number || transfer.underReview) return;
  if (to === 'funds_refunded') refund(services, account, transfer);
  else if (to === 'bounced_back') bounce(services, account, transfer, account.options.failureReason);
  else enterState(services, account, transfer, to);
}

export function bounce(services: WiseServices, account: Account, transfer: Transfer, reason: string): void {
  emitPayoutFailure(services, account, transfer, reason, FAILURES[reason] ?? 'Reason not specified');
  enterState(services, account, transfer, 'bounced_back');
}

/** Records incoming money from a balance or bank, initiated by API or by a user. */
export function takePayment(
  services: WiseServices,
  account: Account,
  transfer: Transfer,
  payment: Payment,
): void {
  transfer.payments.push(payment);
  const quote = findQuote(services, account, transfer.quoteUuid);
  quote.status = 'FUNDED';
  if (payment.method === 'BALANCE') {
    const profile = profileOf(account, transfer.profile);
    const balance = balanceIn(profile, transfer.sourceCurrency);
    const recipient = findRecipient(account, transfer.targetAccount);
    if (balance !== undefined) {
      services.enter(account, profile, balance, {
        amount: -payment.amount,
        fee: payment.fee,
        type: 'TRANSFER',
        description: `Sent money to ${recipient.accountHolderName}`,
        referenceNumber: `TRANSFER-${transfer.id}`,
        recipient: { name: recipient.accountHolderName, bankAccount: bankAccountOf(recipient) },
        paymentReference: transfer.details.reference ?? null,
        exchange: exchangeOf(transfer),
      });
    }
  }
  if (payment.method === 'BANK_TRANSFER')
    enterState(services, account, transfer, 'incoming_payment_initiated');
  enterState(services, account, transfer, 'processing');
}

const exchangeOf = ({ sourceCurrency, targetCurrency, converted, targetValue, rate }: Transfer) =>
  sourceCurrency === targetCurrency
    ? null
    : {
        from: { currency: sourceCurrency, minor: converted },
        to: { currency: targetCurrency, minor: targetValue },
        rate,
      };

/** The amount that was paid and not yet refunded. */
export const leftOf = ({ payments, refunded }: Transfer): number =>
  payments.reduce((sum, { amount }) => sum + amount, 0) - refunded;

/**
 * Refunds the money to its source, including fees.
 *
 * @param amount in the source currency; smaller if banks kept a part of a SWIFT payment
 */
export function refund(services: WiseServices, account: Account, transfer: Transfer, amount?: number): void {
  const left = leftOf(transfer);
  const kept = transfer.payOut === 'BANK_TRANSFER' ? 0 : account.options.swiftReturnPercent;
  const back = Math.min(amount ?? Math.round(left * (1 - kept / 100)), left);
  transfer.refunded += back;
  const profile = profileOf(account, transfer.profile);
  const balance = balanceIn(profile, transfer.sourceCurrency);
  const byBalance = transfer.payments.every(({ method }) => method === 'BALANCE');
  if (back > 0 && byBalance && balance !== undefined) {
    services.enter(account, profile, balance, {
      amount: back,
      type: 'TRANSFER',
      description: `Refund of transfer ${transfer.id}`,
      referenceNumber: `TRANSFER-${transfer.id}`,
      exchange: null,
    });
  }
  enterState(services, account, transfer, 'funds_refunded');
  emitRefund(services, account, transfer, back);
}

/** Returns to the previous state, as Wise sometimes does. */
export function rollBack(services: WiseServices, account: Account, transfer: Transfer): void {
  const before = transfer.states.at(-2);
  if (before !== undefined) enterState(services, account, transfer, before);
}

const CANCELABLE = new Set(['incoming_payment_waiting', 'incoming_payment_initiated', 'processing']);

export function cancel(services: WiseServices, account: Account, transfer: Transfer): void {
  if (!CANCELABLE.has(stateOf(transfer)) || transfer.underReview) {
    throw invalid(409, [
      { code: 'transfer.cancellation.not.allowed', message: 'Transfer cannot be cancelled' },
    ]);
  }
  enterState(services, account, transfer, 'cancelled');
}
