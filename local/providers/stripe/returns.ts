/** Refunds and disputes: `/v1/refunds`, `/v1/disputes`, and what banks and cardholders do. */
import { Hono } from 'hono';
import { moveCash } from './bank-transfers.ts';
import { type Desk, find, newId } from './desk.ts';
import { refused } from './errors.ts';
import { methodOf } from './payments.ts';
import { answer, Email, LIST, Metadata, page, read, type StripeApp, Text, Whole } from './requests.ts';
import type { Charge, Dispute, Refund } from './state.ts';

const DISPUTE_FEE = 1500;

export interface RefundOrder {
  /** Default: the rest. */
  amount?: number | undefined;
  metadata?: Record<string, string>;
}

/** Refunds to banks are pending for a while, refunds to cards succeed at once. */
export function createRefund(
  desk: Desk,
  charge: Charge,
  { amount: asked, metadata = {} }: RefundOrder,
): Refund {
  const { disputes, refunds, options } = desk.account;
  const left = charge.amount - charge.amount_refunded;
  const amount = asked ?? left;
  if (charge.status !== 'succeeded')
    throw refused(`Charge ${charge.id} is ${charge.status}.`, { code: 'charge_not_refundable' });
  if (disputes.some((dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable))
    throw refused(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  if (left === 0)
    throw refused(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (amount < 1 || amount > left)
    throw refused('Refund amount is greater than unrefunded amount on charge', { param: 'amount' });
  const isWaiting = options.refundsWaitForFunds;
  const isPending = isWaiting || methodOf(charge) !== 'card';
  const refund: Refund = {
    id: newId(methodOf(charge) === 'card' ? 're' : 'pyr'),
    object: 'refund',
    created: desk.now(),
    amount,
    balance_transaction: null,
    charge: charge.id,
    currency: charge.currency,
    failure_balance_transaction: null,
    metadata,
    payment_intent: charge.payment_intent,
    ...(isPending && { pending_reason: isWaiting ? 'insufficient_funds' : 'processing' }),
    reason: null,
    status: isPending ? 'pending' : 'succeeded',
  };
  refunds.push(refund);
  if (!isWaiting) moveMoney(desk, refund, charge);
  setRefunded(charge, charge.amount_refunded + amount);
  desk.emit('charge.refunded', charge);
  if (isPending && !isWaiting) desk.later('refunds:conclude', options.bankRefundMs, refund.id);
  return refund;
}

function moveMoney(desk: Desk, refund: Refund, charge: Charge): void {
  const { id } = desk.enter({
    type: methodOf(charge) === 'card' ? 'refund' : 'payment_refund',
    reportingCategory: 'refund',
    amount: -refund.amount,
    currency: charge.currency,
    source: refund.id,
  });
  refund.balance_transaction = id;
  if (methodOf(charge) === 'customer_balance')
    moveCash(desk, { ...charge, id: charge.payment_intent }, 'refunded_from_payment', refund.amount);
}

function setRefunded(charge: Charge, amount: number): void {
  charge.amount_refunded = amount;
  charge.refunded = amount === charge.amount;
}

/** The bank's response to a refund. A succeeded refund can still fail. */
export function concludeRefund(
  desk: Desk,
  refund: Refund,
  { outcome, reason = 'unknown' }: { outcome: 'succeeded' | 'failed'; reason?: string },
): void {
  if (refund.status === outcome || refund.status === 'failed') return;
  const charge = find(desk.account.charges, refund.charge, 'charge');
  refund.status = outcome;
  delete refund.pending_reason;
  if (outcome === 'succeeded' && refund.balance_transaction === null) moveMoney(desk, refund, charge);
  if (outcome === 'failed') {
    refund.failure_reason = reason;
    const { amount, currency, id: source } = refund;
    if (refund.balance_transaction !== null) {
      const names = { type: 'refund_failure', reportingCategory: 'refund_failure' };
      refund.failure_balance_transaction = desk.enter({ ...names, amount, currency, source }).id;
    }
    setRefunded(charge, charge.amount_refunded - amount);
    desk.emit('refund.failed', refund);
  }
  desk.emit('refund.updated', refund);
}

export interface DisputeOrder {
  /** An inquiry of the bank: no money is deducted. */
  inquiry?: boolean;
  amount?: number;
}

/** For debits and transfers, the bank's decision is final. */
export function openDispute(desk: Desk, charge: Charge, { inquiry = false, amount }: DisputeOrder): Dispute {
  if (charge.status !== 'succeeded') throw refused(`Charge ${charge.id} is ${charge.status}.`);
  if (charge.disputed) throw refused(`Charge ${charge.id} is disputed already.`, { code: 'charge_disputed' });
  const dispute: Dispute = {
    id: newId('dp'),
    object: 'dispute',
    created: desk.now(),
    amount: amount ?? charge.amount,
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    is_charge_refundable: inquiry,
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: inquiry ? 'warning_needs_response' : 'needs_response',
  };
  desk.account.disputes.push(dispute);
  charge.disputed = true;
  if (!inquiry) enterDispute(desk, dispute, -dispute.amount, DISPUTE_FEE);
  desk.emit('charge.dispute.created', dispute);
  if (!inquiry) desk.emit('charge.dispute.funds_withdrawn', dispute);
  if (methodOf(charge) !== 'card') closeDispute(desk, dispute, 'lost');
  return dispute;
}

function enterDispute(desk: Desk, dispute: Dispute, amount: number, fee: number): void {
  const { id } = desk.enter({
    type: 'adjustment',
    reportingCategory: amount < 0 ? 'dispute' : 'dispute_reversal',
    amount,
    fee,
    currency: dispute.currency,
    source: dispute.id,
  });
  dispute.balance_transactions.push(id);
}

export function closeDispute(desk: Desk, dispute: Dispute, outcome: 'won' | 'lost'): void {
  if (dispute.status !== 'needs_response')
    throw refused('This dispute is already closed', { code: 'dispute_closed' });
  dispute.status = outcome;
  if (outcome === 'won') {
    enterDispute(desk, dispute, dispute.amount, desk.account.options.disputeFeeReturned ? -DISPUTE_FEE : 0);
    desk.emit('charge.dispute.funds_reinstated', dispute);
  }
  desk.emit('charge.dispute.closed', dispute);
}

export function returnRoutes(): StripeApp {
  const app: StripeApp = new Hono();
  app.post('/refunds', (c) => {
    const { charges, intents, options } = c.get('desk').account;
    const order = read(c, {
      amount: Whole,
      payment_intent: Text,
      metadata: Metadata,
      instructions_email: Email.optional(),
    });
    const intent = find(intents, order.payment_intent, 'payment_intent', 'payment_intent');
    const charge = charges.find(({ id }) => id === intent.latest_charge);
    if (charge === undefined || intent.status !== 'succeeded')
      throw refused('This PaymentIntent does not have a successful charge to refund.');
    const takesEmail = methodOf(charge) === 'customer_balance' && options.refundInstructions;
    if (order.instructions_email !== undefined && !takesEmail)
      throw refused('This payment method does not support instructions_email.', {
        param: 'instructions_email',
      });
    return answer(c, createRefund(c.get('desk'), charge, order));
  });
  for (const list of ['refunds', 'disputes'] as const)
    app.get(`/${list}`, (c) => {
      const { payment_intent: intent, ...paging } = read(c, { ...LIST, payment_intent: Text });
      const { account } = c.get('desk');
      const found = [...account[list]].filter((one) => one.payment_intent === intent);
      return page<Refund | Dispute>(c, found, paging);
    });
  return app;
}
