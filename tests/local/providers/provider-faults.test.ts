// Faults on demand and a restart, at the emulator of Asaas: the base that all provider emulators share.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startAsaas } from '../../../local/providers/asaas/index.ts';
import type { FaultOrder } from '../../../local/providers/faults.ts';
import { type AsaasClient, startAsaasForTest, webhookOrder } from '../../support/payments/asaas.ts';
import { startReceiver } from '../../support/payments/vendor-receiver.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
afterEach(async () => {
  await client.asaas.control.clearFaults();
  await client.asaas.control.forgetRequests();
});
afterAll(() => client.asaas.stop());

const count = async () => (await client.ok('GET', '/payments')).totalCount;

/** Orders a charge with a timeout. Returns the status, or undefined without a response. */
async function order(): Promise<number | undefined> {
  const { id: customer } = await client.customer();
  const body = JSON.stringify({ customer, billingType: 'PIX', value: 10, dueDate: await client.day() });
  const headers = {
    access_token: client.account.apiKey,
    'user-agent': 'test',
    'content-type': 'application/json',
  };
  const signal = AbortSignal.timeout(300);
  return fetch(`${client.asaas.url}/payments`, { method: 'POST', headers, body, signal }).then(
    ({ status }) => status,
    () => undefined,
  );
}

const cases: [FaultOrder['kind'], number | undefined, number][] = [
  ['hold_before', undefined, 0],
  ['hold_after', undefined, 1],
  ['cut_before', undefined, 0],
  ['cut_after', undefined, 1],
  ['error_before', 503, 0],
  ['error_after', 503, 1],
  ['rate_limited', 429, 0],
];
test.each(cases)('%s responds to %s and accepts %s orders', async (kind, status, taken) => {
  const before = await count();
  await client.asaas.control.fault({ kind, method: 'post', path: '/v3/payments', status: 503 });
  expect(await order()).toBe(status);
  expect((await count()) - before).toBe(taken);
  const [logged] = await client.asaas.control.requests({ method: 'POST', path: '/v3/payments' });
  expect(logged).toMatchObject({ fault: kind, status: taken === 1 ? 200 : null, account: client.account.id });
  expect(await order()).toBe(200);
});

test('a 429 says when requests are accepted again', async () => {
  await client.asaas.control.fault({ kind: 'rate_limited' });
  const answer = await client.call('GET', '/customers');
  expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  expect(Number(answer.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
});

test('applies as often as requested, and only to matching requests', async () => {
  await client.asaas.control.fault({ kind: 'error_before', times: 2, path: '/v3/customers/*' });
  expect((await client.call('GET', '/customers')).status).toBe(200);
  expect((await client.call('GET', '/customers/cus_1')).status).toBe(500);
  expect((await client.call('GET', '/customers/cus_2')).status).toBe(500);
  expect((await client.call('GET', '/customers/cus_2')).status).toBe(404);
  await client.asaas.control.fault({ kind: 'error_before', account: 'another' });
  expect((await client.call('GET', '/customers')).status).toBe(200);
});

test('rejects a fault that it cannot parse', async () => {
  const orders = [{ kind: 'nonsense' }, { kind: 'cut_before', paths: '/x' }];
  for (const wrong of orders) {
    const root = client.asaas.url.replace(/\/v3$/, '');
    const answer = await fetch(`${root}/_control/faults`, { method: 'POST', body: JSON.stringify(wrong) });
    expect(answer.status).toBe(400);
  }
});

test('keeps everything across a restart: accounts, the clock and planned tasks', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'placar-asaas-'));
  const receiver = await startReceiver();
  receiver.answer = () => ({ status: 500 });
  const first = await startAsaasForTest({ stateDir });
  await first.ok('POST', '/webhooks', webhookOrder(receiver.url, { events: ['PAYMENT_CREATED'] }));
  await first.asaas.control.advance({ days: 3 });
  const payment = await first.charge({ dueDate: await first.day() });
  await first.asaas.control.settle();
  const now = await first.asaas.control.now();
  await first.asaas.stop();

  receiver.answer = () => ({ status: 200 });
  const asaas = await startAsaas({ stateDir });
  expect((await asaas.control.now()).getTime()).toBeGreaterThanOrEqual(now.getTime());
  const before = receiver.received.length;
  await asaas.control.advance({ days: 1 });
  expect(receiver.received.length).toBe(before + 1);
  const kept = await asaas.control.account(first.account.id);
  expect(kept.payments).toMatchObject([{ id: payment.id, status: 'OVERDUE' }]);
  await asaas.stop();
  receiver.close();
  await rm(stateDir, { recursive: true });
});
