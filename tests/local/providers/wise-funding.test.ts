// Funding in the Wise emulator: rejected with a successful status, forbidden, or with strong authentication.
import { createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AccountOptionsOrder } from '../../../local/providers/wise/control.ts';
import type { Answer } from '../../support/payments/asaas.ts';
import { RECIPIENTS, startWiseForTest, type WiseClient, wiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
beforeAll(async () => {
  client = await startWiseForTest();
});
beforeEach(async () => {
  Object.assign(client, await wiseClient(client.wise, { balances: { EUR: 1000 } }));
});
afterAll(() => client.wise.stop());

const options = (change: AccountOptionsOrder) => client.wise.control.options(client.account.id, change);
const pathOf = (id: number) => `/profiles/${client.account.profile}/transfers/${id}/payments`;

test('returns 201 even for a rejection, and deducts the money with the next call', async () => {
  const { id } = await client.transfer({ quote: { targetAmount: 2000 } });
  const rejected = await client.fund(id);
  expect([rejected.status, rejected.body]).toEqual([
    201,
    { type: 'BALANCE', status: 'REJECTED', errorCode: 'transfer.insufficient_funds', errorMessage: null },
  ]);
  expect(await client.state(id)).toBe('incoming_payment_waiting');
  expect(await client.balance('EUR')).toBe(1000);
  await client.wise.control.topUp(client.account.id, { currency: 'EUR', amount: 2000 });
  expect((await client.fund(id)).body.status).toBe('COMPLETED');
  expect(await client.state(id)).toBe('processing');
});

test("rejects in the other spelling and status of Wise's documentation", async () => {
  await options({ rejectedStatus: 422, insufficientFunds: 'balance.payment-option-unavailable' });
  const { id } = await client.transfer({ quote: { targetAmount: 2000 } });
  const rejected = await client.fund(id);
  expect([rejected.status, rejected.body.errorCode]).toEqual([422, 'balance.payment-option-unavailable']);
});

test('rejects if there is no balance in the currency', async () => {
  const { id } = await client.transfer({ quote: { sourceCurrency: 'GBP' } });
  expect((await client.fund(id)).body).toMatchObject({
    status: 'REJECTED',
    errorCode: 'balance.payment-option-unavailable',
  });
});

test('deducts the money once: a second call is rejected by the state, and the payments show why', async () => {
  const { id } = await client.transfer();
  expect(await client.ok('GET', `/v1/transfers/${id}/payments`)).toEqual([]);
  await client.wise.control.fault({ kind: 'cut_after', method: 'POST', path: `/*${id}/payments` });
  await expect(client.fund(id)).rejects.toThrow();
  const balance = await client.balance('EUR');
  const again = await client.fund(id);
  expect([again.status, again.body.errors[0].code]).toEqual([422, 'transfer.invalid-state']);
  expect(await client.ok('GET', `/v1/transfers/${id}/payments`)).toHaveLength(1);
  expect(await client.balance('EUR')).toBe(balance);
  await options({ fundingErrors: 'problem' });
  expect((await client.fund(id)).body).toEqual({
    type: 'about:blank',
    status: 422,
    code: 'transfer.invalid-state',
    detail: expect.any(String),
  });
});

test('rejects other payment types, unknown transfers, and those of another profile', async () => {
  const { id } = await client.transfer();
  const codeOf = ({ status, body }: Answer) => [status, body.errors[0].code];
  expect(codeOf(await client.call('POST', pathOf(id), { type: 'TRUSTED_PRE_FUND_BULK' }))).toEqual([
    422,
    'trustedprefundbulk.payment-option-unavailable',
  ]);
  expect(codeOf(await client.fund(id + 1))).toEqual([404, 'transfer.not-found']);
  const personal = `/profiles/${client.account.personalProfile}/transfers/${id}/payments`;
  expect(codeOf(await client.call('POST', personal, { type: 'BALANCE' }))).toEqual([
    403,
    'transfer.not-accessible-for-user',
  ]);
});

test('is forbidden for accounts of some countries, whose users fund on the site', async () => {
  await options({ funding: 'forbidden', statements: 'forbidden' });
  const { id } = await client.transfer();
  const refused = await client.fund(id);
  expect([refused.status, refused.body.error]).toEqual([403, 'Forbidden']);
  expect(refused.headers.has('x-2fa-approval')).toBe(false);
  await client.wise.control.transfer(client.account.id, id, { step: 'pay-in', method: 'BANK_TRANSFER' });
  const { transfers } = await client.wise.control.account(client.account.id);
  expect(transfers[0]?.states).toEqual([
    'incoming_payment_waiting',
    'incoming_payment_initiated',
    'processing',
  ]);
  expect(await client.balance('EUR')).toBe(1000);
  expect(await client.ok('GET', `/v1/transfers/${id}/payments`)).toMatchObject([{ method: 'BANK_TRANSFER' }]);
});

test('requires an authentication that only people can provide', async () => {
  await options({ sca: 'refuse' });
  const { id } = await client.transfer();
  const refused = await client.fund(id);
  expect([refused.status, refused.body]).toEqual([
    403,
    {
      timestamp: expect.any(String),
      status: 403,
      error: 'unauthorized',
      message: 'Unauthorized',
      path: null,
    },
  ]);
  expect(refused.headers.get('x-2fa-approval-result')).toBe('REJECTED');
  expect(refused.headers.get('x-2fa-approval')).toMatch(/^[0-9a-f-]{36}$/);
  expect(await client.state(id)).toBe('incoming_payment_waiting');
});

test('accepts a one-time token once, signed with the uploaded key', async () => {
  await options({ sca: 'sign' });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const sign = (token: string) => createSign('RSA-SHA256').update(token).sign(privateKey, 'base64');
  const { id } = await client.transfer();
  const tokenOf = async () => (await client.fund(id)).headers.get('x-2fa-approval') ?? '';
  const fundWith = (token: string, signature: string) =>
    client.call(
      'POST',
      pathOf(id),
      { type: 'BALANCE' },
      { 'x-2fa-approval': token, 'x-signature': signature },
    );
  const early = await tokenOf();
  expect((await fundWith(early, sign(early))).status).toBe(403);
  await client.wise.control.scaKey(client.account.id, publicKey);
  const wrong = await tokenOf();
  expect((await fundWith(wrong, sign('another'))).status).toBe(403);
  // Shown once, so used up.
  expect((await fundWith(wrong, sign(wrong))).status).toBe(403);
  const late = await tokenOf();
  await client.wise.control.advance({ minutes: 5 });
  expect((await fundWith(late, sign(late))).status).toBe(403);
  const token = await tokenOf();
  const funded = await fundWith(token, sign(token));
  expect([funded.status, funded.headers.get('x-2fa-approval-result')]).toEqual([201, 'APPROVED']);
  expect(funded.body.status).toBe('COMPLETED');
});

test('statements require the authentication too, and are then allowed for five minutes', async () => {
  const [balance] = await client.ok('GET', `/profiles/${client.account.profile}/balances?types=STANDARD`);
  const now = await client.wise.control.now();
  const since = new Date(now.getTime() - 30 * 86_400_000);
  const path =
    `/profiles/${client.account.profile}/balance-statements/${balance.id}/statement.json` +
    `?currency=EUR&intervalStart=${since.toISOString()}&intervalEnd=${now.toISOString()}`;
  expect((await client.call('GET', path)).status).toBe(200);
  await options({ sca: 'sign' });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await client.wise.control.scaKey(client.account.id, publicKey);
  const token = (await client.call('GET', path)).headers.get('x-2fa-approval') ?? '';
  const signature = createSign('RSA-SHA256').update(token).sign(privateKey, 'base64');
  const proved = { 'x-2fa-approval': token, 'x-signature': signature };
  expect((await client.call('GET', path, undefined, proved)).status).toBe(200);
  expect((await client.call('GET', path)).status).toBe(200);
  // Funding has another risk category, so it requires its own authentication.
  const { id } = await client.transfer();
  expect((await client.fund(id)).status).toBe(403);
  await client.wise.control.advance({ minutes: 5 });
  expect((await client.call('GET', path)).status).toBe(403);
  await options({ sca: 'off', statements: 'forbidden' });
  expect((await client.call('GET', path)).status).toBe(403);
});

test("uses the current rate once the quote's rate has expired", async () => {
  const pounds = { quote: { targetCurrency: 'GBP' }, recipient: RECIPIENTS.GBP };
  const [soon, late] = [await client.transfer(pounds), await client.transfer(pounds)];
  const { rates } = (await client.wise.control.account(client.account.id)).options;
  await options({ rates: { ...rates, GBP: 0.7 } });
  await client.wise.control.advance({ hours: 23 });
  await client.fund(soon.id);
  await client.wise.control.advance({ hours: 1 });
  await client.fund(late.id);
  const soonPaid = await client.ok('GET', `/transfers/${soon.id}`);
  expect([soonPaid.rate, soonPaid.sourceValue]).toEqual([soon.rate, soon.sourceValue]);
  const latePaid = await client.ok('GET', `/transfers/${late.id}`);
  expect([latePaid.rate, latePaid.targetValue]).toEqual([0.759796, 100]);
  expect(latePaid.sourceValue).toBe(131.61);
});

test('costs more if the quote was for a bank transfer and the balance pays', async () => {
  const { id, quoteUuid, sourceValue } = await client.transfer({
    quote: { sourceAmount: 100, preferredPayIn: null },
  });
  await client.fund(id);
  const quote = await client.ok('GET', `/profiles/${client.account.profile}/quotes/${quoteUuid}`);
  const [first] = quote.paymentOptions;
  const [payment] = await client.ok('GET', `/v1/transfers/${id}/payments`);
  expect(first).toMatchObject({ payIn: 'BANK_TRANSFER', sourceAmount: 100 });
  expect(payment.amount).not.toBe(100);
  expect(payment.amount).toBeGreaterThan(sourceValue);
});
