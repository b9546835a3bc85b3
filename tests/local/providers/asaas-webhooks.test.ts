// Webhooks of the Asaas emulator: registration, deliveries, retries, and when the queue pauses.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AsaasClient,
  asaasClient,
  startAsaasForTest,
  TOKEN,
  webhookOrder,
} from '../../support/payments/asaas.ts';
import { type Receiver, startReceiver } from '../../support/payments/vendor-receiver.ts';

let client: AsaasClient;
let receiver: Receiver;
beforeAll(async () => {
  client = await startAsaasForTest();
});
beforeEach(async () => {
  receiver = await startReceiver();
  Object.assign(client, await asaasClient(client.asaas));
});
afterEach(async () => {
  await client.asaas.control.clearWebhookFaults();
  receiver.close();
});
afterAll(() => client.asaas.stop());

const register = (change: object = {}) =>
  client.ok('POST', '/webhooks', webhookOrder(`${receiver.url}/hook`, change));
const settle = () => client.asaas.control.settle();

test('requires all nine members in their formats, and at most ten webhooks', async () => {
  const order = webhookOrder('https://placar.example/hook');
  for (const member of Object.keys(order)) {
    const answer = await client.call('POST', '/webhooks', { ...order, [member]: undefined });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, `invalid_${member}`]);
  }
  const wrong = [
    { authToken: 'x'.repeat(31) },
    { authToken: 'x'.repeat(256) },
    { apiVersion: 2 },
    { url: 'http://placar.example/hook' },
    { events: ['PAYMENT_PAID'] },
    { sendType: 'RANDOM' },
  ];
  for (const change of wrong) {
    expect((await client.call('POST', '/webhooks', { ...order, ...change })).status).toBe(400);
  }
  for (let number = 1; number <= 10; number++) await client.ok('POST', '/webhooks', order);
  expect((await client.call('POST', '/webhooks', order)).status).toBe(400);
});

test('shows, changes and deletes a webhook, and never shows its token', async () => {
  const { id, ...made } = await register();
  expect(made).toMatchObject({
    hasAuthToken: true,
    penalizedRequestsCount: 0,
    interrupted: false,
    apiVersion: 3,
  });
  expect(JSON.stringify(made)).not.toContain(TOKEN);
  expect((await client.ok('PUT', `/webhooks/${id}`, { name: 'Other' })).name).toBe('Other');
  expect((await client.ok('GET', '/webhooks')).totalCount).toBe(1);
  expect(await client.ok('DELETE', `/webhooks/${id}`)).toEqual({ deleted: true, id });
  expect((await client.call('GET', `/webhooks/${id}`)).status).toBe(404);
});

test('sends events to subscribed webhooks, with the token', async () => {
  await register({ events: ['PAYMENT_RECEIVED'] });
  const { id } = await client.charge({ externalReference: 'ref-1' });
  await client.asaas.control.pay(client.account.id, id);
  await settle();
  expect(receiver.received).toHaveLength(1);
  const [event] = receiver.received;
  expect(event?.headers['asaas-access-token']).toBe(TOKEN);
  expect(event?.body).toMatchObject({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}&\d+$/),
    event: 'PAYMENT_RECEIVED',
    dateCreated: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    account: { id: client.account.id, ownerId: null },
    payment: { object: 'payment', id, status: 'RECEIVED', externalReference: 'ref-1', netValue: 98.01 },
  });
});

test('assigns ids to events of one kind that differ only in their last part', async () => {
  await register({ events: ['PAYMENT_CREATED'] });
  await client.charge();
  await client.charge();
  await settle();
  const ids = receiver.received.map(({ body }) => body.id as string);
  expect(new Set(ids).size).toBe(2);
  expect(new Set(ids.map((id) => id.split('&')[0])).size).toBe(1);
});

test('retries by the penalty schedule, and pauses after fifteen failures', async () => {
  const { id: webhook } = await register({ events: ['PAYMENT_CREATED'] });
  receiver.answer = () => ({ status: 204 });
  await client.charge();
  await settle();
  const waitsS = [30, 60, 210, 300, 900, 1500, 3600, 3600, 3600, 3600, 3600, 7200, 7200, 10_800];
  for (const [index, seconds] of waitsS.entries()) {
    expect(receiver.received).toHaveLength(index + 1);
    await client.asaas.control.advance({ seconds: seconds - 1 });
    expect(receiver.received).toHaveLength(index + 1);
    await client.asaas.control.advance({ seconds: 1 });
  }
  expect(receiver.received).toHaveLength(15);
  expect(await client.ok('GET', `/webhooks/${webhook}`)).toMatchObject({
    interrupted: true,
    penalizedRequestsCount: 15,
  });
  receiver.answer = () => ({ status: 200 });
  await client.charge();
  await client.asaas.control.advance({ days: 1 });
  expect(receiver.received).toHaveLength(15);
  const wasResumed = await client.ok('PUT', `/webhooks/${webhook}`, { interrupted: false });
  expect(wasResumed).toMatchObject({ interrupted: false, penalizedRequestsCount: 0 });
  await settle();
  expect(receiver.received).toHaveLength(17);
  expect(receiver.received[15]?.body.id).toBe(receiver.received[0]?.body.id);
});

