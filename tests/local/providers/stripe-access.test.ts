// Who may call the emulator of Stripe, and how it refuses: keys, versions, parameters, idempotency.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeClient, startStripeForTest, stripeClient } from '../../support/payments/stripe.ts';

let client: StripeClient;
beforeAll(async () => {
  client = await startStripeForTest();
});
afterAll(() => client.stripe.stop());

const withKey = async (authorization: string | undefined, method = 'GET', path = '/v1/balance') => {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const response = await fetch(`${client.stripe.url}${path}`, { method, headers });
  return { status: response.status, body: await response.json() };
};

test('accepts its keys as Bearer and Basic, and explains errors of others', async () => {
  const { apiKey } = client.account;
  const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  expect((await withKey(`Bearer ${apiKey}`)).status).toBe(200);
  expect((await withKey(basic)).status).toBe(200);
  const none = await withKey(undefined);
  expect([none.status, none.body.error.type]).toEqual([401, 'invalid_request_error']);
  expect(none.body.error.message).toContain('You did not provide an API key.');
  const wrong = await withKey('Bearer sk_test_0123456789abcdWXYZ');
  expect(wrong.status).toBe(401);
  expect(wrong.body.error.message).toBe('Invalid API Key provided: sk_test_**************WXYZ');
});

test('distinguishes expired, deleted and restricted keys', async () => {
  const { control } = client.stripe;
  const key = (name: string) => `rk_test_${name}000000000000`;
  await control.key(client.account.id, key('exp'), { state: 'expired' });
  await control.key(client.account.id, key('del'), { state: 'deleted' });
  await control.key(client.account.id, key('res'), { permissions: { customers: 'read', balance: 'none' } });
  const expired = await withKey(`Bearer ${key('exp')}`);
  expect([expired.status, expired.body.error.code]).toEqual([401, 'api_key_expired']);
  expect((await withKey(`Bearer ${key('del')}`)).status).toBe(401);
  expect((await withKey(`Bearer ${key('res')}`)).status).toBe(403);
  expect((await withKey(`Bearer ${key('res')}`, 'GET', '/v1/customers')).status).toBe(200);
  expect((await withKey(`Bearer ${key('res')}`, 'POST', '/v1/customers')).status).toBe(403);
});

test('returns the version and a request id, and has no connected accounts', async () => {
  const version = await client.call('GET', '/balance', {}, { 'stripe-version': '2025-03-31.basil' });
  expect(version.headers.get('stripe-version')).toBe('2025-03-31.basil');
  expect(version.headers.get('request-id')).toMatch(/^req_\w{14}$/);
  expect((await client.call('GET', '/balance', {}, { 'stripe-version': 'latest' })).status).toBe(400);
  expect((await client.call('GET', '/balance', {}, { 'stripe-account': 'acct_1' })).status).toBe(403);
  const unknown = await client.call('GET', '/nothing');
  expect(unknown.status).toBe(404);
  expect(unknown.body.error.message).toContain('Unrecognized request URL (GET: /v1/nothing).');
  const { headers, body } = await client.call('GET', '/customers/cus_none');
  expect(body.error).toEqual({
    code: 'resource_missing',
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
    message: "No such customer: 'cus_none'",
    param: 'id',
    request_log_url: `https://dashboard.stripe.com/test/logs/${headers.get('request-id')}`,
    type: 'invalid_request_error',
  });
});

const itemWith = (change: object, price: object = {}) => ({
  line_items: [
    {
      quantity: 1,
      price_data: { currency: 'usd', unit_amount: 100, product_data: { name: 'Thing' }, ...price },
      ...change,
    },
  ],
});

test.each<[object, string | undefined, string]>([
  [{ colour: 'red' }, 'parameter_unknown', 'colour'],
  [itemWith({}, { colour: 'red' }), 'parameter_unknown', 'line_items[0][price_data][colour]'],
  [{ payment_intent_data: { ours: '1' } }, 'parameter_unknown', 'payment_intent_data[ours]'],
  [{ mode: undefined }, 'parameter_missing', 'mode'],
  [{ success_url: undefined }, 'parameter_missing', 'success_url'],
  [itemWith({}, { currency: undefined }), 'parameter_missing', 'line_items[0][price_data][currency]'],
  [itemWith({ quantity: 'two' }), 'parameter_invalid_integer', 'line_items[0][quantity]'],
  [
    itemWith({}, { unit_amount: '1.5' }),
    'parameter_invalid_integer',
    'line_items[0][price_data][unit_amount]',
  ],
  [itemWith({}, { unit_amount: -1 }), 'parameter_invalid_integer', 'line_items[0][price_data][unit_amount]'],
  [itemWith({}, { currency: 'xyz' }), undefined, 'line_items[0][price_data][currency]'],
  [{ success_url: '' }, 'parameter_invalid_empty', 'success_url'],
  [{ success_url: 'not one' }, 'url_invalid', 'success_url'],
  [{ mode: 'pay' }, undefined, 'mode'],
  [{ mode: { a: '1' } }, undefined, 'mode'],
  [{ locale: 'xx' }, undefined, 'locale'],
  [{ metadata: { note: 'x'.repeat(501) } }, undefined, 'metadata'],
  [{ customer_email: 'nobody' }, 'email_invalid', 'customer_email'],
  [{ customer: 'cus_none' }, 'resource_missing', 'customer'],
])('rejects an order with %j', async (change, code, param) => {
  const error = await client.refused('POST', '/checkout/sessions', { ...client.order(), ...change });
  expect([error.code, error.param]).toEqual([code, param]);
});

test('requires forms instead of JSON', async () => {
  const response = await fetch(`${client.stripe.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.account.apiKey}`, 'content-type': 'application/json' },
    body: '{"name":"Ana"}',
  });
  expect(response.status).toBe(400);
  expect((await response.json()).error.message).toContain('check that your POST content type');
});

test('limits requests on request', async () => {
  const limited = await stripeClient(client.stripe, { options: { requestsPerSecond: 1 } });
  const answers = await Promise.all(Array.from({ length: 8 }, () => limited.call('GET', '/balance')));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body.error.code).toBe('rate_limit');
  expect(refused?.headers.get('stripe-rate-limited-reason')).toBe('global-rate');
  expect(refused?.headers.get('retry-after')).toBe('1');
});

test('an account sees no data of another one', async () => {
  const other = await stripeClient(client.stripe);
  const { id, payment_intent: intent } = await client.paid();
  const customer = await client.customer();
  for (const path of [
    `/checkout/sessions/${id}`,
    `/payment_intents/${intent.id}`,
    `/charges/${intent.latest_charge.id}`,
    `/customers/${customer}`,
  ]) {
    expect((await client.call('GET', path)).status, path).toBe(200);
    expect((await other.call('GET', path)).status, path).toBe(404);
  }
  for (const list of [
    'customers',
    'charges',
    'payment_intents',
    'checkout/sessions',
    'events',
    'balance_transactions',
  ]) {
    expect((await other.get(`/${list}`)).data, list).toEqual([]);
  }
  const error = await other.refused('POST', '/refunds', { payment_intent: intent.id });
  expect(error.code).toBe('resource_missing');
});
