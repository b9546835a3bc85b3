// A random history of invoices by Stripe, with events lost, doubled and out of order: afterwards the books agree to the cent.
import { expect, test } from 'vitest';
import { connectedStripe, expectEven, stripeSums } from '../../../support/connected-wise-stripe.ts';
import { connectDatabase } from '../../../support/database.ts';
import { createDice, historyLength, historySeed, ifItCan } from '../../../support/history.ts';
import { pay } from '../../../support/payments.ts';
import { sweepNow } from '../../../support/sandbox.ts';
import { stripeInvoice } from '../../../support/stripe-invoices.ts';

const sql = connectDatabase(undefined, { announces: true });

const METHODS = [
  ['card', 'USD'],
  ['card', 'EUR'],
  ['card', 'BRL'],
  ['ach_debit', 'USD'],
  ['sepa_debit', 'EUR'],
  ['bank_transfer', 'USD'],
  ['bank_transfer', 'EUR'],
] as const;

test.each([
  ['each currency on a balance of its own', {}],
  [
    'settled in dollars, with debits on the balance before they are done',
    { exchangeRates: { eur: 1.0837, brl: 0.1841 }, entryOfPending: true, failureFee: 400 },
  ],
])('ledger and statement agree: %s', async (_, options) => {
  const dice = createDice(historySeed());
  const stripe = await connectedStripe(sql, {
    currency: 'usd',
    options: { processingMs: 86_400_000, bankRefundMs: 0, ...options },
  });
  const { control, account, apiKey } = stripe;
  const made: string[] = [];
  const held = () => control.account(account.id);

  const conclude = async (intent: string) =>
    ifItCan(control.concludeDebit(account.id, intent, { outcome: dice.number(4) ? 'succeed' : 'fail' }));
  const happens: (() => Promise<unknown>)[] = [
    async () => {
      const session = dice.one((await held()).sessions.filter(({ status }) => status === 'open'));
      const number = dice.number(5) === 0 ? '4000000000000002' : undefined;
      if (session)
        await ifItCan(
          control.pay(
            account.id,
            session.id,
            session.payment_method_types[0] === 'card' && number ? { number } : {},
          ),
        );
    },
    async () => {
      const intent = dice.one((await held()).intents.filter(({ status }) => status === 'processing'));
      if (intent) await conclude(intent.id);
    },
    async () => {
      const intent = dice.one((await held()).intents.filter(({ customer }) => customer !== null));
      if (intent) await ifItCan(control.transfer(account.id, intent.id, 1 + dice.number(12_000)));
    },
    async () => {
      const charge = dice.one((await held()).charges.filter(({ paid }) => paid));
      if (charge)
        await ifItCan(
          control.refund(account.id, charge.id, dice.number(2) ? { amount: 1 + dice.number(2_000) } : {}),
        );
    },
    async () => {
      const charge = dice.one((await held()).charges.filter(({ paid }) => paid));
      if (charge) await ifItCan(control.dispute(account.id, charge.id));
    },
    async () => {
      const dispute = dice.one((await held()).disputes);
      if (dispute)
        await ifItCan(control.closeDispute(account.id, dispute.id, dice.number(2) ? 'won' : 'lost'));
    },
    () => pay(apiKey, `/invoices/${dice.one(made)}/cancel`, {}),
    async () => {
      const id = dice.one(made) ?? '';
      await sql`update invoices set expires_at = now() - interval '1 second' where id = ${id} and status = 'open'`;
      await sql`update jobs set due_at = now() where name = 'expire-invoice' and key = ${id} and finished_at is null`;
      await sweepNow();
    },
    () =>
      ifItCan(
        control.transaction(account.id, {
          type: 'stripe_fee',
          reportingCategory: 'fee',
          amount: -123,
          currency: 'usd',
        }),
      ),
    () =>
      control.webhookFault({
        kind: dice.one(['lost', 'duplicated', 'reordered'] as const) ?? 'lost',
        times: 1 + dice.number(8),
        account: account.id,
      }),
    () =>
      control.fault({
        kind: dice.one(['cut_after', 'rate_limited', 'error_after'] as const) ?? 'cut_after',
        path: '/v1/checkout/*',
        account: account.id,
      }),
  ];

  for (let turn = 0; turn < historyLength(100); turn += 1) {
    const dial = dice.number(100);
    if (dial < 30) {
      const [type, currency] = dice.one(METHODS) ?? METHODS[0];
      const amount = 500 + dice.number(20_000);
      const reply = await pay(apiKey, '/invoices', stripeInvoice(type, currency, { amount }));
      if (reply.status === 201) made.push(reply.body.id);
    } else if (dial < 60) await happens[0]?.();
    else await happens[1 + dice.number(happens.length - 1)]?.();
  }
  await control.clearFaults();
  await control.releaseEvents();
  for (const { id, status } of (await held()).intents) if (status === 'processing') await conclude(id);
  expect((await held()).transactions.length).toBeGreaterThan(10);
  await expectEven(sql, stripe, () => stripeSums(stripe));
});
