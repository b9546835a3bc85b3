// Complete payouts with the Wise emulator, by kind of currency; transfers are created, found and canceled.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  client = await startWiseForTest({}, { balances: { EUR: 100_000, USD: 100_000 } });
});
afterAll(() => client.wise.stop());

const BRAZILIAN = { paymentMetadata: { transferNature: 'BUY_OR_SELL_OTHER_SERVICE' } };
const SERVICES = {
  transferPurpose: 'verification.transfers.purpose.purchase.services',
  transferPurposeSubTransferPurpose: 'SOFTWARE_DEVELOPMENT_SERVICE',
  transferPurposeInvoiceNumber: 'INV 1',
};

const ways: [string, string, Json, object, object][] = [
  ['EUR', 'EUR', RECIPIENTS.EUR, {}, {}],
  ['EUR', 'GBP', RECIPIENTS.GBP, {}, {}],
  ['EUR', 'GBP', RECIPIENTS.GBP_IBAN, {}, {}],
  ['USD', 'USD', RECIPIENTS.USD, {}, {}],
  ['EUR', 'USD', RECIPIENTS.USD_SWIFT, {}, {}],
  ['EUR', 'BRL', RECIPIENTS.BRL, BRAZILIAN, {}],
  ['EUR', 'CAD', RECIPIENTS.CAD, {}, {}],
  ['EUR', 'AUD', RECIPIENTS.AUD, {}, {}],
  ['EUR', 'MXN', RECIPIENTS.MXN, {}, {}],
  ['EUR', 'INR', RECIPIENTS.INR, {}, SERVICES],
  ['EUR', 'JPY', RECIPIENTS.JPY, {}, {}],
];

test.each(ways)('pays %s to %s, to the unit', async (source, target, recipient, extra, details) => {
  const before = await client.balance(source);
  const quote = { sourceCurrency: source, targetCurrency: target, targetAmount: 1500, ...extra };
  const made = await client.transfer({ quote, recipient, order: { details } });
  expect(made).toMatchObject({
    status: 'incoming_payment_waiting',
    sourceCurrency: source,
    targetCurrency: target,
    targetValue: 1500,
    business: client.account.profile,
    quote: null,
    created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  });
  expect(made.id).toBeGreaterThan(2 ** 31);
  const quoted = await client.ok('GET', `/profiles/${client.account.profile}/quotes/${made.quoteUuid}`);
  const { fee, sourceAmount } = optionOf(quoted);
  // The converted amount, without the fee.
  expect(made.sourceValue).toBeCloseTo(sourceAmount - fee.total, 6);
  const funded = await client.fund(made.id);
  expect([funded.status, funded.body]).toEqual([
    201,
    {
      type: 'BALANCE',
      status: 'COMPLETED',
      errorCode: null,
      errorMessage: null,
      balanceTransactionId: expect.any(Number),
    },
  ]);
  expect(await client.balance(source)).toBeCloseTo(before - sourceAmount, 6);
  expect(await client.ok('GET', `/v1/transfers/${made.id}/payments`)).toMatchObject([
    { method: 'BALANCE', amount: sourceAmount, currency: source },
  ]);
  expect(await client.state(made.id)).toBe('processing');
  await client.wise.control.advance({ seconds: 2 });
  expect(await client.state(made.id)).toBe('funds_converted');
  await client.wise.control.advance({ seconds: 2 });
  expect(await client.state(made.id)).toBe('outgoing_payment_sent');
});

test('the same customerTransactionId returns the same transfer, in any spelling', async () => {
  const { id: targetAccount } = await client.recipient();
  const customerTransactionId = randomUUID();
  const order = async () => ({ targetAccount, quoteUuid: (await client.quote()).id, customerTransactionId });
  const first = await order();
  const made = await client.ok('POST', '/transfers', first);
  expect(await client.ok('POST', '/transfers', first)).toEqual(made);
  const later = { ...(await order()), customerTransactionId: customerTransactionId.toUpperCase() };
  expect((await client.ok('POST', '/transfers', later)).id).toBe(made.id);
  await client.fund(made.id);
  expect(await client.ok('POST', '/transfers', first)).toMatchObject({ id: made.id, status: 'processing' });
});

