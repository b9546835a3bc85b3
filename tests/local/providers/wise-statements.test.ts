// Statements of the Wise emulator: lines with their fees, within the requested interval.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Json } from '../../support/payments/vendor-receiver.ts';
import {
  optionOf,
  RECIPIENTS,
  startWiseForTest,
  type WiseClient,
  wiseClient,
} from '../../support/payments/wise.ts';

let client: WiseClient;
beforeAll(async () => {
  client = await startWiseForTest();
});
beforeEach(async () => {
  Object.assign(client, await wiseClient(client.wise, { balances: { EUR: 1000 } }));
});
afterAll(() => client.wise.stop());

const isoNow = async (hours = 0) =>
  new Date((await client.wise.control.now()).getTime() + hours * 3_600_000).toISOString();

async function statement(query: Record<string, string> = {}, version = ''): Promise<Json> {
  const { profile } = client.account;
  const [{ id }] = await client.ok('GET', `/profiles/${profile}/balances?types=STANDARD`);
  const asked = new URLSearchParams({
    currency: 'EUR',
    intervalStart: await isoNow(-100),
    intervalEnd: await isoNow(),
    ...query,
  });
  return client.call(
    'GET',
    `${version}/profiles/${profile}/balance-statements/${id}/statement.json?${asked}`,
  );
}

async function paid(): Promise<{ transfer: Json; fee: number; total: number }> {
  const transfer = await client.transfer({
    quote: { targetCurrency: 'GBP', targetAmount: 50 },
    recipient: RECIPIENTS.GBP,
  });
  await client.fund(transfer.id);
  const quote = await client.ok('GET', `/profiles/${client.account.profile}/quotes/${transfer.quoteUuid}`);
  const { fee, sourceAmount } = optionOf(quote);
  return { transfer, fee: fee.total, total: sourceAmount };
}

test('shows a transfer with its fee and conversion in one line, newest first', async () => {
  const { transfer, fee, total } = await paid();
  const { body } = await statement();
  expect(body.transactions).toHaveLength(2);
  expect(body.transactions[0]).toMatchObject({
    type: 'DEBIT',
    date: expect.stringMatching(/\.\d{3}Z$/),
    amount: { value: -total, currency: 'EUR', zero: false },
    totalFees: { value: fee, currency: 'EUR' },
    details: {
      type: 'TRANSFER',
      description: 'Sent money to Ann Lee',
      recipient: { name: 'Ann Lee', bankAccount: '(231470) 28821822' },
      paymentReference: 'PO 1',
    },
    exchangeDetails: {
      toAmount: { value: 50, currency: 'GBP' },
      fromAmount: { value: transfer.sourceValue, currency: 'EUR' },
      rate: transfer.rate,
    },
    runningBalance: { value: 1000 - total, currency: 'EUR' },
    referenceNumber: `TRANSFER-${transfer.id}`,
  });
  expect(body.endOfStatementBalance).toEqual({ value: 1000 - total, currency: 'EUR' });
  expect(body.query).toMatchObject({ type: 'COMPACT', currency: 'EUR', profileId: client.account.profile });
});

test('shows a flat fee in a separate line', async () => {
  const { fee, total } = await paid();
  const { body } = await statement({ type: 'FLAT' });
  const amounts = body.transactions.map(({ amount }: Json) => amount.value);
  expect(amounts).toEqual([-fee, expect.closeTo(fee - total, 6), 1000]);
});

test('a refund line names the refunded transfer', async () => {
  const { transfer, total } = await paid();
  await client.ok('PUT', `/transfers/${transfer.id}/cancel`);
  await client.wise.control.advance({ days: 1 });
  const { body } = await statement();
  expect(body.transactions[0]).toMatchObject({
    type: 'CREDIT',
    amount: { value: total },
    totalFees: { value: 0, zero: true },
    referenceNumber: `TRANSFER-${transfer.id}`,
    runningBalance: { value: 1000 },
  });
});

test('is limited to the interval, and returns the balances at its ends', async () => {
  await client.wise.control.advance({ hours: 1 });
  const { total } = await paid();
  await client.wise.control.advance({ hours: 1 });
  await client.wise.control.topUp(client.account.id, { currency: 'EUR', amount: 5 });
  const { body } = await statement({
    intervalStart: await isoNow(-1.5),
    intervalEnd: await isoNow(-0.5),
  });
  expect(body.transactions).toHaveLength(1);
  expect(body.startOfStatementBalance.value).toBe(1000);
  expect(body.endOfStatementBalance.value).toBe(1000 - total);
  await client.wise.control.options(client.account.id, { statementOrder: 'oldest_first' });
  expect((await statement()).body.transactions[0].amount.value).toBe(1000);
});

test('rejects other currencies, a missing interval, and one of more than 469 days', async () => {
  expect((await statement({ currency: 'USD' })).status).toBe(400);
  expect((await statement({ intervalStart: '' })).body.errors[0]).toMatchObject({
    code: 'NotNull',
    path: 'intervalStart',
  });
  expect((await statement({ intervalStart: await isoNow(-470 * 24) })).status).toBe(400);
  expect((await statement({ intervalStart: await isoNow(-469 * 24) })).status).toBe(200);
  expect((await statement({ type: 'LONG' })).status).toBe(400);
  expect((await statement({}, '/v1')).status).toBe(200);
  expect((await statement({}, '/v3')).status).toBe(404);
});

test('converts money between balances', async () => {
  await client.wise.control.convert(client.account.id, { from: 'EUR', to: 'GBP', amount: 100, fee: 1 });
  const { body } = await statement();
  expect(body.transactions[0]).toMatchObject({
    amount: { value: -100 },
    totalFees: { value: 1 },
    details: { type: 'CONVERSION', sourceAmount: { value: 99, currency: 'EUR' } },
    referenceNumber: expect.stringMatching(/^CONVERSION-\d+$/),
  });
  expect(await client.balance('GBP')).toBe(body.transactions[0].details.targetAmount.value);
});
