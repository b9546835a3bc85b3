// The TypeScript client with a proxy that closes connections, does not respond, and responds with 429 and 503.
import { inspect } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { PlacarError, RateLimitError, SyncError } from '../../../clients/typescript/src/index.ts';
import { connect, createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { activity, collaborator } from '../../support/gamification/sync.ts';
import { type Fault, type Seen, startFaultProxy } from '../../support/wire/fault-proxy.ts';

const sql = connectDatabase();
const F = '/functions/v1';
const TOKEN = `${F}/oauth/token`;

/** A client of a new tenant behind a proxy. Faults apply to requests other than token requests, unless `tokens` is set. */
async function behind(faultOf: (seen: Seen, nth: number) => Fault | undefined, more = {}) {
  const proxy = await startFaultProxy(inject('stack').base_url, faultOf);
  const credentials = await createCredentials(sql);
  return { proxy, credentials, placar: connect(credentials, { url: proxy.url, ...more }) };
}

const first = (fault: Fault, path?: string) => (seen: Seen, nth: number) =>
  nth === 0 && (path ? seen.path.startsWith(path) : seen.path !== TOKEN) ? fault : undefined;

const busy = (status: number, headers: Record<string, string> = {}): Fault => ({ status, headers });

describe.each<[string, Fault]>([
  ['cut before', 'cut'],
  ['cut when it was done', 'cut-answer'],
  ['cut within the answer', 'cut-body'],
  ['503', busy(503, { 'retry-after': '0' })],
  ['500', busy(500)],
  ['429', busy(429, { 'retry-after': '0' })],
])('%s', (_, fault) => {
  test('an invoice is created once, with one Idempotency-Key', async () => {
    const { placar, proxy } = await behind(first(fault));
    const made = await placar.invoices.create(newInvoice());
    const sent = proxy.to(`${F}/payments/invoices`);
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect((await placar.invoices.list().toArray()).map(({ id }) => id)).toEqual([made.id]);
  });

  test('activities are sent again', async () => {
    const { placar, proxy } = await behind(first(fault));
    await placar.collaborators.sync([collaborator('ana')]);
    const { processed, duplicates } = await placar.activities.sync([activity('a', 'ana@example.com')]);
    expect(processed + duplicates).toBe(1);
    expect(proxy.seen).toHaveLength(3);
  });

  test('a list is read and a token is fetched', async () => {
    const { placar, proxy } = await behind((seen, nth) => (nth === 0 && seen ? fault : undefined));
    expect(await placar.leads.list().toArray()).toEqual([]);
    expect(proxy.to(TOKEN)).toHaveLength(2);
    expect(proxy.to(`${F}/v1/leads`)).toHaveLength(2);
  });
});

describe('records are written once', () => {
  test.each<[string, Fault]>([
    ['cut', 'cut'],
    ['cut when it was done', 'cut-answer'],
    ['503', busy(503)],
    ['silent', 'silent'],
  ])('a POST is repeated with its Idempotency-Key: %s', async (_, fault) => {
    const { placar, proxy } = await behind(first(fault, `${F}/v1/deals`), { timeoutMs: 3000 });
    const made = await placar.deals.create({ name: 'x', value: 1 }, { idempotencyKey: 'order-7' });
    const sent = proxy.to(`${F}/v1/deals`).filter(({ method }) => method === 'POST');
    expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-7', 'order-7']);
    expect((await placar.deals.list().toArray()).map(({ id }) => id)).toEqual([made.id]);
  });

  test('a POST that was rejected with 429 is repeated', async () => {
    const { placar, proxy } = await behind(first(busy(429, { 'retry-after': '1' }), `${F}/v1/deals`));
    await placar.deals.create({ name: 'x', value: 1 });
    const [refused, done] = proxy.to(`${F}/v1/deals`);
    expect((done?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test('a DELETE whose response is lost counts as done', async () => {
    const { placar, proxy } = await behind((seen, nth) =>
      seen.method === 'DELETE' && nth === 1 ? 'cut-answer' : undefined,
    );
    const lead = await placar.leads.create({ name: 'x', email: 'x@x.example' });
    await placar.leads.get(lead.id);
    await placar.leads.delete(lead.id);
    expect(proxy.to(`${F}/v1/leads/${lead.id}`)).toHaveLength(3);
    await expect(placar.leads.delete(lead.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('a conditional change is repeated only if the 503 says that nothing was done', async () => {
  const saying = (effect: string): Fault => ({
    ...{ status: 503, headers: { 'retry-after': '0' } },
    body: { error: { code: 'SERVER_ERROR', message: 'Unreachable.', details: [], effect } },
  });
  for (const effect of ['none', 'unknown']) {
    const patches: Seen[] = [];
    const { placar } = await behind((seen) => {
      if (seen.method !== 'PATCH') return undefined;
      patches.push(seen);
      return patches.length === 1 ? saying(effect) : undefined;
    });
    const lead = await placar.leads.create({ name: 'x', email: 'x@x.example' });
    const change = placar.leads.update(lead.id, { name: 'y' }, { ifMatch: '*' });
    if (effect === 'none') expect((await change).name).toBe('y');
    else await expect(change).rejects.toMatchObject({ status: 503, effect });
    expect(patches).toHaveLength(effect === 'none' ? 2 : 1);
  }
});

test("retries end, and the error contains the last response's message", async () => {
  const { placar, proxy } = await behind(() => busy(503), { maxRetries: 2 });
  await expect(placar.invoices.list().toArray()).rejects.toMatchObject({ status: 503, code: 'SERVER_ERROR' });
  expect(proxy.seen).toHaveLength(3);
  expect(new Set(proxy.seen.map(({ headers }) => headers['x-request-id'])).size).toBe(1);
});

test('a wait that is too long is an error with the requested wait', async () => {
  const { placar, proxy } = await behind(() => busy(429, { 'retry-after': '3000' }));
  const error = await placar.balance().catch((failure) => failure);
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error.retryAfter).toBe(3000);
  expect(proxy.seen).toHaveLength(1);
});

test('concurrent calls share one token, and one new token when it is rejected', async () => {
  let refuse = false;
  const { placar, proxy } = await behind((seen) => (refuse && seen.path !== TOKEN ? busy(401) : undefined));
  await Promise.all(Array.from({ length: 20 }, () => placar.stages.list()));
  expect(proxy.to(TOKEN)).toHaveLength(1);
  refuse = true;
  const refused = await Promise.allSettled(Array.from({ length: 20 }, () => placar.stages.list()));
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
  const before = proxy.to(TOKEN).length;
  refuse = false;
  await placar.stages.list();
  // Each call requested at most one new token, and none if another call had already received one.
  expect(before).toBeLessThan(10);
});

test('an aborted call does not affect other calls that wait for the same token', async () => {
  const { placar, proxy } = await behind(
    (seen, nth) => (seen.path === TOKEN && nth === 0 ? 'silent' : undefined),
    {
      timeoutMs: 1500,
    },
  );
  const controller = new AbortController();
  const given = placar.stages.list({ signal: controller.signal });
  const kept = placar.stages.list();
  controller.abort(new Error('enough'));
  await expect(given).rejects.toThrow('enough');
  expect((await kept).length).toBeGreaterThan(0);
  expect(proxy.to(TOKEN)).toHaveLength(2);
});

test('an abort ends waits and requests with its reason', async () => {
  const { placar, proxy } = await behind((seen) =>
    seen.path.endsWith('balance') ? busy(503, { 'retry-after': '60' }) : 'silent',
  );
  for (const call of [
    (signal: AbortSignal) => placar.balance({ signal }),
    (signal: AbortSignal) => placar.invoices.list({}, { signal }).toArray(),
    (signal: AbortSignal) => placar.activities.sync([activity('a', 'a@x.example')], { signal }),
  ]) {
    const controller = new AbortController();
    const before = proxy.seen.length;
    const ended = expect(call(controller.signal)).rejects.toThrow('enough');
    await expect.poll(() => proxy.seen.length, { timeout: 30_000 }).toBe(before + 1);
    controller.abort(new Error('enough'));
    await ended;
  }
});

test('near the limit, requests are spread out and none is rejected', async () => {
  const reset = () => String(Math.ceil(Date.now() / 1000) + 3);
  let left = 6;
  const { placar, proxy } = await behind((seen) => {
    if (seen.path === TOKEN) return undefined;
    left -= 1;
    const headers = {
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': String(left),
      'x-ratelimit-reset': reset(),
    };
    return { status: 200, headers, body: { data: [] } };
  });
  await placar.stages.list();
  const startedAt = Date.now();
  await Promise.all(Array.from({ length: 4 }, () => placar.stages.list()));
  expect(Date.now() - startedAt).toBeGreaterThan(1000);
  const times = proxy.to(`${F}/v1/stages`).map(({ atMs }) => atMs);
  expect(Math.max(...times.slice(2).map((at, index) => at - (times[index + 1] ?? 0)))).toBeGreaterThan(200);
});

test('after a 429 all calls of the client wait', async () => {
  const { placar, proxy } = await behind(first(busy(429, { 'retry-after': '1' }), `${F}/payments/balance`));
  const [one] = await Promise.all([
    placar.balance(),
    expect
      .poll(() => proxy.seen.length)
      .toBe(1)
      .then(() => placar.payouts.list().toArray()),
  ]);
  expect(one).toHaveProperty('data');
  const [refused] = proxy.to(`${F}/payments/balance`);
  const [other] = proxy.to(`${F}/payments/payouts`);
  expect((other?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(900);
});

test('a sync that cannot continue reports what was sent and what was not', async () => {
  const { placar } = await behind((seen) => (seen.body.includes('"a-4000"') ? 'cut' : undefined), {
    maxRetries: 1,
  });
  await placar.collaborators.sync([collaborator('ana')]);
  const activities = Array.from({ length: 20_000 }, (_, index) => activity(`a-${index}`, 'ana@example.com'));
  const error = await placar.activities.sync(activities).catch((failure) => failure);
  expect(error).toBeInstanceOf(SyncError);
  expect(error.unsent[0]).toEqual({ start: 4000, count: 1000 });
  const unsent = error.unsent.reduce((sum: number, { count }: { count: number }) => sum + count, 0);
  expect(error.result.processed + unsent).toBe(20_000);
  expect((await placar.activities.sync([])).total).toBe(0);
});

test('hooks are called for each attempt, without secrets; a hook that throws breaks nothing', async () => {
  const told: unknown[] = [];
  const tell = (info: unknown) => {
    told.push(info);
    throw new Error('hook');
  };
  const hooks = { onRequest: tell, onResponse: tell, onRetry: tell };
  const { placar, credentials } = await behind(first(busy(503)), { hooks });
  await placar.leads.list({ search: 'private' }).toArray();
  expect(told).toContainEqual(
    expect.objectContaining({ method: 'GET', path: '/v1/leads', attempt: 2, status: 200 }),
  );
  expect(told).toContainEqual(
    expect.objectContaining({ reason: 'SERVER_ERROR', waitMs: expect.any(Number) }),
  );
  const text = JSON.stringify(told);
  for (const secret of [credentials.apiKey, credentials.clientSecret, 'private'])
    expect(text).not.toContain(secret);
});

test('errors and clients never contain a key, secret or token, however they are printed', async () => {
  let reflected = '';
  const { placar, credentials } = await behind((seen) => {
    reflected = String(seen.headers.authorization ?? seen.body);
    const message = `you sent ${reflected}`;
    return (
      busy(400) && {
        status: 400,
        body: { error: { code: reflected, message, details: [{ field: 'x', message }] } },
      }
    );
  });
  const tokens = (
    await behind((seen) =>
      seen.path === TOKEN
        ? undefined
        : { status: 400, body: { error: { code: 'x', message: seen.headers.authorization } } },
    )
  ).placar;
  const failing = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error) => error,
    );
  const throwing = connect(credentials, {
    maxRetries: 0,
    fetch: async (_, init) => {
      throw new TypeError('fetch failed', {
        cause: new Error(`bad header ${JSON.stringify(init?.headers)} ${init?.body}`),
      });
    },
  });
  const errors = await Promise.all([
    failing(placar.balance()),
    failing(placar.activities.sync([activity('a', 'a@x.example')])),
    failing(placar.stages.list()),
    failing(tokens.stages.list()),
    failing(throwing.balance()),
    failing(throwing.stages.list()),
  ]);
  expect(errors.every((error) => error instanceof PlacarError)).toBe(true);
  const printed = [...errors, placar, tokens, placar.invoices, placar.leads, throwing].map(
    (value) =>
      `${inspect(value, { depth: 20, showHidden: true })} ${JSON.stringify(value)} ${String(value)} ${value.stack}`,
  );
  expect(printed.join()).toContain('[hidden]');
  for (const secret of [credentials.apiKey, credentials.clientSecret, 'eyJ'])
    expect(printed.join()).not.toContain(secret);
  expect(() => connect({ apiKey: 'sk_test_secret\n' })).toThrow(/^apiKey is required/);
});
