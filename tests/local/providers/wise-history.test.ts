// After any operations at the Wise emulator, a balance equals the total of its statement and the total of all events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import { RECIPIENTS, startWiseForTest, type WiseClient } from '../../support/payments/wise.ts';

const STEPS = 200;
const SEED = 20_261_121;
const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY'];
/** Steps that the current state does not allow are rejected, by the emulator as by the real API. */
const REFUSED = [404, 409, 422];

interface History {
  client: WiseClient;
  transfers: number[];
  /** Movements other than transfers, in units of the currency. */
  loose: { currency: string; amount: number }[];
}

type Step = (history: History, pick: <T>(from: readonly T[]) => T, amount: number) => Promise<unknown>;

const onTransfer =
  (order: Parameters<WiseClient['wise']['control']['transfer']>[2]): Step =>
  ({ client, transfers }, pick) =>
    client.wise.control.transfer(client.account.id, pick(transfers), order);

const order: Step = async ({ client, transfers }, pick, amount) => {
  const recipient = pick([
    RECIPIENTS.EUR,
    RECIPIENTS.GBP,
    RECIPIENTS.USD,
    RECIPIENTS.USD_SWIFT,
    RECIPIENTS.JPY,
  ]);
  const source = pick(['EUR', 'GBP', 'JPY']);
  const whole = source === 'JPY' || recipient.currency === 'JPY';
  const value = whole ? Math.ceil(amount) * 10 : amount;
  const { id } = await client.transfer({
    recipient,
    quote: {
      sourceCurrency: source,
      targetCurrency: recipient.currency,
      ...(pick([true, false]) ? { sourceAmount: value + 5000 } : { targetAmount: value }),
      preferredPayIn: pick(['BALANCE', 'BANK_TRANSFER']),
    },
  });
  transfers.push(id);
};
const fund: Step = ({ client, transfers }, pick) => client.fund(pick(transfers));

const steps: Step[] = [
  order,
  order,
  fund,
  fund,
  fund,
  onTransfer({ step: 'next' }),
  onTransfer({ step: 'bounce' }),
  onTransfer({ step: 'refund' }),
  onTransfer({ step: 'rollback' }),
  onTransfer({ step: 'chargeback' }),
  onTransfer({ step: 'pay-in', method: 'BANK_TRANSFER' }),
  ({ client, transfers }, pick, amount) =>
    client.wise.control.transfer(client.account.id, pick(transfers), {
      step: 'refund',
      amount: Math.ceil(amount / 10),
    }),
  ({ client, transfers }, pick) => client.call('PUT', `/transfers/${pick(transfers)}/cancel`),
  async ({ client, loose }, pick, amount) => {
    const currency = pick(CURRENCIES);
    const value = Math.ceil(amount);
    await client.wise.control.topUp(client.account.id, { currency, amount: value });
    loose.push({ currency, amount: value });
  },
  async ({ client, loose }, pick, amount) => {
    const currency = pick(CURRENCIES);
    const value = -Math.ceil(amount / 10);
    await client.wise.control.statement(client.account.id, { currency, amount: value });
    loose.push({ currency, amount: value });
  },
  async ({ client, loose }, pick, amount) => {
    const from = pick(['EUR', 'GBP']);
    const to = pick(['USD', 'JPY']);
    const before = (await client.balance(to)) ?? 0;
    await client.wise.control.convert(client.account.id, { from, to, amount, fee: 0.5 });
    loose.push(
      { currency: from, amount: -amount },
      { currency: to, amount: (await client.balance(to)) - before },
    );
  },
  ({ client }) => client.wise.control.advance({ hours: 20 }),
];

const cents = (value: number): number => Math.round(value * 100);

test(`the balance equals the statement after ${STEPS} random steps`, async () => {
  const balances = { EUR: 100_000, GBP: 100_000, USD: 1000, JPY: 5_000_000 };
  const options = { swiftReturnPercent: 7, rateLimit: { requests: 100_000, seconds: 60 } };
  const client = await startWiseForTest({}, { balances, options });
  const loose = Object.entries(balances).map(([currency, amount]) => ({ currency, amount }));
  const history: History = { client, transfers: [(await client.transfer()).id], loose };
  const plan = fc.sample(
    fc.record({
      step: fc.nat(steps.length - 1),
      choice: fc.nat(10_000),
      amount: fc.integer({ min: 1000, max: 400_000 }).map((minor) => minor / 100),
    }),
    { numRuns: STEPS, seed: SEED },
  );
  let taken = 0;
  for (const { step, choice, amount } of plan) {
    let salt = choice;
    const pick = <T>(from: readonly T[]): T => {
      salt = (salt * 31 + 7) % 10_007;
      const picked = from[salt % from.length];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    };
    await steps[step]?.(history, pick, amount)
      .then(() => {
        taken += 1;
      })
      .catch((error: Error) =>
        expect(
          REFUSED.some((status) => error.message.includes(`returned ${status}`)),
          error.message,
        ).toBe(true),
      );
  }
  await client.wise.control.advance({ days: 60 });
  expect(taken).toBeGreaterThan(STEPS / 2);

  const { transfers } = await client.wise.control.account(client.account.id);
  expect(transfers.filter(({ refunded }) => refunded > 0).length).toBeGreaterThan(2);
  for (const currency of CURRENCIES) {
    const sum = await sumOfStatement(client, currency, 'COMPACT');
    expect(await sumOfStatement(client, currency, 'FLAT')).toBe(sum);
    expect(cents(await client.balance(currency))).toBe(sum);
    const unit = currency === 'JPY' ? 100 : 1;
    const moved = transfers
      .filter(({ sourceCurrency }) => sourceCurrency === currency)
      .filter(({ payments }) => payments.some(({ method }) => method === 'BALANCE'))
      .reduce((total, { payments, refunded }) => total + refunded - (payments[0]?.amount ?? 0), 0);
    const others = history.loose
      .filter((entry) => entry.currency === currency)
      .reduce((total, { amount }) => total + cents(amount), 0);
    expect([currency, sum]).toEqual([currency, others + moved * unit]);
  }
  await client.wise.stop();
});

/** In hundredths, after comparing each line with the balance that it contains. */
async function sumOfStatement(client: WiseClient, currency: string, type: string): Promise<number> {
  const { profile } = client.account;
  const balances: Json[] = await client.ok('GET', `/profiles/${profile}/balances?types=STANDARD`);
  const { id } = balances.find((balance) => balance.currency === currency);
  const until = await client.wise.control.now();
  const from = new Date(until.getTime() - 469 * 24 * 60 * 60_000);
  const query = `currency=${currency}&intervalStart=${from.toISOString()}&intervalEnd=${until.toISOString()}`;
  const statement = await client.ok(
    'GET',
    `/profiles/${profile}/balance-statements/${id}/statement.json?${query}&type=${type}`,
  );
  let sum = cents(statement.startOfStatementBalance.value);
  for (const line of [...statement.transactions].reverse()) {
    sum += cents(line.amount.value);
    expect(cents(line.runningBalance.value)).toBe(sum);
    expect(line.type).toBe(line.amount.value < 0 ? 'DEBIT' : 'CREDIT');
  }
  expect(cents(statement.endOfStatementBalance.value)).toBe(sum);
  return sum;
}
