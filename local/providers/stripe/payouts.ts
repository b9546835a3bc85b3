/** `/v1/payouts`: pays out the available balance, daily or on request. */
import { Hono } from 'hono';
import { balanceOf } from './balance.ts';
import { daysAfter } from './calendar.ts';
import { refused } from './errors.ts';
import { ignored, Metadata, mergeMetadata, oneOf, Positive, Text } from './params.ts';
import {
  answer,
  CREATED,
  named,
  PAGING,
  page,
  Range,
  read,
  type StripeApp,
  type StripeContext,
  within,
} from './requests.ts';
import { newId, type StripeServices } from './services.ts';
import type { Account, Payout } from './state.ts';

interface PayoutOrder {
  amount: number;
  currency: string;
  automatic: boolean;
  description: string | null;
  metadata: Record<string, string>;
}

function makePayout(services: StripeServices, account: Account, order: PayoutOrder): Payout {
  const payout: Payout = {
    id: newId('po'),
    object: 'payout',
    amount: order.amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: daysAfter(services.now(), account.options.payoutDays),
    automatic: order.automatic,
    balance_transaction: null,
    created: services.now(),
    currency: order.currency,
    description: order.description,
    destination: `ba_${account.id.slice(5)}`,
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: account.livemode,
    metadata: order.metadata,
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: order.automatic ? 'completed' : 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'in_transit',
    trace_id: null,
    type: 'bank_account',
  };
  account.payouts.push(payout);
  if (order.automatic) {
    for (const transaction of account.transactions) {
      const { id, currency, available_on: availableOn } = transaction;
      if (currency !== order.currency || availableOn > services.now()) continue;
      account.payoutOf[id] ??= payout.id;
    }
  }
  const { id } = services.enter(account, {
    type: 'payout',
    reportingCategory: 'payout',
    amount: -order.amount,
    currency: order.currency,
    source: payout.id,
    description: order.description,
  });
  payout.balance_transaction = id;
  account.payoutOf[id] = payout.id;
  services.emit(account, 'payout.created', payout);
  services.schedule('payouts:arrive', payout.arrival_date * 1000, account, { payout: payout.id });
  return payout;
}

/** Pays out the available balance daily at midnight UTC. */
export function payOutDaily(services: StripeServices, account: Account): void {
  planPayouts(services, account);
  if (account.options.payouts !== 'daily' || !account.options.payoutsEnabled) return;
  for (const { amount, currency } of balanceOf(account, services.now()).available) {
    if (amount <= 0) continue;
    makePayout(services, account, {
      amount,
      currency,
      automatic: true,
      description: 'STRIPE PAYOUT',
      metadata: {},
    });
  }
}

export const planPayouts = (services: StripeServices, account: Account): void =>
  void services.schedule('payouts:daily', daysAfter(services.now(), 1) * 1000, account);

export function arrive(services: StripeServices, account: Account, payout: Payout): void {
  if (payout.status !== 'in_transit') return;
  payout.status = 'paid';
  services.emit(account, 'payout.paid', payout);
  if (payout.automatic) services.emit(account, 'payout.reconciliation_completed', payout);
}

/** The bank returns a payout, even after it was paid. */
export function failPayout(
  services: StripeServices,
  account: Account,
  payout: Payout,
  code: string,
  message: string,
): void {
  if (payout.status === 'failed' || payout.status === 'canceled')
    throw refused(`The payout is ${payout.status}.`);
  payout.status = 'failed';
  payout.failure_code = code;
  payout.failure_message = message;
  const { id } = services.enter(account, {
    type: 'payout_failure',
    reportingCategory: 'payout_reversal',
    amount: payout.amount,
    currency: payout.currency,
    source: payout.id,
    description: 'PAYOUT FAILURE',
  });
  payout.failure_balance_transaction = id;
  services.emit(account, 'payout.failed', payout);
}

const STATUSES = ['pending', 'in_transit', 'paid', 'failed', 'canceled'] as const;

export function payoutRoutes(services: StripeServices): StripeApp {
  const app: StripeApp = new Hono();
  const payout = (c: StripeContext) => named(c, c.get('account').payouts, 'payout', 'payout');

  app.get('/', (c) => {
    const {
      created,
      arrival_date: arrival,
      status,
      destination,
      ...paging
    } = read(c, {
      ...PAGING,
      ...CREATED,
      arrival_date: Range.optional(),
      status: oneOf(STATUSES).optional(),
      destination: Text.optional(),
    });
    const found = c
      .get('account')
      .payouts.filter(
        (one) =>
          within(created, one.created) &&
          within(arrival, one.arrival_date) &&
          (status === undefined || one.status === status) &&
          (destination === undefined || one.destination === destination),
      );
    return page(c, services, found, paging, 'payout');
  });

  app.get('/:id', (c) => {
    read(c, {});
    return answer(c, services, payout(c));
  });

  app.post('/', (c) => {
    const account = c.get('account');
    const { amount, currency, description, metadata } = read(c, {
      amount: Positive,
      currency: Text,
      description: Text.optional(),
      metadata: Metadata.optional(),
      ...ignored<'destination' | 'method' | 'source_type' | 'statement_descriptor' | 'payout_method'>(
        'destination method source_type statement_descriptor payout_method',
      ),
    });
    if (!account.options.payoutsEnabled)
      throw refused('Payouts are disabled for this account.', { code: 'payouts_not_allowed' });
    const available = balanceOf(account, services.now()).available.find(
      (one) => one.currency === currency.toLowerCase(),
    );
    if (amount > (available?.amount ?? 0)) {
      throw refused(
        'You have insufficient funds in your Stripe account. One likely reason you have insufficient funds is that your ' +
          'funds are automatically being paid out; try enabling manual payouts by going to ' +
          'https://dashboard.stripe.com/account/payouts.',
        { code: 'balance_insufficient' },
      );
    }
    const order = {
      amount,
      currency: currency.toLowerCase(),
      automatic: false,
      description: description ?? null,
    };
    return answer(
      c,
      services,
      makePayout(services, account, { ...order, metadata: mergeMetadata({}, metadata) }),
    );
  });
  return app;
}
