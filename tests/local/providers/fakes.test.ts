// The base that all fakes share, at the fake of Asaas, and mistakes of an adapter that each fake rejects as its vendor does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { WebhookFault } from '../../../local/fakes/deliveries.ts';
import type { Fault } from '../../../local/fakes/faults.ts';
import { startAsaas } from '../../../local/providers/asaas/index.ts';
import { startStripe } from '../../../local/providers/stripe/index.ts';
import { startWise } from '../../../local/providers/wise/index.ts';
import { type AsaasClient, startAsaasForTest, webhookOrder } from '../../support/payments/asaas.ts';
import { startReceiver } from '../../support/payments/vendor-receiver.ts';

let client: AsaasClient;
beforeAll(async () => {
  client = await startAsaasForTest();
});
afterAll(() => client.asaas.stop());

test.each<[Fault['kind'], number | undefined, number]>([
  ['hold_before', undefined, 0],
  ['hold_after', undefined, 1],
  ['cut_before', undefined, 0],
  ['cut_after', undefined, 1],
  ['error_before', 503, 0],
  ['error_after', 503, 1],
  ['rate_limited', 429, 0],
])('%s responds with %s and accepts %s orders', async (kind, status, accepted) => {
  const { control } = client.asaas;
  const { account } = client;
  const count = async () => (await control.account(account.id, 'payments')).payments.length;
  const { id: customer } = await client.customer();
  const order = { customer, billingType: 'PIX', value: 10, dueDate: await client.day() };
  const send = () =>
    fetch(`${client.asaas.url}/payments`, {
      method: 'POST',
      headers: { access_token: account.apiKey, 'user-agent': 'test', 'content-type': 'application/json' },
      body: JSON.stringify(order),
      signal: AbortSignal.timeout(300),
    }).then(
      (response) => response.status,
      () => undefined,
    );
  const before = await count();
  await control.fault({ kind, method: 'POST', path: '/v3/*', status: 503 });
  expect(await send()).toBe(status);
  expect((await count()) - before).toBe(accepted);
  expect((await control.requests({ method: 'POST' })).at(-1)).toMatchObject({ fault: kind });
  expect(await send()).toBe(200);
});

describe('events', () => {
  const received = async (fault: WebhookFault | undefined, details: { days?: number } = {}) => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const own = await startAsaasForTest();
    onTestFinished(() => own.asaas.stop());
    await own.ok('POST', '/webhooks', webhookOrder(`${receiver.url}/hook`));
    if (fault) await own.asaas.control.webhookFault(fault);
    for (const value of [10, 11]) await own.charge({ value });
    await own.asaas.control.advance(details);
    return receiver.received
      .filter(({ body }) => body.event === 'PAYMENT_CREATED')
      .map(({ body }) => body.payment.value);
  };

  test.each<[WebhookFault | undefined, number[]]>([
    [undefined, [10, 11]],
    [{ kind: 'lost' }, [11]],
    [{ kind: 'duplicated' }, [10, 10, 11]],
    [{ kind: 'reordered', times: 2 }, [11, 10]],
  ])('with %j arrive as %j', async (fault, values) => {
    expect(await received(fault)).toEqual(values);
  });
});

test('state, the clock and scheduled jobs survive a restart', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'placar-fake-'));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  const first = await startAsaas({ stateDir });
  const { id, apiKey } = await first.control.createAccount({ options: { transfers: 'held' } });
  await first.control.setFrozen(true);
  await first.control.advance({ days: 2 });
  const now = await first.control.now();
  await first.stop();
  const second = await startAsaas({ stateDir });
  onTestFinished(() => second.stop());
  expect(await second.control.now()).toBe(now);
  expect(await second.control.account(id)).toMatchObject({ keys: [{ key: apiKey }] });
});

describe('a mistake of an adapter is rejected', () => {
  test('by Asaas: unknown members and filters, another operation, another key', async () => {
    const { call } = client;
    const { id: customer } = await client.customer();
    const order = { customer, billingType: 'PIX', value: 10, dueDate: await client.day(), dueDay: 1 };
    expect(await call('POST', '/payments', order)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'invalid_dueDay' }] },
    });
    expect((await call('GET', '/payments?reference=1')).status).toBe(400);
    expect((await call('POST', '/transfers/', { value: 1 })).status).toBe(404);
    const headers = { access_token: '$aact_prod_x' };
    expect((await call('GET', '/finance/balance', undefined, headers)).status).toBe(401);
  });

  test('by Stripe: unknown parameters, and a key with other parameters', async () => {
    const stripe = await startStripe();
    onTestFinished(() => stripe.stop());
    const { apiKey } = await stripe.control.createAccount();
    const call = async (form: Record<string, string>, key = 'k') => {
      const response = await fetch(`${stripe.url}/v1/customers`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': key },
        body: new URLSearchParams(form),
      });
      return [response.status, (await response.json()).error?.type ?? 'none'];
    };
    const form = { name: 'Ana', email: 'ana@demo.example', 'metadata[a]': 'b' };
    expect(await call({ ...form, nickname: 'A' })).toEqual([400, 'invalid_request_error']);
    expect([await call(form), await call(form)]).toEqual([
      [200, 'none'],
      [200, 'none'],
    ]);
    expect(await call({ ...form, name: 'Bia' })).toEqual([400, 'idempotency_error']);
  });

  test('by Wise: another content type, another version, another profile', async () => {
    const wise = await startWise();
    onTestFinished(() => wise.stop());
    const { token, profile } = await wise.control.createAccount();
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body && { body: JSON.stringify(body) };
      return (await fetch(`${wise.url}${path}`, { method, headers, ...sent })).status;
    };
    const quote = {
      sourceCurrency: 'EUR',
      targetCurrency: 'EUR',
      targetAmount: 1,
      preferredPayIn: 'BALANCE',
    };
    expect(await call('POST', `/2026Q3/profiles/${profile}/quotes`, quote)).toBe(200);
    expect(await call('POST', `/2026Q3/profiles/1/quotes`, quote)).toBe(403);
    expect(await call('GET', '/v1/profiles')).toBe(404);
    const [{ id } = { id: '' }] = (await wise.control.account((await wise.control.accounts())[0] ?? ''))
      .quotes;
    expect(await call('PATCH', `/2026Q3/profiles/${profile}/quotes/${id}`, { targetAccount: 1 })).toBe(415);
  });
});
