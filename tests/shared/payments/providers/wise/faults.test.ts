// Failures between us and Wise: lost responses, rejections in all forms, keys, limits, expired quotes.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { FaultOrder } from '../../../../../local/fakes/faults.ts';
import { startWise, type Wise } from '../../../../../local/providers/wise/index.ts';
import { payoutsOf } from '../../../../../shared/payments/providers/provider.ts';
import {
  PATIENT,
  payoutOrder,
  type WiseAdapter,
  wiseAdapter,
} from '../../../../support/payments/wise-adapter.ts';
import { waitFor } from '../../../../support/wait-for.ts';

let wise: Wise;
beforeAll(async () => {
  wise = await startWise();
});
afterAll(() => wise.stop());

const HELD = { options: { transfers: 'held' } } as const;

const fault = (adapter: WiseAdapter, order: FaultOrder) =>
  wise.control.fault({ account: adapter.account.id, ...order });

async function contentsOf(adapter: WiseAdapter) {
  const { transfers, recipients } = await wise.control.account(adapter.account.id);
  return { transfers, recipients: recipients.filter(({ active }) => active) };
}

describe('a lost response', () => {
  const steps = [
    ['the recipient', { method: 'POST', path: '/2026Q3/accounts' }],
    ['the transfer', { method: 'POST', path: '/2026Q3/transfers' }],
    ['its funding', { method: 'POST', path: '/2026Q3/profiles/*/transfers/*/payments' }],
    ['the look afterwards', { method: 'GET', path: '/2026Q3/transfers/*' }],
  ] as const;
  const kinds = ['cut_before', 'cut_after', 'error_before', 'error_after'] as const;

  test.each(steps.flatMap(([name, where]) => kinds.map((kind) => [kind, name, where] as const)))(
    '(%s) of %s: the outcome is unknown, and the same order again creates it once',
    async (kind, _, where) => {
      const adapter = await wiseAdapter(wise, HELD);
      const order = payoutOrder();
      await fault(adapter, { kind, ...where, status: 503 });
      await expect(payoutsOf(adapter.provider).create(order, PATIENT)).rejects.toMatchObject({
        name: 'ProviderOutcomeUnknown',
      });
      const report = await payoutsOf(adapter.provider).create(order, PATIENT);
      expect(report.state.status).toBe('processing');
      const { transfers, recipients } = await contentsOf(adapter);
      expect(transfers).toHaveLength(1);
      expect(transfers[0]?.payments).toHaveLength(1);
      expect(recipients).toHaveLength(1);
    },
  );

  test('is looked up before a rejection of the next attempt is final', async () => {
    const adapter = await wiseAdapter(wise, HELD);
    const order = payoutOrder();
    await fault(adapter, { kind: 'cut_after', method: 'POST', path: '/2026Q3/transfers' });
    await expect(payoutsOf(adapter.provider).create(order, PATIENT)).rejects.toMatchObject({
      name: 'ProviderOutcomeUnknown',
    });
    await fault(adapter, {
      kind: 'error_before',
      path: '/2026Q3/profiles/*/quotes',
      status: 422,
      body: { error: 'route', message: 'Not today' },
    });
    const report = await payoutsOf(adapter.provider).create(order, PATIENT);
    expect(report.state.status).toBe('processing');
    expect((await contentsOf(adapter)).transfers).toHaveLength(1);
  });
});

describe('too many requests', () => {
  test('before the order: nothing was done, and Wise returned the time of the next attempt', async () => {
    const adapter = await wiseAdapter(wise);
    await fault(adapter, { kind: 'rate_limited' });
    await expect(payoutsOf(adapter.provider).create(payoutOrder(), PATIENT)).rejects.toMatchObject({
      name: 'ProviderBusy',
      retryAfterSeconds: 30,
    });
  });

  test('after the order: the outcome is unknown', async () => {
    const adapter = await wiseAdapter(wise, HELD);
    const order = payoutOrder();
    await fault(adapter, { kind: 'rate_limited', path: '/2026Q3/profiles/*/transfers/*/payments' });
    await expect(payoutsOf(adapter.provider).create(order, PATIENT)).rejects.toMatchObject({
      name: 'ProviderOutcomeUnknown',
    });
    expect((await payoutsOf(adapter.provider).create(order, PATIENT)).state.status).toBe('processing');
  });
});

