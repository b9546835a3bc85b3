// Idempotency keys at the Stripe emulator: stored responses, their lifetime, and rejections.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeClient, startStripeForTest, stripeClient } from '../../support/payments/stripe.ts';

let client: StripeClient;
beforeAll(async () => {
  client = await startStripeForTest();
});
afterAll(() => client.stripe.stop());

const create = (key: string, params: object = { name: 'Ana' }, path = '/customers') =>
  client.call('POST', path, params, { 'idempotency-key': key });
const named = async (name: string) =>
  (await client.get('/customers', { limit: 100 })).data.filter((one: { name: string }) => one.name === name);

test('returns the same response for the same key and parameters', async () => {
  const first = await create('k1', { name: 'Once' });
  const again = await create('k1', { name: 'Once' });
  expect(again.body).toEqual(first.body);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
  expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
  expect(await named('Once')).toHaveLength(1);
});

test('rejects other parameters and another endpoint with the same key', async () => {
  await create('k2');
  const others = [
    { answer: await create('k2', { name: 'Other' }), words: 'with the same parameters' },
    { answer: await create('k2', undefined, '/refunds'), words: "('/v1/refunds' vs '/v1/customers')" },
  ];
  for (const { answer, words } of others) {
    expect([answer.status, answer.body.error.type]).toEqual([400, 'idempotency_error']);
    expect(answer.body.error.message).toContain(words);
    expect(answer.body.error.message).toContain("Try using a key other than 'k2'");
  }
});

test('drops a key after a day', async () => {
  const first = await create('k3', { name: 'Daily' });
  await client.stripe.control.advance({ hours: 23 });
  expect((await create('k3', { name: 'Daily' })).body.id).toBe(first.body.id);
  await client.stripe.control.advance({ hours: 1 });
  expect((await create('k3', { name: 'Daily' })).body.id).not.toBe(first.body.id);
});

test('does not store rejections from before the endpoint ran, but stores those of the endpoint', async () => {
  expect((await create('k4', { nam: 'x' })).status).toBe(400);
  expect((await create('k4', { name: 'x' })).status).toBe(200);
  const small = client.order({ amount: 10 });
  expect((await create('k5', small, '/checkout/sessions')).status).toBe(400);
  await client.stripe.control.options(client.account.id, { minAmounts: { usd: 1 } });
  const kept = await create('k5', small, '/checkout/sessions');
  expect([kept.status, kept.headers.get('idempotent-replayed')]).toEqual([400, 'true']);
  expect((await create('k6', small, '/checkout/sessions')).status).toBe(200);
});

test.each([true, false])('stores failures, too: accepted %s', async (taken) => {
  const name = `Failing ${taken}`;
  await client.stripe.control.fail(client.account.id, { path: '/v1/customers', taken, status: 500 });
  const first = await create(`k7${taken}`, { name });
  const again = await create(`k7${taken}`, { name });
  expect([first.status, again.status]).toEqual([500, 500]);
  expect(first.body.error.type).toBe('api_error');
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await named(name)).toHaveLength(taken ? 1 : 0);
});

test('rejects a second request while the first is in flight', async () => {
  await client.stripe.control.fail(client.account.id, { path: '/v1/customers', status: null, delayMs: 300 });
  const [one, two] = await Promise.all([create('k8'), create('k8')]);
  const refused = one.status === 409 ? one : two;
  expect([one.status, two.status].sort()).toEqual([200, 409]);
  expect(refused.body.error.code).toBe('idempotency_key_in_use');
  expect((await create('k8')).status).toBe(200);
});

test('keys of two accounts are independent', async () => {
  const other = await stripeClient(client.stripe);
  const mine = await create('shared');
  const theirs = await other.call('POST', '/customers', { name: 'Ana' }, { 'idempotency-key': 'shared' });
  expect(theirs.status).toBe(200);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test('an order whose response was lost is found by its key', async () => {
  const { control } = client.stripe;
  await control.fault({ kind: 'cut_after', method: 'POST', path: '/v1/customers' });
  await expect(create('k9', { name: 'Lost' })).rejects.toThrow();
  const again = await create('k9', { name: 'Lost' });
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect((await named('Lost')).map(({ id }: { id: string }) => id)).toEqual([again.body.id]);
});