test('rejects a used quote, an id that is not a UUID, and mismatches', async () => {
  const { targetAccount, quoteUuid } = await client.transfer();
  const order = async (change: object) =>
    client.call('POST', '/transfers', {
      targetAccount,
      quoteUuid: (await client.quote()).id,
      customerTransactionId: randomUUID(),
      ...change,
    });
  const codeOf = ({ status, body }: Json) => [status, body.errors[0].code, body.errors[0].path];
  expect(codeOf(await order({ quoteUuid }))).toEqual([422, 'error.quote.already.used', 'quoteUuid']);
  expect(codeOf(await order({ customerTransactionId: 'pay_1' }))).toEqual([
    400,
    'BAD_REQUEST',
    'customerTransactionId',
  ]);
  expect(codeOf(await order({ customerTransactionId: undefined }))[1]).toBe('NotNull');
  expect(codeOf(await order({ targetAccount: String(targetAccount) }))[1]).toBe('BAD_REQUEST');
  expect(codeOf(await order({ details: { reference: 'x'.repeat(141) } }))).toEqual([
    422,
    'NOT_VALID',
    'reference',
  ]);
  const { id: pound } = await client.recipient(RECIPIENTS.GBP);
  expect(codeOf(await order({ targetAccount: pound }))).toEqual([422, 'NOT_VALID', 'targetAccount']);
  expect((await order({ quoteUuid: randomUUID() })).status).toBe(404);
  await client.wise.control.options(client.account.id, { paymentApprovals: true });
  expect((await order({})).body.errors[0].message).toContain('missing approval');
  await client.wise.control.options(client.account.id, { paymentApprovals: false });
});

test("requires the recipient's address if the source is in dollars", async () => {
  const { id: targetAccount } = await client.recipient();
  const { id: quoteUuid } = await client.quote({ sourceCurrency: 'USD' });
  const order = { targetAccount, quoteUuid, customerTransactionId: randomUUID() };
  const answer = await client.call('POST', '/transfers', order);
  expect([answer.status, answer.body.errors[0].code]).toEqual([422, 'INVALID_RECIPIENT']);
});

test('returns what a route requires, and rejects a transfer without it', async () => {
  const { id: targetAccount } = await client.recipient(RECIPIENTS.INR);
  const { id: quoteUuid } = await client.quote({ targetCurrency: 'INR', targetAmount: 5000 });
  const asked = async (details: object) => {
    const order = { targetAccount, quoteUuid, details };
    const [form] = await client.ok('POST', '/transfer-requirements', order);
    expect(form.type).toBe('transfer');
    return form.fields.map(({ group }: Json) => [group[0].key, group[0].required]);
  };
  expect(await asked({})).toEqual([
    ['reference', false],
    ['transferPurpose', true],
  ]);
  expect(await asked(SERVICES)).toEqual([
    ['reference', false],
    ['transferPurpose', true],
    ['transferPurposeSubTransferPurpose', true],
    ['transferPurposeInvoiceNumber', true],
  ]);
  const order = { targetAccount, quoteUuid, customerTransactionId: randomUUID() };
  const answer = await client.call('POST', '/transfers', order);
  expect([answer.status, answer.body.errors[0].path]).toEqual([422, 'transferPurpose']);
  const dollars = await client.recipient(RECIPIENTS.USD);
  const large = await client.quote({ targetCurrency: 'USD', targetAmount: 80_000.01 });
  const [form] = await client.ok('POST', '/transfer-requirements', {
    targetAccount: dollars.id,
    quoteUuid: large.id,
  });
  expect(form.fields.map(({ group }: Json) => group[0].key)).toEqual(['reference', 'sourceOfFunds']);
});