test('a key that is no longer accepted is reported without showing it', async () => {
  const adapter = await wiseAdapter(wise);
  const { account, provider } = adapter;
  await wise.control.token(account.id, account.token, { enabled: false });
  for (const ask of [
    () => payoutsOf(provider).create(payoutOrder(), PATIENT),
    () => payoutsOf(provider).find(payoutOrder(), PATIENT),
    () => provider.inspectAccount(PATIENT),
    () => provider.readBalances(PATIENT),
  ]) {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ProviderKeyRejected' });
    expect(String(error)).not.toContain(account.token);
  }
  expect(JSON.stringify(adapter.logged)).not.toContain(account.token);
});

test('if only funding rejects the key, the transfer waits for manual funding', async () => {
  const adapter = await wiseAdapter(wise);
  await fault(adapter, {
    kind: 'error_before',
    path: '/2026Q3/profiles/*/transfers/*/payments',
    status: 401,
    body: { error: 'invalid_token', error_description: 'x' },
  });
  const report = await payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
  expect(report).toMatchObject({ state: { status: 'incoming_payment_waiting' }, funding: {} });
});

test.each([
  ['a list', { timestamp: 'x', errors: [{ code: 'a', message: 'No route', path: '', arguments: [] }] }],
  ['OAuth', { error: 'route', error_description: 'No route' }],
  ['the system', { timestamp: 'x', error: 'Conflict', message: 'No route', path: '/x' }],
  ['a problem', { type: 'about:blank', status: 409, code: 'route', detail: 'No route' }],
])('a rejection in the format of %s is returned with its message', async (_, body) => {
  const adapter = await wiseAdapter(wise);
  await fault(adapter, { kind: 'error_before', path: '/2026Q3/profiles/*/quotes', status: 409, body });
  await expect(payoutsOf(adapter.provider).create(payoutOrder(), PATIENT)).rejects.toMatchObject({
    name: 'ProviderRejected',
    message: 'No route',
  });
});

test('a response in another format leaves the outcome unknown', async () => {
  const stranger = createServer((request, response) => {
    request.resume();
    response.end('{"surprise":true}');
  });
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void stranger.close());
  // The address of a server that listens on a port has this type.
  const { port } = stranger.address() as AddressInfo;
  const { provider } = await wiseAdapter(wise, { url: `http://127.0.0.1:${port}` });
  const silence = { name: 'ProviderOutcomeUnknown' };
  await expect(provider.readBalances(PATIENT)).rejects.toMatchObject(silence);
  await expect(payoutsOf(provider).create(payoutOrder(), PATIENT)).rejects.toMatchObject(silence);
  await expect(
    payoutsOf(provider).find(payoutOrder({ providerReference: '1' }), PATIENT),
  ).rejects.toMatchObject(silence);
  await expect(provider.listOrders('payout', new Date(), undefined, PATIENT)).rejects.toMatchObject(silence);
});

test('approvals that are enabled at Wise are reported with its message', async () => {
  const adapter = await wiseAdapter(wise, { options: { paymentApprovals: true } });
  await expect(payoutsOf(adapter.provider).create(payoutOrder(), PATIENT)).rejects.toMatchObject({
    name: 'ProviderRejected',
    message: expect.stringContaining('approval'),
  });
});

test('a quote that expires in between is replaced, and the recipient stays', async () => {
  const adapter = await wiseAdapter(wise, HELD);
  const requirements = '/2026Q3/transfer-requirements';
  await fault(adapter, { kind: 'slow', path: requirements, delayMs: 400 });
  const attempt = payoutsOf(adapter.provider).create(payoutOrder(), PATIENT);
  const filter = { account: adapter.account.id, path: requirements };
  await waitFor(async () => (await wise.control.requests(filter)).length > 0);
  await wise.control.advance({ minutes: 31 });
  expect((await attempt).state.status).toBe('processing');
  const { quotes, recipients, transfers } = await wise.control.account(adapter.account.id);
  expect(quotes).toHaveLength(2);
  expect(recipients).toHaveLength(1);
  expect(transfers).toHaveLength(1);
  expect(transfers[0]?.quoteUuid).toBe(quotes[1]?.id);
});

test('nothing more is sent once the caller stopped waiting', async () => {
  const adapter = await wiseAdapter(wise);
  const waiting = new AbortController();
  await fault(adapter, { kind: 'hold_after', method: 'POST', path: '/2026Q3/profiles/*/quotes' });
  const attempt = payoutsOf(adapter.provider)
    .create(payoutOrder(), waiting.signal)
    .catch((error: unknown) => error);
  const filter = { account: adapter.account.id };
  await waitFor(async () => (await wise.control.requests(filter)).length > 0);
  waiting.abort();
  expect(await attempt).toBeInstanceOf(Error);
  expect(await wise.control.requests(filter)).toHaveLength(1);
});
