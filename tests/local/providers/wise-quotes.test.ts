// Quotes of the Wise emulator: their requirements, their fees by payment method, and how long they are valid.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { optionOf, RECIPIENTS, startWiseForTest, type WiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
let path: string;
const FEES = {
  balance: { fixed: 30, percent: 1 },
  bankTransfer: { fixed: 60, percent: 2 },
  swift: 400,
  withRecipient: 15,
};
beforeAll(async () => {
  client = await startWiseForTest({}, { balances: { EUR: 200, USD: 0 }, options: { fees: FEES } });
  path = `/profiles/${client.account.profile}/quotes`;
});
afterAll(() => client.wise.stop());

const EUR_USD = { sourceCurrency: 'EUR', targetCurrency: 'USD' };

test('requires one of the two amounts, above zero, in whole minor units, and currencies', async () => {
  const refused = [
    [{ ...EUR_USD, sourceAmount: 1, targetAmount: 1 }, 'error.quote.amount.onlySingle', 'sourceAmount'],
    [EUR_USD, 'error.quote.amount.onlySingle', 'sourceAmount'],
    [{ ...EUR_USD, sourceAmount: -1 }, 'error.greaterThanZero', 'sourceAmount'],
    [{ ...EUR_USD, targetAmount: 0 }, 'error.greaterThanZero', 'targetAmount'],
    [{ ...EUR_USD, targetAmount: 1.001 }, 'BAD_REQUEST', 'targetAmount'],
    [{ sourceCurrency: 'EUR', targetCurrency: 'JPY', targetAmount: 1.5 }, 'BAD_REQUEST', 'targetAmount'],
    [{ ...EUR_USD, targetAmount: '1' }, 'BAD_REQUEST', 'targetAmount'],
    [{ sourceCurrency: 'eur', targetCurrency: 'USD', targetAmount: 1 }, 'CurrencyCode', 'sourceCurrency'],
    [{ targetCurrency: 'USD', targetAmount: 1 }, 'NotNull', 'sourceCurrency'],
  ] as const;
  for (const [body, code, member] of refused) {
    const answer = await client.call('POST', path, body);
    expect([answer.status, answer.body.errors[0]]).toEqual([
      400,
      expect.objectContaining({ code, path: member }),
    ]);
  }
  const route = await client.call('POST', path, {
    sourceCurrency: 'CNY',
    targetCurrency: 'EUR',
    targetAmount: 1,
  });
  expect([route.status, route.body.errors[0]]).toMatchObject([
    422,
    { code: 'error.route.not.supported', arguments: ['CNY-EUR'] },
  ]);
});

test('pays the target amount to the beneficiary, and deducts the fee in the source currency', async () => {
  const quote = await client.quote({ ...EUR_USD, targetAmount: 110 });
  expect(quote).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    targetAmount: 110,
    providedAmountType: 'TARGET',
    rate: 1.08542,
    status: 'PENDING',
    payOut: 'BANK_TRANSFER',
  });
  expect(quote).not.toHaveProperty('sourceAmount');
  // 110 / 1.08542 = 101.34; 1 % of it and 0.30.
  expect(optionOf(quote)).toMatchObject({
    fee: { total: 1.31 },
    price: { total: { value: { amount: 1.31, currency: 'EUR' } } },
    sourceAmount: 102.65,
    targetAmount: 110,
    sourceCurrency: 'EUR',
    targetCurrency: 'USD',
  });
  expect(optionOf(quote, 'BANK_TRANSFER')).toMatchObject({ fee: { total: 2.63 }, sourceAmount: 103.97 });
});

test('deducts the fee from a source amount', async () => {
  const quote = await client.quote({ ...EUR_USD, sourceAmount: 100 });
  expect(quote).toMatchObject({ sourceAmount: 100, providedAmountType: 'SOURCE' });
  expect(quote).not.toHaveProperty('targetAmount');
  // 98.70 * 1.08542
  expect(optionOf(quote)).toMatchObject({ fee: { total: 1.3 }, sourceAmount: 100, targetAmount: 107.13 });
});

test('charges nothing for the conversion if there is none', async () => {
  const quote = await client.quote();
  expect(quote.rate).toBe(1);
  expect(optionOf(quote)).toMatchObject({ fee: { total: 1.3 }, sourceAmount: 101.3, targetAmount: 100 });
});

