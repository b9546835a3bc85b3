// Webhooks of the Stripe emulator: registration, signatures, retries, and faults.
import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type StripeClient, startStripeForTest, stripeClient } from '../../support/payments/stripe.ts';
import { type Received, type Receiver, startReceiver } from '../../support/payments/vendor-receiver.ts';

let client: StripeClient;
let receiver: Receiver;
beforeAll(async () => {
  client = await startStripeForTest();
});
beforeEach(async () => {
  receiver = await startReceiver();
  client = await stripeClient(client.stripe);
});
afterEach(async () => {
  await client.stripe.control.clearWebhookFaults();
  receiver.close();
});
afterAll(() => client.stripe.stop());

const control = () => client.stripe.control;
const register = (change: object = {}) =>
  client.post('/webhook_endpoints', { url: receiver.url, enabled_events: ['customer.created'], ...change });

/** Stripe's rule: HMAC-SHA256 over `t.body`. */
function isSigned({ headers, raw }: Received, secret: string, atMost = 300): boolean {
  const parts = Object.fromEntries(
    String(headers['stripe-signature'])
      .split(',')
      .map((part) => part.split('=')),
  );
  const proof = createHmac('sha256', secret).update(`${parts.t}.${raw}`).digest('hex');
  return proof === parts.v1 && Date.now() / 1000 - Number(parts.t) <= atMost;
}

test('returns the secret once, and shows, changes and deletes an endpoint', async () => {
  const { secret, ...made } = await register({ api_version: '2026-09-30.endive', metadata: { ours: '1' } });
  expect(secret).toMatch(/^whsec_\w{32}$/);
  expect(made).toMatchObject({ object: 'webhook_endpoint', status: 'enabled', metadata: { ours: '1' } });
  expect(await client.get(`/webhook_endpoints/${made.id}`)).toEqual(made);
  expect((await client.get('/webhook_endpoints')).data).toEqual([made]);
  const changed = await client.post(`/webhook_endpoints/${made.id}`, {
    enabled_events: ['*'],
    disabled: true,
  });
  expect(changed).toMatchObject({ enabled_events: ['*'], status: 'disabled' });
  const { body } = await client.call('DELETE', `/webhook_endpoints/${made.id}`);
  expect(body).toEqual({ id: made.id, object: 'webhook_endpoint', deleted: true });
  expect((await client.call('GET', `/webhook_endpoints/${made.id}`)).status).toBe(404);
});

test('requires known events and a URL, and allows at most sixteen endpoints', async () => {
  const refused = (change: object) =>
    client.refused('POST', '/webhook_endpoints', { url: receiver.url, enabled_events: ['*'], ...change });
  expect((await refused({ enabled_events: ['charge.paid'] })).param).toBe('enabled_events[0]');
  expect((await refused({ enabled_events: undefined })).code).toBe('parameter_missing');
  expect((await refused({ url: 'nowhere' })).code).toBe('url_invalid');
  const live = await stripeClient(client.stripe, { livemode: true });
  const order = { url: 'http://shop.example/hook', enabled_events: ['*'] };
  expect((await live.refused('POST', '/webhook_endpoints', order)).message).toContain('HTTPS');
  for (let number = 1; number <= 16; number++) await register();
  expect((await refused({})).message).toContain('maximum of 16');
});

test('sends subscribed events, signed, in the version of the endpoint', async () => {
  const { secret } = await register({ api_version: '2025-03-31.basil' });
  const answer = await client.call('POST', '/customers', { name: 'Ana' }, { 'idempotency-key': 'c1' });
  await client.paid();
  await control().settle();
  expect(receiver.events()).toEqual(['customer.created']);
  const [received] = receiver.received;
  if (received === undefined) throw new Error('nothing came');
  expect(isSigned(received, secret)).toBe(true);
  expect(isSigned(received, 'whsec_other')).toBe(false);
  expect(received.body).toMatchObject({
    id: expect.stringMatching(/^evt_/),
    object: 'event',
    api_version: '2025-03-31.basil',
    livemode: false,
    data: { object: answer.body },
    request: { id: answer.headers.get('request-id'), idempotency_key: 'c1' },
  });
  const kept = await client.get(`/events/${received.body.id}`);
  expect(kept).toMatchObject({ type: 'customer.created', pending_webhooks: 0 });
});

