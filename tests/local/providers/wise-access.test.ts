// Authentication and versions at the Wise emulator, and the format of its errors.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWise } from '../../../local/providers/wise/index.ts';
import { startWiseForTest, type WiseClient, wiseClient } from '../../support/payments/wise.ts';

let client: WiseClient;
beforeAll(async () => {
  client = await startWiseForTest({}, { balances: { EUR: 1000 } });
});
afterAll(() => client.wise.stop());

test('distinguishes missing and unknown tokens, and returns the unknown one', async () => {
  const missing = await client.call('GET', '/profiles', undefined, { authorization: '' });
  expect([missing.status, missing.body]).toEqual([
    401,
    { error: 'missing_token', error_description: expect.any(String) },
  ]);
  const unknown = await client.call('GET', '/profiles', undefined, { authorization: 'Bearer nobody' });
  expect([unknown.status, unknown.body]).toEqual([
    401,
    { error: 'invalid_token', error_description: 'nobody' },
  ]);
});

test('a revoked token stops working', async () => {
  const other = await wiseClient(client.wise);
  await client.wise.control.token(other.account.id, other.account.token, { enabled: false });
  expect((await other.call('GET', '/profiles')).status).toBe(401);
});

test('traces each response, and returns a correlation id that is not too long', async () => {
  const id = randomUUID();
  const answer = await client.call('GET', '/profiles', undefined, { 'x-external-correlation-id': id });
  expect(answer.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  expect(answer.headers.get('x-external-correlation-id')).toBe(id);
  const long = await client.call('GET', '/nothing', undefined, {
    'x-external-correlation-id': 'x'.repeat(37),
  });
  expect(long.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/);
  expect(long.headers.has('x-external-correlation-id')).toBe(false);
});

test('accepts past and current quarters, and older versions where they still exist', async () => {
  const { profile } = client.account;
  const balances = `/profiles/${profile}/balances?types=STANDARD`;
  const status = async (path: string) => (await client.call('GET', path)).status;
  expect(await status('/2026Q3/profiles')).toBe(200);
  expect(await status('/2026Q4/profiles')).toBe(200);
  expect(await status('/2027Q1/profiles')).toBe(404);
  expect(await status('/v1/profiles')).toBe(200);
  expect(await status('/v3/profiles')).toBe(404);
  expect(await status(`/v4${balances}`)).toBe(200);
  expect(await status(`/v1${balances}`)).toBe(404);
  const body = { sourceCurrency: 'EUR', targetCurrency: 'EUR', targetAmount: 1 };
  expect((await client.call('POST', `/v3/profiles/${profile}/quotes`, body)).status).toBe(200);
  expect((await client.call('POST', `/v2/profiles/${profile}/quotes`, body)).status).toBe(404);
  expect((await client.call('GET', '/2027Q1/profiles')).body).toEqual({
    timestamp: expect.any(String),
    status: 404,
    error: 'Not Found',
    message: 'No message available',
    path: '/2027Q1/profiles',
  });
});

test('returns profiles in two formats', async () => {
  const { profile, personalProfile } = client.account;
  expect(await client.ok('GET', '/profiles')).toMatchObject([
    { id: personalProfile, type: 'PERSONAL', fullName: 'Ann Lee', currentState: 'VISIBLE' },
    { id: profile, type: 'BUSINESS', businessName: 'Placar Demo Ltd' },
  ]);
  expect(await client.ok('GET', '/v1/profiles')).toMatchObject([
    { id: personalProfile, type: 'personal', details: { firstName: 'Ann', lastName: 'Lee' } },
    { id: profile, type: 'business', details: { name: 'Placar Demo Ltd' } },
  ]);
});

test('requires a balance type', async () => {
  const path = `/profiles/${client.account.profile}/balances`;
  expect((await client.call('GET', path)).status).toBe(400);
  expect(await client.ok('GET', `${path}?types=SAVINGS`)).toEqual([]);
  const [balance] = await client.ok('GET', `${path}?types=STANDARD`);
  expect(balance).toMatchObject({
    currency: 'EUR',
    type: 'STANDARD',
    amount: { value: 1000, currency: 'EUR' },
    reservedAmount: { value: 0, currency: 'EUR' },
  });
  expect(await client.ok('GET', `${path}/${balance.id}`)).toEqual(balance);
});

test('limits requests, and returns which limit applies and until when', async () => {
  const other = await wiseClient(client.wise, { options: { rateLimit: { requests: 2, seconds: 60 } } });
  await other.ok('GET', '/profiles');
  await client.wise.control.advance({ seconds: 20 });
  await other.ok('GET', '/profiles');
  const limited = await other.call('GET', '/profiles');
  expect(limited.status).toBe(429);
  expect(limited.headers.get('retry-after')).toBe('40');
  expect(limited.headers.get('x-rate-limited-by')).toBeTruthy();
  await client.wise.control.advance({ seconds: 40 });
  await other.ok('GET', '/profiles');
});

test("faults on request have Wise's messages", async () => {
  const { control } = client.wise;
  await control.fault({ kind: 'rate_limited', path: '/*/rates' });
  expect((await client.call('GET', '/rates')).headers.get('retry-after')).toBe('30');
  await control.fault({ kind: 'error_before', status: 503, path: '/*/rates' });
  expect((await client.call('GET', '/rates')).body).toMatchObject({
    status: 503,
    error: 'Service Unavailable',
  });
});

test('returns rates', async () => {
  expect(await client.ok('GET', '/rates?source=EUR&target=USD')).toEqual([
    {
      rate: 1.08542,
      source: 'EUR',
      target: 'USD',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
    },
  ]);
  expect((await client.call('GET', '/rates?source=EUR&target=XXX')).body.errors[0].code).toBe('CurrencyCode');
});

test("two accounts never see each other's data", async () => {
  const mine = await client.transfer();
  const quote = await client.quote();
  const other = await wiseClient(client.wise, { balances: { EUR: 1000 } });
  const { profile } = client.account;
  const [balance] = await client.ok('GET', `/profiles/${profile}/balances?types=STANDARD`);
  const interval = 'currency=EUR&intervalStart=2026-01-01&intervalEnd=2026-01-02';
  const asked = [
    ['GET', `/transfers/${mine.id}`, 404],
    ['PUT', `/transfers/${mine.id}/cancel`, 404],
    ['GET', `/transfers/${mine.id}/payments`, 404],
    ['GET', `/delivery-estimates/${mine.id}`, 404],
    ['GET', `/v1/simulation/transfers/${mine.id}/processing`, 404],
    ['GET', `/accounts/${mine.targetAccount}`, 404],
    ['DELETE', `/accounts/${mine.targetAccount}`, 404],
    ['GET', `/quotes/${quote.id}/account-requirements`, 404],
    ['GET', `/profiles/${profile}`, 403],
    ['GET', `/profiles/${profile}/quotes/${quote.id}`, 403],
    ['GET', `/profiles/${other.account.profile}/quotes/${quote.id}`, 404],
    ['GET', `/profiles/${profile}/balances?types=STANDARD`, 403],
    ['GET', `/profiles/${profile}/balance-statements/${balance.id}/statement.json?${interval}`, 403],
    [
      'GET',
      `/profiles/${other.account.profile}/balance-statements/${balance.id}/statement.json?${interval}`,
      404,
    ],
    ['GET', `/profiles/${profile}/subscriptions`, 403],
  ] as const;
  for (const [method, path, status] of asked) {
    expect([path, (await other.call(method, path)).status]).toEqual([path, status]);
  }
  const order = {
    targetAccount: mine.targetAccount,
    quoteUuid: quote.id,
    customerTransactionId: mine.customerTransactionId,
  };
  expect((await other.call('POST', '/transfers', order)).status).toBe(404);
  const own = await other.quote();
  expect((await other.patch(own.id, { targetAccount: mine.targetAccount })).status).toBe(404);
  const funded = await other.fund(mine.id);
  expect([funded.status, funded.body.errors[0].code]).toEqual([403, 'transfer.not-accessible-for-user']);
  expect(await other.ok('GET', `/transfers?profile=${profile}`)).toEqual([]);
  expect((await other.ok('GET', `/accounts?profileId=${profile}`)).content).toEqual([]);
  expect(await client.state(mine.id)).toBe('incoming_payment_waiting');
});

test('keeps everything, including its key, across a restart', async () => {
  const stateDir = await mkdtemp(`${tmpdir()}/wise-`);
  const first = await startWiseForTest({ stateDir }, { balances: { EUR: 1000 } });
  const { id } = await first.transfer();
  await first.fund(id);
  const { publicKey } = first.wise;
  await first.wise.stop();
  const second = await startWise({ stateDir });
  expect(second.publicKey).toBe(publicKey);
  await second.control.advance({ minutes: 1 });
  const { transfers } = await second.control.account(first.account.id);
  expect(transfers.map(({ states }) => states.at(-1))).toEqual(['outgoing_payment_sent']);
  await second.stop();
  await rm(stateDir, { recursive: true });
});