test('lists the preferred payment method first, by default a bank transfer', async () => {
  const first = (quote: { paymentOptions: { payIn: string }[] }) => quote.paymentOptions[0]?.payIn;
  expect(first(await client.quote({ preferredPayIn: 'BALANCE' }))).toBe('BALANCE');
  expect(first(await client.quote({ preferredPayIn: null, payIn: 'BALANCE' }))).toBe('BALANCE');
  expect(first(await client.quote({ preferredPayIn: null }))).toBe('BANK_TRANSFER');
});

test('disables the balance if it is too low', async () => {
  expect(optionOf(await client.quote({ targetAmount: 500 }))).toMatchObject({
    disabled: true,
    disabledReason: { code: expect.any(String), message: expect.any(String) },
  });
  expect(optionOf(await client.quote({ sourceCurrency: 'GBP' })).disabled).toBe(true);
  expect(optionOf(await client.quote()).disabled).toBe(false);
});

test('is changed only by a merge patch; a recipient changes payout method and fee', async () => {
  const quote = await client.quote(EUR_USD);
  const local = await client.recipient(RECIPIENTS.USD);
  const abroad = await client.recipient(RECIPIENTS.USD_SWIFT);
  const plain = await client.call('PATCH', `${path}/${quote.id}`, { targetAccount: local.id });
  expect([plain.status, plain.body.error]).toEqual([415, 'Unsupported Media Type']);
  const fee = optionOf(quote).fee.total;
  const tied = (await client.patch(quote.id, { targetAccount: local.id })).body;
  expect([tied.payOut, optionOf(tied).fee.total]).toEqual(['BANK_TRANSFER', expect.closeTo(fee + 0.15, 5)]);
  const moved = (await client.patch(quote.id, { targetAccount: abroad.id })).body;
  expect([moved.payOut, optionOf(moved).fee.total]).toEqual(['SWIFT', expect.closeTo(fee + 4.15, 5)]);
  expect(optionOf(moved).targetAmount).toBe(100);
  const guaranteed = await client.patch(quote.id, { targetAccount: abroad.id, payOut: 'SWIFT_OUR' });
  expect(guaranteed.body.payOut).toBe('SWIFT_OUR');
  expect(await client.ok('GET', `${path}/${quote.id}`)).toEqual(guaranteed.body);
  const euro = await client.recipient();
  expect((await client.patch(quote.id, { targetAccount: euro.id })).status).toBe(422);
});

test('expires after half an hour, keeps its rate longer, and is deleted two days later', async () => {
  const quote = await client.quote(EUR_USD);
  const created = Date.parse(quote.createdTime);
  expect(Date.parse(quote.expirationTime) - created).toBe(30 * 60_000);
  expect(Date.parse(quote.rateExpirationTime) - created).toBe(24 * 60 * 60_000);
  await client.wise.control.advance({ minutes: 29, seconds: 59 });
  expect((await client.ok('GET', `${path}/${quote.id}`)).status).toBe('PENDING');
  await client.wise.control.advance({ seconds: 1 });
  expect((await client.ok('GET', `${path}/${quote.id}`)).status).toBe('EXPIRED');
  const { id: targetAccount } = await client.recipient(RECIPIENTS.USD);
  expect((await client.patch(quote.id, { targetAccount })).status).toBe(422);
  const transfer = await client.call('POST', '/transfers', {
    targetAccount,
    quoteUuid: quote.id,
    customerTransactionId: '0e3de0f5-9f6b-4b8e-8c5f-0a1b2c3d4e5f',
  });
  expect([transfer.status, transfer.body.errors[0].code]).toEqual([422, 'error.quote.expired']);
  await client.wise.control.advance({ hours: 48 });
  expect((await client.call('GET', `${path}/${quote.id}`)).status).toBe(404);
});

test('a quote is accepted by its transfer, and funded with it', async () => {
  const { id, quoteUuid } = await client.transfer();
  expect((await client.ok('GET', `${path}/${quoteUuid}`)).status).toBe('ACCEPTED');
  expect((await client.fund(id)).status).toBe(201);
  expect((await client.ok('GET', `${path}/${quoteUuid}`)).status).toBe('FUNDED');
  expect((await client.patch(quoteUuid, { payOut: 'BANK_TRANSFER' })).status).toBe(422);
});

test('is found only under its own profile', async () => {
  const { id } = await client.quote();
  const personal = `/profiles/${client.account.personalProfile}/quotes/${id}`;
  expect((await client.call('GET', personal)).status).toBe(404);
  const change = { payOut: 'SWIFT' };
  const merge = { 'content-type': 'application/merge-patch+json' };
  expect((await client.call('PATCH', personal, change, merge)).status).toBe(404);
  expect((await client.patch(id, change)).status).toBe(200);
});