test('drops undelivered events after fourteen days', async () => {
  const { id: webhook } = await register({ events: ['PAYMENT_CREATED'], interrupted: true });
  await client.charge();
  await client.asaas.control.advance({ days: 14 });
  await client.ok('PUT', `/webhooks/${webhook}`, { interrupted: false });
  await settle();
  expect(receiver.received).toHaveLength(0);
});

test('holds back later events behind a rejected one, unless the order does not matter', async () => {
  const isFirst = (id: string) => id === receiver.received[0]?.body.id;
  await register({ events: ['PAYMENT_CREATED'] });
  receiver.answer = ({ body }) => ({ status: isFirst(body.id) ? 500 : 200 });
  await client.charge();
  await client.charge();
  await settle();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = () => ({ status: 200 });
  await client.asaas.control.advance({ seconds: 30 });
  expect(receiver.received).toHaveLength(3);

  const other = await asaasClient(client.asaas);
  receiver.received.length = 0;
  receiver.answer = ({ body }) => ({ status: isFirst(body.id) ? 500 : 200 });
  const order = webhookOrder(receiver.url, { sendType: 'NON_SEQUENTIALLY', events: ['PAYMENT_CREATED'] });
  await other.ok('POST', '/webhooks', order);
  await other.charge();
  await settle();
  await other.charge();
  await settle();
  expect(receiver.received).toHaveLength(2);
});

test('removes the penalty on request', async () => {
  const { id: webhook } = await register({ events: ['PAYMENT_CREATED'] });
  receiver.answer = () => ({ status: 503 });
  await client.charge();
  await settle();
  expect((await client.ok('GET', `/webhooks/${webhook}`)).penalizedRequestsCount).toBe(1);
  receiver.answer = () => ({ status: 200 });
  expect((await client.call('POST', `/webhooks/${webhook}/removeBackoff`)).status).toBe(204);
  await settle();
  expect(receiver.received).toHaveLength(2);
});

test('does not follow redirects', async () => {
  await register({ events: ['PAYMENT_CREATED'] });
  receiver.answer = () => ({ status: 308 });
  await client.charge();
  await settle();
  const [delivery] = await client.asaas.control.deliveries({ account: client.account.id });
  expect(delivery).toMatchObject({ state: 'waiting', attempts: [{ status: 308 }] });
});

test('loses, duplicates, delays and reorders events on request', async () => {
  await register({ events: ['PAYMENT_CREATED', 'PAYMENT_RECEIVED'] });
  const { control } = client.asaas;
  await control.webhookFault({ kind: 'lost', event: 'PAYMENT_CREATED' });
  const lost = await client.charge();
  await settle();
  expect(receiver.received).toHaveLength(0);

  await control.webhookFault({ kind: 'duplicated' });
  await control.pay(client.account.id, lost.id);
  await settle();
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[0]?.body.id).toBe(receiver.received[1]?.body.id);

  receiver.received.length = 0;
  await control.webhookFault({ kind: 'late', delayMs: 60_000 });
  const late = await client.charge();
  await control.pay(client.account.id, late.id);
  await settle();
  expect(receiver.events()).toEqual(['PAYMENT_RECEIVED']);
  await control.advance({ minutes: 1 });
  expect(receiver.events()).toEqual(['PAYMENT_RECEIVED', 'PAYMENT_CREATED']);

  receiver.received.length = 0;
  await control.webhookFault({ kind: 'reordered', times: 2 });
  const payment = await client.charge();
  await control.pay(client.account.id, payment.id);
  await settle();
  expect(receiver.events()).toEqual(['PAYMENT_RECEIVED', 'PAYMENT_CREATED']);
});

test('sends unknown events', async () => {
  await register({ events: ['PAYMENT_RECEIVED'] });
  const { id } = await client.charge();
  const order = {
    event: 'PAYMENT_TELEPORTED',
    subject: 'payment',
    id,
    change: { status: 'TELEPORTED' },
  } as const;
  await client.asaas.control.event(client.account.id, order);
  await settle();
  expect(receiver.received[0]?.body).toMatchObject({
    event: order.event,
    payment: { id, status: 'TELEPORTED' },
  });
});

test('reports a blocked balance, which is also in the statement', async () => {
  await register({ events: ['BALANCE_VALUE_BLOCKED', 'BALANCE_VALUE_UNBLOCKED'] });
  const { control } = client.asaas;
  const { balance } = await control.balance(client.account.id, { step: 'block', value: 12.5 });
  await settle();
  expect(balance).toBe(-12.5);
  expect(receiver.received[0]?.body).toMatchObject({
    event: 'BALANCE_VALUE_BLOCKED',
    balance: { value: 12.5, type: 'JUDICIAL', date: await client.day() },
  });
  const { data } = await client.ok('GET', '/financialTransactions');
  expect(data[0]).toMatchObject({
    type: 'BACEN_JUDICIAL_LOCK',
    value: -12.5,
    balance: -12.5,
    paymentId: null,
  });
});