test.each(['wrong', 'old'] as const)('signs %s on request', async (signatures) => {
  const { secret } = await register();
  await control().options(client.account.id, { signatures });
  await client.customer();
  await control().settle();
  const [received] = receiver.received;
  if (received === undefined) throw new Error('nothing came');
  expect(isSigned(received, secret)).toBe(false);
  expect(isSigned(received, secret, 3600)).toBe(signatures === 'old');
});

test.each([
  [false, 4, { hours: 6 }],
  [true, 10, { days: 4 }],
])('retries if no 2xx arrives: live %s', async (livemode, attempts, until) => {
  client = await stripeClient(client.stripe, { livemode });
  const { id } = await register();
  receiver.answer = () => ({ status: 500 });
  await client.customer();
  await control().settle();
  expect(receiver.received).toHaveLength(1);
  await control().advance({ minutes: 4 });
  expect(receiver.received).toHaveLength(1);
  await control().advance({ minutes: 1 });
  expect(receiver.received).toHaveLength(2);
  await control().advance(until);
  expect(receiver.received).toHaveLength(attempts);
  const [delivery] = await control().deliveries({ endpoint: id });
  expect(delivery?.state).toBe('dropped');
  // Every attempt has the same event and its own signature.
  expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(1);
  receiver.answer = () => ({ status: 204 });
  await client.customer();
  await control().settle();
  expect((await control().deliveries({ endpoint: id })).at(-1)?.state).toBe('delivered');
});

test('loses, duplicates and reorders events on request, and still lists them', async () => {
  await register({ enabled_events: ['customer.created', 'customer.updated'] });
  await control().webhookFault({ kind: 'lost' });
  const lost = await client.customer();
  await control().webhookFault({ kind: 'duplicated' });
  await client.customer();
  await control().settle();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[0]?.body.id).toBe(receiver.received[1]?.body.id);
  await control().webhookFault({ kind: 'reordered', times: 2 });
  await client.post('/customers/'.concat(lost), { name: 'Other' });
  await client.customer();
  await control().settle();
  expect(receiver.events().slice(2)).toEqual(['customer.created', 'customer.updated']);
  const { data } = await client.get('/events', { types: ['customer.created', 'customer.updated'] });
  expect(data).toHaveLength(4);
  const [update] = (await client.get('/events', { type: 'customer.updated' })).data;
  expect(update.data.previous_attributes).toEqual({ name: 'Ana' });
});

test('a disabled endpoint gets nothing, and events of any name can be sent', async () => {
  const { id } = await register();
  await client.post(`/webhook_endpoints/${id}`, { disabled: true });
  const customer = await client.customer();
  await control().settle();
  expect(receiver.received).toHaveLength(0);
  await client.post(`/webhook_endpoints/${id}`, { disabled: false });
  await control().event(client.account.id, { type: 'customer.sang', id: customer, change: { tune: 'la' } });
  await control().settle();
  expect(receiver.received.map(({ body }) => [body.type, body.data.object.tune])).toEqual([
    ['customer.sang', 'la'],
  ]);
});

test('an endpoint that is disabled between two attempts gets the next one when it is enabled again', async () => {
  const { id } = await register();
  receiver.answer = () => ({ status: 500 });
  await client.customer();
  await control().settle();
  await client.post(`/webhook_endpoints/${id}`, { disabled: true });
  await control().advance({ minutes: 30 });
  expect(receiver.received).toHaveLength(1);
  await client.post(`/webhook_endpoints/${id}`, { disabled: false });
  await control().settle();
  expect(receiver.received).toHaveLength(2);
});

test('accepts lists without indexes, too', async () => {
  const response = await fetch(`${client.stripe.url}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.account.apiKey}` },
    body: new URLSearchParams([
      ['url', receiver.url],
      ['enabled_events[]', 'charge.failed'],
      ['enabled_events[]', 'charge.succeeded'],
    ]),
  });
  expect((await response.json()).enabled_events).toEqual(['charge.failed', 'charge.succeeded']);
});