test('lists transfers as a bare array, newest first, by default of the personal profile', async () => {
  const other = await wiseClient(client.wise, { balances: { EUR: 1000 } });
  const made: number[] = [];
  for (let number = 0; number < 3; number++) {
    made.push((await other.transfer()).id);
    await client.wise.control.advance({ days: 1 });
  }
  await other.transfer({ quote: { targetCurrency: 'GBP' }, recipient: RECIPIENTS.GBP });
  const [first = 0, second = 0, third = 0] = made;
  await other.ok('PUT', `/transfers/${second}/cancel`);
  const list = async (query: string): Promise<number[]> =>
    (await other.ok('GET', `/transfers?profile=${other.account.profile}&${query}`)).map(({ id }: Json) => id);
  expect(await other.ok('GET', '/transfers')).toEqual([]);
  expect(await list('targetCurrency=EUR')).toEqual([third, second, first]);
  expect(await list('targetCurrency=EUR&limit=1&offset=1')).toEqual([second]);
  expect(await list('status=cancelled,processing')).toEqual([second]);
  const { created } = await other.ok('GET', `/transfers/${second}`);
  const day = created.slice(0, 10);
  expect(await list(`createdDateStart=${day}&createdDateEnd=${day}`)).toEqual([second]);
  expect(await list(`targetCurrency=EUR&createdDateEnd=${created.replace(' ', 'T')}Z`)).toEqual([
    second,
    first,
  ]);
  expect((await other.call('GET', '/transfers?limit=many')).status).toBe(400);
});

test('cancels unconverted transfers, and returns the money with the fee', async () => {
  const waiting = await client.transfer();
  expect((await client.ok('PUT', `/transfers/${waiting.id}/cancel`)).status).toBe('cancelled');
  const before = await client.balance('EUR');
  const funded = await client.transfer();
  await client.fund(funded.id);
  expect((await client.ok('PUT', `/transfers/${funded.id}/cancel`)).status).toBe('cancelled');
  expect(await client.balance('EUR')).toBeLessThan(before);
  await client.wise.control.advance({ days: 1 });
  expect(await client.state(funded.id)).toBe('funds_refunded');
  expect(await client.state(waiting.id)).toBe('cancelled');
  expect(await client.balance('EUR')).toBeCloseTo(before, 6);

  const converted = await client.transfer();
  await client.fund(converted.id);
  await client.wise.control.advance({ seconds: 2 });
  const refused = await client.call('PUT', `/transfers/${converted.id}/cancel`);
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [
      {
        code: 'transfer.cancellation.not.allowed',
        message: 'Transfer cannot be cancelled',
        arguments: [],
      },
    ],
  ]);
  const held = await client.transfer();
  await client.wise.control.transfer(client.account.id, held.id, { step: 'review', underReview: true });
  expect((await client.call('PUT', `/transfers/${held.id}/cancel`)).status).toBe(409);
});

test('shows the source value with the fee on request, and a business only if there is one', async () => {
  const other = await wiseClient(client.wise, { balances: { EUR: 1000 }, options: { sourceValue: 'total' } });
  const { id, business } = await other.transfer();
  expect(business).toBe(other.account.profile);
  await other.fund(id);
  const [{ amount }] = await other.ok('GET', `/v1/transfers/${id}/payments`);
  expect((await other.ok('GET', `/transfers/${id}`)).sourceValue).toBe(amount);
  const { personalProfile } = other.account;
  const { id: targetAccount } = await other.recipient({ ...RECIPIENTS.EUR, profile: personalProfile });
  const quote = await other.ok('POST', `/profiles/${personalProfile}/quotes`, {
    sourceCurrency: 'EUR',
    targetCurrency: 'EUR',
    targetAmount: 10,
  });
  const order = { targetAccount, quoteUuid: quote.id, customerTransactionId: randomUUID() };
  expect((await other.ok('POST', '/transfers', order)).business).toBeNull();
  expect(await other.ok('GET', '/transfers')).toHaveLength(1);
});

test('estimates delivery', async () => {
  const { id } = await client.transfer();
  expect(await client.ok('GET', `/v1/delivery-estimates/${id}`)).toEqual({
    estimatedDeliveryDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/),
  });
});
