// After any operations at the Asaas emulator, its balance equals the total of its statement and the total of all events.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AsaasClient, startAsaasForTest } from '../../support/payments/asaas.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

const STEPS = 300;
const SEED = 20_261_121;

const OPTIONS = {
  criticalAuthorization: 'off',
  duplicateTransferMinutes: 0,
  fees: { transfer: 150, invoice: 49, dunning: 300 },
  endpointLimit: { requests: 100_000, seconds: 60 },
} as const;

/** The emulator rejects steps that the current state does not allow, like Asaas. */
const REFUSED = [400];

interface History {
  client: AsaasClient;
  payments: string[];
  transfers: string[];
  invoices: string[];
}

type Step = (history: History, pick: (from: string[]) => string, cents: number) => Promise<unknown>;

const onPayment =
  (name: Parameters<AsaasClient['asaas']['control']['payment']>[2], details: object = {}): Step =>
  ({ client, payments }, pick) =>
    client.asaas.control.payment(client.account.id, pick(payments), name, details);

const onTransfer =
  (step: 'done' | 'fail' | 'cancel' | 'return'): Step =>
  ({ client, transfers }, pick) =>
    client.asaas.control.transfer(client.account.id, pick(transfers), { step });

const steps: Step[] = [
  async (history, pick, cents) => {
    const billingType = pick(['PIX', 'BOLETO', 'CREDIT_CARD', 'UNDEFINED']);
    const payment = await history.client.charge({ billingType, value: cents / 100 });
    history.payments.push(payment.id);
  },
  onPayment('pay'),
  onPayment('pay'),
  onPayment('pay-again', { as: 'credit' }),
  ({ client, payments }, pick, cents) =>
    client.asaas.control.pay(client.account.id, pick(payments), { value: cents / 100 }),
  onPayment('refund'),
  ({ client, payments }, pick, cents) =>
    client.asaas.control.payment(client.account.id, pick(payments), 'refund', {
      value: cents / 400 > 1 ? Math.floor(cents / 4) / 100 : 1,
    }),
  onPayment('chargeback', { step: 'request' }),
  onPayment('chargeback', { step: 'reversed' }),
  onPayment('overdue'),
  onPayment('dunning', { step: 'request' }),
  onPayment('dunning', { step: 'receive' }),
  onPayment('receive-in-cash'),
  ({ client, payments }, pick) => client.call('DELETE', `/payments/${pick(payments)}`),
  async (history, _, cents) => {
    const order = {
      value: cents / 100,
      pixAddressKey: '24971563792',
      pixAddressKeyType: 'CPF',
      operationType: 'PIX',
    };
    const answer = await history.client.call('POST', '/transfers', order);
    if (answer.status === 200) history.transfers.push(answer.body.id);
  },
  onTransfer('fail'),
  onTransfer('cancel'),
  onTransfer('return'),
  async (history, pick) => {
    const answer = await history.client.call('POST', '/invoices', {
      payment: pick(history.payments),
      serviceDescription: 'Serviço',
      observations: '',
      value: 10,
      deductions: 0,
      effectiveDate: await history.client.day(),
      municipalServiceCode: '1.01',
      municipalServiceName: 'Serviço',
      taxes: { retainIss: false, iss: 2, cofins: 0, csll: 0, inss: 0, ir: 0, pis: 0 },
    });
    if (answer.status !== 200) throw new Error(`the invoice answered ${answer.status}`);
    await history.client.ok('POST', `/invoices/${answer.body.id}/authorize`);
  },
  ({ client }, _, cents) =>
    client.asaas.control.balance(client.account.id, { step: 'block', value: cents / 100 }),
  ({ client }, _, cents) =>
    client.asaas.control.balance(client.account.id, { step: 'unblock', value: cents / 100 }),
  ({ client }) => client.asaas.control.advance({ hours: 20 }),
];

test(`the balance equals the statement after ${STEPS} random steps`, async () => {
  const client = await startAsaasForTest({}, { balance: 1000, options: OPTIONS });
  const history: History = { client, payments: [(await client.charge()).id], transfers: [], invoices: [] };
  const plan = fc.sample(
    fc.record({
      step: fc.nat(steps.length - 1),
      choice: fc.nat(10_000),
      cents: fc.integer({ min: 500, max: 50_000 }),
    }),
    { numRuns: STEPS, seed: SEED },
  );
  let taken = 0;
  for (const { step, choice, cents } of plan) {
    const pick = (from: string[]) => from[choice % from.length] ?? 'none';
    await steps[step]?.(history, pick, cents)
      .then(() => {
        taken += 1;
      })
      .catch((error: Error) =>
        expect(
          REFUSED.concat(404).some((status) => error.message.includes(`returned ${status}`)),
          error.message,
        ).toBe(true),
      );
  }
  await client.asaas.control.advance({ days: 60 });
  expect(taken).toBeGreaterThan(STEPS / 2);

  const entries = await entriesOf(client);
  const cents = (reais: number) => Math.round(reais * 100);
  let sum = 0;
  for (const { value, balance } of entries) {
    sum += cents(value);
    expect(cents(balance)).toBe(sum);
  }
  expect(cents((await client.ok('GET', '/finance/balance')).balance)).toBe(sum);
  expect(sum).toBe(await expectedCents(client, entries));
  await client.asaas.stop();
});

async function entriesOf(client: AsaasClient): Promise<Json[]> {
  const entries: Json[] = [];
  for (let offset = 0; ; offset += 100) {
    const page = await client.ok('GET', `/financialTransactions?order=asc&limit=100&offset=${offset}`);
    entries.push(...page.data);
    if (!page.hasMore) return entries;
  }
}

/** The expected balance, computed from the states of all resources instead of entries. */
async function expectedCents(client: AsaasClient, entries: Json[]): Promise<number> {
  const { payments, transfers, invoices } = await client.asaas.control.account(client.account.id);
  let cents = 100_000;
  for (const payment of payments) {
    if (!payment.credited) continue;
    const { value, fee, status, refunds, chargeback } = payment;
    const back = refunds.reduce(
      (sum, refund) => (refund.status === 'CANCELLED' ? sum : sum + refund.value),
      0,
    );
    const disputed = chargeback?.taken && chargeback.status !== 'REVERSED' ? chargeback.value : 0;
    cents += value - fee - back - disputed - (status === 'DUNNING_RECEIVED' ? 300 : 0);
  }
  for (const { value, fee, status, returned } of transfers) {
    if (status !== 'FAILED' && status !== 'CANCELLED') cents -= value + fee - returned;
  }
  cents -= 49 * invoices.filter(({ number }) => number !== null).length;
  // Amounts without a resource of their own.
  const loose = ['BACEN_JUDICIAL_LOCK', 'BACEN_JUDICIAL_UNLOCK', 'CREDIT'];
  for (const { type, value, description } of entries) {
    if (loose.includes(type) && description !== 'Saldo inicial') cents += Math.round(value * 100);
  }
  return cents;
}
