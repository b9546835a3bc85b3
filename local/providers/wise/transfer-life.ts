/** The life cycle of a transfer: funded, converted, sent, bounced, refunded or canceled. */
import { type Desk, find, refusal, toMajor } from './desk.ts';
import type { Payment, Transfer } from './state.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Delay between the states of a transfer. */
const STEP_MS = 2000;
/** Unfunded transfers are canceled after this time. Other pages of Wise say ten working days. */
const FUND_WITHIN_MS = 14 * DAY_MS;

/** Next states on the regular path. */
export const NEXT: Record<string, string | undefined> = {
  processing: 'funds_converted',
  funds_converted: 'outgoing_payment_sent',
};

export const stateOf = ({ states }: Transfer): string => states.at(-1) ?? '';

const resourceOf = ({ id, targetAccount }: Transfer, { business }: Desk) => ({
  type: 'transfer',
  id,
  profile_id: business.id,
  account_id: targetAccount,
});

/** Enters any state, sends its event, and schedules the next step according to the account's options. */
export function enterState(desk: Desk, transfer: Transfer, state: string): void {
  const previous = transfer.states.at(-1) ?? null;
  transfer.states.push(state);
  const states = { current_state: state, previous_state: previous };
  desk.emit('transfers#state-change', { resource: resourceOf(transfer, desk), ...states });
  planNext(desk, transfer, state);
}

function planNext({ account, kit, now }: Desk, { id, states, payments }: Transfer, state: string): void {
  const { transfers, bounceMs } = account.options;
  const plan = (afterMs: number, to: string | undefined) => {
    const data = { account: account.id, id: String(id), number: String(states.length), to: to ?? '' };
    if (to !== undefined) kit.clock.schedule('transfers:step', now() + afterMs, data);
  };
  if (state === 'incoming_payment_waiting' && states.length === 1) plan(FUND_WITHIN_MS, 'cancelled');
  else if (state === 'cancelled' && payments.length > 0) plan(DAY_MS, 'funds_refunded');
  else if (transfers === 'held') return;
  else if (state === 'outgoing_payment_sent' && transfers === 'bounced') plan(bounceMs, 'bounced_back');
  else if (state === 'bounced_back') plan(DAY_MS, 'funds_refunded');
  else plan(STEP_MS, NEXT[state]);
}

/** Executes a scheduled step unless the state has changed in between. */
export function step(desk: Desk, transfer: Transfer, number: string, to: string): void {
  if (String(transfer.states.length) !== number) return;
  if (to === 'funds_refunded') refund(desk, transfer);
  else if (to === 'bounced_back') bounce(desk, transfer);
  else enterState(desk, transfer, to);
}

export function bounce(desk: Desk, transfer: Transfer): void {
  desk.emit('transfers#payout-failure', {
    transfer_id: transfer.id,
    profile_id: desk.business.id,
    failure_reason_code: 'WRONG_ACCOUNT_NUMBER',
    failure_description: 'Invalid account number.',
  });
  enterState(desk, transfer, 'bounced_back');
}

/** Records incoming money from a balance or bank, initiated by API or by a user. */
export function takePayment(desk: Desk, transfer: Transfer, payment: Payment): void {
  transfer.payments.push(payment);
  find(desk.account.quotes, transfer.quoteUuid, 'quote').status = 'FUNDED';
  if (payment.method === 'BALANCE')
    desk.enter(transfer.sourceCurrency, {
      amount: -payment.amount,
      type: 'TRANSFER',
      description: 'Sent money',
      referenceNumber: `TRANSFER-${transfer.id}`,
    });
  else enterState(desk, transfer, 'incoming_payment_initiated');
  enterState(desk, transfer, 'processing');
}

/**
 * Refunds the money to its source, including fees.
 *
 * @param amount in the source currency; smaller if banks kept a part
 */
export function refund(desk: Desk, transfer: Transfer, amount = Number.POSITIVE_INFINITY): void {
  const { payments, sourceCurrency, id } = transfer;
  const left = payments.reduce((sum, payment) => sum + payment.amount, 0) - transfer.refunded;
  const back = Math.min(amount, left);
  transfer.refunded += back;
  if (back > 0 && payments.every(({ method }) => method === 'BALANCE'))
    desk.enter(sourceCurrency, {
      amount: back,
      type: 'TRANSFER',
      description: `Refund of transfer ${id}`,
      referenceNumber: `TRANSFER-${id}`,
    });
  enterState(desk, transfer, 'funds_refunded');
  const refunded = { refund_amount: toMajor(sourceCurrency, back), refund_currency: sourceCurrency };
  desk.emit('transfers#refund', { resource: { ...resourceOf(transfer, desk), ...refunded } });
}

export function cancel(desk: Desk, transfer: Transfer): void {
  if (!['incoming_payment_waiting', 'incoming_payment_initiated', 'processing'].includes(stateOf(transfer)))
    throw refusal(409, 'transfer.cancellation.not.allowed', 'Transfer cannot be cancelled');
  enterState(desk, transfer, 'cancelled');
}
