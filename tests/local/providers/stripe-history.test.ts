// After any operations at the Stripe emulator, its balance equals the total of its transactions and the total of all events.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startStripe } from '../../../local/providers/stripe/index.ts';
import type { Account } from '../../../local/providers/stripe/state.ts';
import { EURO_TRANSFER, type StripeClient, startStripeForTest } from '../../support/payments/stripe.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

const STEPS = 200;
const SEED = 20_261_121;

interface History {
  client: StripeClient;
  customer: string;
}

type Step = (
  history: History,
  pick: <T>(from: readonly T[]) => T | undefined,
  minor: number,
) => Promise<unknown>;

const WAYS = [
  { method: 'card', currency: 'usd' },
  { method: 'card', currency: 'eur' },
  { method: 'us_bank_account', currency: 'usd' },
  { method: 'sepa_debit', currency: 'eur' },
  { method: 'customer_balance', currency: 'eur' },
] as const;

const NUMBERS: Record<string, string[]> = {
  card: ['4242424242424242', '4000000000000077', '4000000000000002', '4000000000005126', '4000000000001976'],
  us_bank_account: ['000123456789', '000222222227', '000555555559', '000000000009'],
  sepa_debit: ['AT611904300234573201', 'AT861904300235473202'],
  customer_balance: [''],
};

const holdings = ({ client }: History): Promise<Account> => client.stripe.control.account(client.account.id);
const one = async <T extends { id: string }>(
  history: History,
  pick: <U>(from: readonly U[]) => U | undefined,
  from: (account: Account) => readonly T[],
): Promise<string> => pick(from(await holdings(history)))?.id ?? 'none';

const pay: Step = async ({ client, customer }, pick, minor) => {
  const { method, currency } = pick(WAYS) ?? WAYS[0];
  const options = method === 'customer_balance' ? { payment_method_options: EURO_TRANSFER, customer } : {};
  const order = { amount: minor, currency, allowed_payment_method_types: [method], ...options };
  const { id } = await client.session(order);
  const number = pick(NUMBERS[method] ?? []) ?? '';
  return client.stripe.control.pay(client.account.id, id, number === '' ? {} : { number });
};

const refund: Step = async (history, pick, minor) => {
  const charge = await one(history, pick, ({ charges }) => charges);
  return history.client.post('/refunds', { charge, amount: Math.ceil(minor / 3) });
};

const steps: Step[] = [
  pay,
  pay,
  pay,
  refund,
  refund,
  async (history, pick) => {
    const intent = await one(history, pick, ({ intents }) => intents);
    const end = { outcome: pick(['succeed', 'fail'] as const) ?? 'fail' };
    return history.client.stripe.control.concludeDebit(history.client.account.id, intent, end);
  },
  async (history, pick, minor) => {
    const { client } = history;
    const intent = await one(history, pick, ({ intents }) =>
      intents.filter((it) => it.status === 'requires_action'),
    );
    return client.stripe.control.transfer(client.account.id, intent, minor);
  },
  async (history, pick) => {
    const { client } = history;
    const known = await one(history, pick, ({ refunds }) => refunds);
    const outcome = pick(['succeeded', 'failed'] as const) ?? 'failed';
    return client.stripe.control.concludeRefund(client.account.id, known, { outcome });
  },
  async (history, pick, minor) => {
    const { client } = history;
    const charge = await one(history, pick, ({ charges }) => charges);
    return client.stripe.control.dispute(client.account.id, charge, { amount: minor });
  },
  async (history, pick) => {
    const { client } = history;
    const dispute = await one(history, pick, ({ disputes }) => disputes);
    return client.stripe.control.closeDispute(
      client.account.id,
      dispute,
      pick(['won', 'lost'] as const) ?? 'won',
    );
  },
  async (history, pick) => {
    const { client } = history;
    const payout = await one(history, pick, ({ payouts }) => payouts);
    return client.stripe.control.payout(client.account.id, payout, { step: 'fail' });
  },
  ({ client }) => client.stripe.control.advance({ hours: 30 }),
  ({ client }) => client.stripe.control.advance({ seconds: 3 }),
];

