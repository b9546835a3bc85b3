// Lists of the Stripe emulator: paging in both directions, filters, and the effect of `expand`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeClient, startStripeForTest } from '../../support/payments/stripe.ts';
import type { Json } from '../../support/payments/vendor-receiver.ts';

let client: StripeClient;
let made: string[];
beforeAll(async () => {
  client = await startStripeForTest();
  made = [];
  for (let number = 1; number <= 12; number++) {
    made.unshift((await client.post('/customers', { email: `${number % 2}@demo.example` })).id);
    await client.stripe.control.advance({ seconds: 10 });
  }
});
afterAll(() => client.stripe.stop());

const ids = ({ data }: Json): string[] => data.map(({ id }: Json) => id);

test('pages forwards and backwards, newest first', async () => {
  const first = await client.get('/customers');
  expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' });
  expect(ids(first)).toEqual(made.slice(0, 10));
  const rest = await client.get('/customers', { starting_after: made[9] });
  expect([ids(rest), rest.has_more]).toEqual([made.slice(10), false]);
  const before = await client.get('/customers', { ending_before: made[6], limit: 3 });
  expect([ids(before), before.has_more]).toEqual([made.slice(3, 6), true]);
  const start = await client.get('/customers', { ending_before: made[2] });
  expect([ids(start), start.has_more]).toEqual([made.slice(0, 2), false]);
});

test.each([
  [{ limit: 0 }, 'limit'],
  [{ limit: 101 }, 'limit'],
  [{ limit: 'ten' }, 'limit'],
  [{ starting_after: 'cus_none' }, 'starting_after'],
  [{ starting_after: 'cus_a', ending_before: 'cus_b' }, 'starting_after'],
  [{ page: 2 }, 'page'],
])('rejects the page %j', async (paging, param) => {
  expect((await client.refused('GET', '/customers', paging)).param).toBe(param);
});

test('filters by time and by referenced objects', async () => {
  const { created } = await client.get(`/customers/${made[5]}`);
  const since = await client.get('/customers', { created: { gte: created }, limit: 100 });
  expect(ids(since)).toEqual(made.slice(0, 6));
  const between = await client.get('/customers', { created: { gt: created - 10, lt: created + 10 } });
  expect(ids(between)).toEqual([made[5]]);
  expect(ids(await client.get('/customers', { created }))).toEqual([made[5]]);
  expect((await client.get('/customers', { email: '1@demo.example' })).data).toHaveLength(6);
});

test('expands ids, in lists and through four levels, and rejects members that are not ids', async () => {
  const { id, payment_intent: intent } = await client.paid({ customer: made[0] });
  await client.stripe.control.advance({ seconds: 2 });
  const expand = ['data.latest_charge.balance_transaction', 'data.customer'];
  const [shown] = (await client.get('/payment_intents', { expand })).data;
  expect(shown).toMatchObject({
    id: intent.id,
    customer: { object: 'customer', id: made[0] },
    latest_charge: {
      balance_transaction: { object: 'balance_transaction', source: intent.latest_charge.id },
    },
  });
  const [plain] = (await client.get('/payment_intents')).data;
  expect([plain.customer, plain.latest_charge]).toEqual([made[0], intent.latest_charge.id]);
  const session = await client.get(`/checkout/sessions/${id}`, { expand: ['line_items'] });
  expect(session.line_items.data).toMatchObject([{ object: 'item', amount_total: 10_000, quantity: 1 }]);
  expect((await client.get(`/checkout/sessions/${id}/line_items`)).data).toEqual(session.line_items.data);
  const [entry] = (await client.get('/balance_transactions', { expand: ['data.source'] })).data;
  expect(entry.source).toMatchObject({ object: 'charge', payment_intent: intent.id });
  for (const wrong of ['amount', 'data.customer', 'latest_charge.x', 'a.b.c.d.e']) {
    const error = await client.refused('GET', `/payment_intents/${intent.id}`, { expand: [wrong] });
    expect(error.param, wrong).toBe('expand');
  }
});

test('customers are changed, unset and deleted', async () => {
  const { id } = await client.post('/customers', {
    name: 'Ana',
    address: { city: 'Rome', country: 'IT' },
    metadata: { a: '1', b: '2' },
  });
  const changed = await client.post(`/customers/${id}`, { name: '', metadata: { a: '', c: '3' } });
  expect(changed).toMatchObject({
    name: null,
    metadata: { b: '2', c: '3' },
    address: { city: 'Rome', line1: null },
  });
  const { body } = await client.call('DELETE', `/customers/${id}`);
  expect(body).toEqual({ id, object: 'customer', deleted: true });
  expect(await client.get(`/customers/${id}`)).toEqual(body);
  expect((await client.call('POST', `/customers/${id}`, { name: 'x' })).status).toBe(404);
  expect(ids(await client.get('/customers', { limit: 100 }))).not.toContain(id);
});
