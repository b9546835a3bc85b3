// A history of invoices at Stripe, with lost, duplicate and reordered events: afterwards the books match to the cent.
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { OptionsOrder } from '../../../local/providers/stripe/index.ts';
import type { PaymentIntent } from '../../../local/providers/stripe/state.ts';
import {
  connectedStripe,
  expectReconciled,
  stripeSums,
} from '../../support/payments/connected-wise-stripe.ts';
import { pay } from '../../support/payments/payments.ts';
import { stripeInvoice } from '../../support/payments/stripe-invoices.ts';
import { createCaller } from './caller.ts';
import { createDice, type HistoryOptions, ifItCan, play, type Weighted } from './play.ts';
import { bringForward, waitForNotifications } from './settle.ts';

const METHODS = [
  ['card', 'USD'],
  ['card', 'EUR'],
  ['card', 'BRL'],
  ['ach_debit', 'USD'],
  ['sepa_debit', 'EUR'],
  ['bank_transfer', 'USD'],
  ['bank_transfer', 'EUR'],
] as const;

/** How accounts are settled. */
export const stripeAccounts = {
  'each currency on a balance of its own': {},
  'settled in dollars, with debits on the balance before they are done': {
    exchangeRates: { eur: 1.0837, brl: 0.1841 },
    entryOfPending: true,
    failureFee: 400,
  },
} as const satisfies Record<string, OptionsOrder>;

export async function stripeHistory(
  sql: postgres.Sql,
  settled: OptionsOrder,
  options: HistoryOptions,
): Promise<void> {
  const dice = createDice(options.seed);
  const stripe = await connectedStripe(sql, {
    currency: 'usd',
    options: { processingMs: 86_400_000, bankRefundMs: 0, ...settled },
  });
  const { control, account, apiKey, tenant, id: accountId } = stripe;
  const caller = createCaller(apiKey);
  const conclude = (intent: string) =>
    ifItCan(control.concludeDebit(account.id, intent, { outcome: dice.number(4) ? 'succeed' : 'fail' }));
  const paidCharge = async () =>
    dice.one((await control.account(account.id, 'charges')).charges.filter(({ paid }) => paid));
  const intentsThat = async (fits: (intent: PaymentIntent) => boolean) =>
    (await control.account(account.id, 'intents')).intents.filter(fits);

  const operations: Weighted[] = [
    [
      30,
      async () => {
        const [type, currency] = dice.one(METHODS) ?? METHODS[0];
        await caller.order('/invoices', stripeInvoice(type, currency, { amount: 500 + dice.number(20_000) }));
      },
    ],
    [
      30,
      async () => {
        const { sessions } = await control.account(account.id, 'sessions');
        const session = dice.one(sessions.filter(({ status }) => status === 'open'));
        const isRefused = dice.number(5) === 0 && session?.payment_method_types[0] === 'card';
        if (session)
          await ifItCan(control.pay(account.id, session.id, isRefused ? { number: '4000000000000002' } : {}));
      },
    ],
    [
      4,
      async () => {
        const intent = dice.one(await intentsThat(({ status }) => status === 'processing'));
        if (intent) await conclude(intent.id);
      },
    ],
    [
      4,
      async () => {
        const intent = dice.one(await intentsThat(({ customer }) => customer !== null));
        if (intent) await ifItCan(control.transfer(account.id, intent.id, 1 + dice.number(12_000)));
      },
    ],
    [
      3,
      async () => {
        const intent = dice.one(await intentsThat(({ customer }) => customer !== null));
        if (intent) await ifItCan(control.returnCash(account.id, intent.id));
      },
    ],
    [
      4,
      async () => {
        const charge = await paidCharge();
        const part = dice.number(2) ? { amount: 1 + dice.number(2_000) } : {};
        if (charge) await ifItCan(control.refund(account.id, charge.id, part));
      },
    ],
    [
      8,
      () =>
        caller.order(
          `/invoices/${dice.one(caller.made.filter((id) => id.startsWith('inv_')))}/refunds`,
          dice.number(2) ? { amount: 1 + dice.number(2_000) } : {},
        ),
    ],
    [
      2,
      async () => {
        const refund = dice.one((await control.account(account.id, 'refunds')).refunds);
        const outcome = dice.number(2) ? 'failed' : 'succeeded';
        if (refund) await ifItCan(control.concludeRefund(account.id, refund.id, { outcome }));
      },
    ],
    [
      4,
      async () => {
        const charge = await paidCharge();
        if (charge) await ifItCan(control.dispute(account.id, charge.id));
      },
    ],
    [
      4,
      async () => {
        const dispute = dice.one((await control.account(account.id, 'disputes')).disputes);
        const outcome = dice.number(2) ? 'won' : 'lost';
        if (dispute) await ifItCan(control.closeDispute(account.id, dispute.id, outcome));
      },
    ],
    [4, () => pay(apiKey, `/invoices/${dice.one(caller.made)}/cancel`, {})],
    [
      4,
      async () => {
        const id = dice.one(caller.made) ?? '';
        await sql`update invoices set expires_at = now() - interval '1 second' where id = ${id} and status = 'open'`;
        await bringForward(sql, tenant.id);
      },
    ],
    [
      4,
      () =>
        ifItCan(
          control.transaction(account.id, {
            type: 'stripe_fee',
            reportingCategory: 'fee',
            amount: -123,
            currency: 'usd',
          }),
        ),
    ],
    [
      4,
      () =>
        control.webhookFault({
          kind: dice.one(['lost', 'duplicated', 'reordered'] as const) ?? 'lost',
          times: 1 + dice.number(8),
          account: account.id,
        }),
    ],
    [
      4,
      () =>
        control.fault({
          kind: dice.one(['cut_after', 'rate_limited', 'error_after'] as const) ?? 'cut_after',
          path: dice.one(['/v1/checkout/*', '/v1/refunds']) ?? '/v1/refunds',
          account: account.id,
        }),
    ],
    [3, () => caller.again(dice.one)],
  ];
  await play(dice, operations, options);

  // All services work again, and all work finishes.
  await control.clearFaults();
  await control.clearWebhookFaults();
  await caller.finish(() => bringForward(sql, tenant.id));
  for (const { id } of await intentsThat(({ status }) => status === 'processing')) await conclude(id);
  await waitForNotifications(sql, { tenantId: tenant.id, accountId, theirId: account.id, control });

  const { transactions, sessions } = await control.account(account.id, 'transactions', 'sessions');
  expect(transactions.length).toBeGreaterThan(options.count / 10);
  await expectReconciled(sql, stripe, () => stripeSums(stripe));
  // Money that is returned later still counts as paid.
  expect([
    ...(await sql`
      select id, amount::integer, paid_amount::integer from invoices
      where tenant_id = ${tenant.id} and status = 'paid' and paid_amount < amount`),
  ]).toEqual([]);
  // Each order exists once at Stripe.
  const ours =
    await sql`select provider_reference from invoices where tenant_id = ${tenant.id} and status <> 'creating'`;
  expect(sessions.length).toBe(ours.length);
}