test(`the balance equals the transactions after ${STEPS} random steps`, async () => {
  const client = await startStripeForTest();
  const history: History = { client, customer: await client.customer() };
  const plan = fc.sample(
    fc.record({
      step: fc.nat(steps.length - 1),
      choice: fc.nat(10_000),
      minor: fc.integer({ min: 50, max: 50_000 }),
    }),
    { numRuns: STEPS, seed: SEED },
  );
  let taken = 0;
  for (const { step, choice, minor } of plan) {
    const pick = <T>(from: readonly T[]): T | undefined => from[choice % Math.max(from.length, 1)];
    await steps[step]?.(history, pick, minor)
      .then(() => {
        taken += 1;
      })
      // The emulator rejects operations that the current state does not allow.
      .catch((error: Error) => expect(error.message).toMatch(/(answered|returned) 40[04]/));
    if (taken % 20 === 0) await expectSums(client);
  }
  expect(taken).toBeGreaterThan(STEPS / 2);
  await client.stripe.control.advance({ days: 60 });
  await expectSums(client);
  const account = await holdings(history);
  for (const kind of ['charges', 'refunds', 'disputes', 'payouts'] as const) {
    expect(account[kind].length, kind).toBeGreaterThan(3);
  }
  for (const payout of account.payouts.filter(({ automatic }) => automatic)) {
    const entries = await all(client, '/balance_transactions', { payout: payout.id });
    expect(
      entries.reduce((sum, { net }) => sum + net, 0),
      payout.id,
    ).toBe(0);
  }
  await client.stripe.stop();
});

async function all(client: StripeClient, path: string, filter: object = {}): Promise<Json[]> {
  const found: Json[] = [];
  for (;;) {
    const after = found.length === 0 ? {} : { starting_after: found.at(-1).id };
    const page = await client.get(path, { ...filter, ...after, limit: 7 });
    found.push(...page.data);
    if (!page.has_more) return found;
  }
}

async function expectSums(client: StripeClient): Promise<void> {
  const entries = await all(client, '/balance_transactions');
  const balance = await client.get('/balance');
  const account = await client.stripe.control.account(client.account.id);
  for (const currency of ['usd', 'eur']) {
    const own = entries.filter((entry) => entry.currency === currency);
    for (const status of ['available', 'pending'] as const) {
      const sum = own.filter((entry) => entry.status === status).reduce((total, { net }) => total + net, 0);
      const shown = balance[status].find((funds: Json) => funds.currency === currency)?.amount ?? 0;
      expect(shown, `${status} ${currency}`).toBe(sum);
    }
    for (const { amount, fee, net } of own) expect(net).toBe(amount - fee);
    expect(own.reduce((total, { net }) => total + net, 0)).toBe(expectedOf(account, currency));
  }
}

const cut = (amount: number, percent: number, most = Number.POSITIVE_INFINITY): number =>
  Math.min(Math.round((amount * percent) / 100), most);

/** Fees by default. */
const FEES: Record<string, (amount: number) => number> = {
  card: (amount) => cut(amount, 2.9) + 30,
  us_bank_account: (amount) => cut(amount, 0.8, 500),
  sepa_debit: () => 35,
  customer_balance: (amount) => cut(amount, 0.5, 500),
};

/** The expected balance, computed from the states of all resources instead of entries. */
function expectedOf(account: Account, currency: string): number {
  const sum = <T extends { currency: string }>(objects: readonly T[], worth: (object: T) => number): number =>
    objects
      .filter((object) => object.currency === currency)
      .reduce((total, object) => total + worth(object), 0);
  return (
    sum(account.charges, ({ id, amount, status, balance_transaction: entered }) => {
      if (status !== 'succeeded' || entered === null) return 0;
      const fee = FEES[account.chargeInternals[id]?.method ?? '']?.(amount) ?? 0;
      return amount - Math.min(fee, amount);
    }) -
    sum(account.refunds, ({ amount, status }) => (status === 'failed' ? 0 : amount)) -
    sum(account.disputes, ({ amount, status }) => {
      if (status.startsWith('warning')) return 0;
      return (status === 'won' ? 0 : amount) + 1500;
    }) -
    sum(account.payouts, ({ amount, status }) => (status === 'failed' ? 0 : amount))
  );
}

test('everything survives a restart, including planned tasks', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'placar-stripe-'));
  try {
    const first = await startStripeForTest({ stateDir });
    const { id } = await first.paid({ allowed_payment_method_types: ['us_bank_account'] });
    await first.stripe.stop();
    const stripe = await startStripe({ stateDir });
    await stripe.control.advance({ seconds: 5 });
    const answer = await fetch(`${stripe.url}/v1/checkout/sessions/${id}`, {
      headers: { authorization: `Bearer ${first.account.apiKey}` },
    });
    expect((await answer.json()).payment_status).toBe('paid');
    await stripe.stop();
  } finally {
    await rm(stateDir, { recursive: true });
  }
});
