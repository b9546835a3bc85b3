/** `/v1/refunds` and their life cycle. */
import { Hono } from 'hono';
import { cardOf } from './cards.ts';
import { moveCash } from './cash.ts';
import { inWords } from './currencies.ts';
import { missing, refused, StripeError } from './errors.ts';
import { Metadata, mergeMetadata, notEmulated, oneOf, Positive, Text } from './params.ts';
import { methodOf } from './payments.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, Charge, Refund } from './state.ts';

export interface RefundOrder {
  amount?: number | undefined;
  reason?: string | null | undefined;
  metadata?: Record<string, string>;
}

export function makeRefund(
  services: StripeServices,
  account: Account,
  charge: Charge,
  order: RefundOrder,
): Refund {
  const left = charge.amount - charge.amount_refunded;
  if (charge.status !== 'succeeded') {
    throw refused(`Charge ${charge.id} is ${charge.status} and cannot be refunded.`, {
      code: 'charge_not_refundable',
    });
  }
  if (account.disputes.some((dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable)) {
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw refused(message, { code: 'charge_disputed' });
  }
  if (left === 0) {
    throw refused(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  const amount = order.amount ?? left;
  if (amount > left) {
    const [requested, available] = [amount, left].map((value) => inWords(value, charge.currency));
    const message = `Refund amount (${requested}) is greater than unrefunded amount on charge (${available})`;
    throw refused(message, { param: 'amount' });
  }
  const method = methodOf(account, charge);
  const isWaiting = account.options.refundsWaitForFunds;
  const fate = method === 'card' && !isWaiting ? cardOf(numberOf(charge)).refunds : 'later';
  const refund: Refund = {
    id: newId(method === 'card' ? 're' : 'pyr'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: services.now(),
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: destinationOf(method, charge.currency),
    metadata: order.metadata ?? {},
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    ...(fate === 'later' ? { pending_reason: isWaiting ? 'insufficient_funds' : 'processing' } : {}),
    reason: order.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: fate === 'later' ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
  account.refunds.push(refund);
  if (!isWaiting) moveMoney(services, account, refund, charge);
  setRefunded(charge, charge.amount_refunded + amount);
  services.emit(account, 'refund.created', refund);
  services.emit(account, 'charge.refunded', charge);
  if (fate !== undefined && !isWaiting) {
    const outcome = fate === 'fail' ? 'failed' : 'succeeded';
    services.schedule('refunds:conclude', services.nowMs() + account.options.bankRefundMs, account, {
      refund: refund.id,
      outcome,
    });
  }
  return refund;
}

function moveMoney(services: StripeServices, account: Account, refund: Refund, charge: Charge): void {
  const method = methodOf(account, charge);
  const { amount } = refund;
  const { id } = services.enter(account, {
    type: method === 'card' ? 'refund' : 'payment_refund',
    reportingCategory: 'refund',
    amount: -amount,
    currency: charge.currency,
    source: refund.id,
    description:
      charge.description === null ? 'REFUND FOR PAYMENT' : `REFUND FOR CHARGE (${charge.description})`,
  });
  refund.balance_transaction = id;
  if (method === 'customer_balance' && charge.customer !== null) {
    const { currency } = charge;
    const details = { refund: refund.id };
    moveCash(services, account, charge.customer, {
      type: 'refunded_from_payment',
      currency,
      amount,
      details,
    });
  }
}

/** The last digits are enough to distinguish test cards with special refunds. */
const numberOf = (charge: Charge): string => {
  const details = charge.payment_method_details;
  const last4 = (details as { card?: { last4?: string } }).card?.last4 ?? '';
  return `400000000000${last4}`;
};

function destinationOf(method: string, currency: string): Record<string, unknown> {
  switch (method) {
    case 'card':
      return {
        card: { reference_status: 'pending', reference_type: 'acquirer_reference_number', type: 'refund' },
        type: 'card',
      };
    case 'customer_balance':
      return { customer_cash_balance: {}, type: 'customer_cash_balance' };
    default: {
      const type = currency === 'usd' ? 'us_bank_transfer' : 'eu_bank_transfer';
      return { [type]: { reference: null, reference_status: 'pending' }, type };
    }
  }
}

function setRefunded(charge: Charge, amount: number): void {
  charge.amount_refunded = amount;
  charge.refunded = amount === charge.amount;
}

/** The bank's response to a refund. A succeeded refund can still fail. */
export function concludeRefund(
  services: StripeServices,
  account: Account,
  refund: Refund,
  outcome: 'succeeded' | 'failed',
  reason = 'unknown',
): void {
  if (refund.status === outcome || refund.status === 'failed') return;
  refund.status = outcome;
  delete refund.pending_reason;
  const charge = account.charges.find(({ id }) => id === refund.charge);
  if (outcome === 'succeeded' && refund.balance_transaction === null && charge !== undefined) {
    moveMoney(services, account, refund, charge);
  }
  if (outcome === 'failed' && refund.balance_transaction === null) {
    refund.failure_reason = reason;
    if (charge !== undefined) setRefunded(charge, charge.amount_refunded - refund.amount);
    services.emit(account, 'refund.failed', refund);
  } else if (outcome === 'failed') {
    refund.failure_reason = reason;
    const { id } = services.enter(account, {
      type: 'refund_failure',
      reportingCategory: 'refund_failure',
      amount: refund.amount,
      currency: refund.currency,
      source: refund.id,
      description: 'REFUND FAILURE',
    });
    refund.failure_balance_transaction = id;
    if (charge !== undefined) setRefunded(charge, charge.amount_refunded - refund.amount);
    services.emit(account, 'refund.failed', refund);
  }
  services.emit(account, 'refund.updated', refund);
  services.emit(account, 'charge.refund.updated', refund);
}

const REASONS = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;

export function refundRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const refund = (c: StripeContext) => named(c, c.get('account').refunds, 'refund', 'refund');

  app.post('/', (c) => {
    const account = c.get('account');
    const order = read(c, {
      amount: Positive.optional(),
      charge: Text.optional(),
      payment_intent: Text.optional(),
      metadata: Metadata.optional(),
      reason: oneOf(REASONS).optional(),
      instructions_email: Text.optional(),
      ...notEmulated('currency customer origin refund_application_fee reverse_transfer'),
    });
    const charge = chargeToRefund(account, order.charge, order.payment_intent);
    const isTransfer = methodOf(account, charge) === 'customer_balance';
    if (order.instructions_email !== undefined && !(isTransfer && account.options.refundInstructions)) {
      const param = 'instructions_email';
      throw refused('This payment method does not support instructions_email.', { param });
    }
    const metadata = mergeMetadata({}, order.metadata);
    return answer(
      c,
      services,
      makeRefund(services, account, charge, { amount: order.amount, reason: order.reason, metadata }),
    );
  });

  app.get('/', (c) => {
    const shape = { ...PAGING, ...CREATED, charge: Text.optional(), payment_intent: Text.optional() };
    const { created, charge, payment_intent: intent, ...paging } = read(c, shape);
    const found = c
      .get('account')
      .refunds.filter(
        (one) =>
          within(created, one.created) &&
          (charge === undefined || one.charge === charge) &&
          (intent === undefined || one.payment_intent === intent),
      );
    return page(c, services, found, paging, 'refund');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, refund(c));
  });

  app.post('/:id', (c) => {
    const known = refund(c);
    const { metadata } = read(c, { metadata: Metadata.optional() });
    known.metadata = mergeMetadata(known.metadata, metadata);
    return answer(c, services, known);
  });
  return app;
}

function chargeToRefund(
  account: Account,
  chargeId: string | undefined,
  intentId: string | undefined,
): Charge {
  if (chargeId !== undefined) {
    const found = account.charges.find(({ id }) => id === chargeId);
    if (found === undefined) throw missing('charge', chargeId, 'charge', 400);
    return found;
  }
  if (intentId === undefined) {
    throw new StripeError(
      400,
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  }
  const intent = account.intents.find(({ id }) => id === intentId);
  if (intent === undefined) throw missing('payment_intent', intentId, 'payment_intent', 400);
  const charge = account.charges.find(({ id }) => id === intent.latest_charge);
  if (charge === undefined || intent.status !== 'succeeded') {
    const message = `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`;
    throw refused(message, { code: 'payment_intent_unexpected_state', param: 'payment_intent' });
  }
  return charge;
}
