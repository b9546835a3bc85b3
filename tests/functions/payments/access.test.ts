// Errors that every route has, tested over the list of routes: a new route is covered if the list contains it.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectDatabase, createApiKey, type Tenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
  issued,
  NFSE,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();

interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With placeholders such as `{invoice}` and `{document}`. */
  path: string;
  /** A valid body. */
  body?: Record<string, unknown>;
  /** Other methods of the same path. */
  allow: string;
}

const WEBHOOK = { url: 'https://hooks.example.invalid/x', events: ['invoice.paid'] };

const routes: Route[] = [
  { method: 'POST', path: '/invoices', body: invoice(), allow: 'POST, GET' },
  { method: 'GET', path: '/invoices', allow: 'POST, GET' },
  { method: 'GET', path: '/invoices/{invoice}', allow: 'GET' },
  { method: 'POST', path: '/invoices/{invoice}/cancel', body: {}, allow: 'POST' },
  { method: 'POST', path: '/invoices/{invoice}/tax-documents', body: NFSE, allow: 'POST' },
  { method: 'GET', path: '/invoices/{invoice}/tax-documents/{document}', allow: 'GET' },
  { method: 'POST', path: '/invoices/{invoice}/tax-documents/{document}/cancel', body: {}, allow: 'POST' },
  { method: 'POST', path: '/payouts', body: pixPayout(), allow: 'POST, GET' },
  { method: 'GET', path: '/payouts', allow: 'POST, GET' },
  { method: 'GET', path: '/payouts/{payout}', allow: 'GET' },
  { method: 'POST', path: '/payouts/{payout}/cancel', body: {}, allow: 'POST' },
  { method: 'GET', path: '/balance-transactions', allow: 'GET' },
  { method: 'GET', path: '/balance-transactions/{entry}', allow: 'GET' },
  { method: 'GET', path: '/balance', allow: 'GET' },
  { method: 'POST', path: '/sandbox/invoices/{invoice}/pay', body: {}, allow: 'POST' },
  { method: 'POST', path: '/webhooks', body: WEBHOOK, allow: 'POST, GET' },
  { method: 'GET', path: '/webhooks', allow: 'POST, GET' },
  { method: 'GET', path: '/webhooks/{webhook}', allow: 'GET, PATCH, DELETE' },
  { method: 'POST', path: '/webhooks/{webhook}/pause', body: {}, allow: 'POST' },
  { method: 'POST', path: '/webhooks/{webhook}/resume', body: {}, allow: 'POST' },
  { method: 'POST', path: '/webhooks/{webhook}/rotate-secret', body: {}, allow: 'POST' },
  { method: 'POST', path: '/webhooks/{webhook}/test', body: {}, allow: 'POST' },
  { method: 'GET', path: '/webhooks/{webhook}/deliveries', allow: 'GET' },
  { method: 'GET', path: '/webhooks/{webhook}/deliveries/{delivery}', allow: 'GET' },
  { method: 'POST', path: '/webhooks/{webhook}/deliveries/{delivery}/replay', body: {}, allow: 'POST' },
];
const posts = routes.filter(({ method }) => method === 'POST');
const withIds = routes.filter(({ path }) => path.includes('{'));

type Ids = Record<'invoice' | 'document' | 'payout' | 'entry' | 'webhook' | 'delivery', string>;
const fill = (path: string, ids: Partial<Ids> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name] ?? `x_${name}`);

/** A tenant with one of every resource. */
async function furnish(): Promise<{ tenant: Tenant; ids: Ids }> {
  const tenant = await createPayTenant(sql);
  const { id } = await createInvoice(tenant.apiKey);
  const document = await issued(tenant.apiKey, id);
  const payout = await createPayout(tenant.apiKey, transferPayout());
  const [row] = await sql`select admin.adjust_balance(${tenant.id}, 5, 'BRL', 'a reason') as id`;
  const { id: webhook } = bodyOf(await pay(tenant.apiKey, '/webhooks', WEBHOOK), 201);
  const { delivery_id: delivery } = bodyOf(await pay(tenant.apiKey, `/webhooks/${webhook}/test`, {}), 202);
  const ids = { invoice: id, document: document.id, payout: payout.id, entry: row?.id, webhook, delivery };
  return { tenant, ids };
}

let mine: Awaited<ReturnType<typeof furnish>>;
let theirs: Awaited<ReturnType<typeof furnish>>;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([furnish(), furnish()]);
});
afterAll(async () => {
  const { data } = await get(theirs.tenant.apiKey, '/invoices');
  expect(data).toMatchObject([{ status: 'open', tax_document: { status: 'issued' } }]);
});

/** Sends a request without a signature. */
async function raw(path: string, init: RequestInit) {
  const response = await fetch(`${inject('stack').base_url}/functions/v1/payments${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

/** Asserts the complete problem. */
function expectProblem(
  reply: Awaited<ReturnType<typeof raw>>,
  status: number,
  code: string,
  path: string,
  errors?: string[],
) {
  expect(reply.body).toEqual({
    type: `https://placar.dev/problems/${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    instance: `/payments${path}`,
    code,
    request_id: reply.headers.get('x-request-id'),
    ...(errors && { errors: errors.map((field) => ({ field, message: expect.any(String) })) }),
  });
  expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
}

describe.each(routes)('$method $path', ({ method, path, body, allow }) => {
  const text = body && JSON.stringify(body);
  const plain = (headers: Record<string, string>): RequestInit => ({
    method,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID(), ...headers },
    ...(text && { body: text }),
  });

  test('returns 401 without a key, with Bearer and with a wrong signature', async () => {
    const at = fill(path, mine.ids);
    const { apiKey } = mine.tenant;
    const wrong = `SVC-SIGN-V1 ${apiKey}:${Math.floor(Date.now() / 1000)}:${'0'.repeat(64)}`;
    for (const headers of [{}, { Authorization: `Bearer ${apiKey}` }, { Authorization: wrong }]) {
      const reply = await raw(at, plain(headers));
      expectProblem(reply, 401, 'unauthorized', at);
      expect(reply.headers.get('www-authenticate')).toBe('SVC-SIGN-V1 realm="placar"');
      const isSigned = headers.Authorization === wrong;
      expect(reply.body.detail).toContain(isSigned ? 'invalid or expired' : 'must be signed');
      expect(reply.body.detail).toMatch(/ See https:\/\/placar\.dev\/authentication\.$/);
    }
  });

  test('returns 403 without its scope', async () => {
    const other = method === 'GET' ? 'payments:write' : 'payments:read';
    const { apiKey } = await createApiKey(sql, mine.tenant.id, { scopes: [other, 'default:sync'] });
    const at = fill(path, mine.ids);
    const headers: Record<string, string> = { 'X-Request-Id': `mine-${crypto.randomUUID()}` };
    const reply = await pay(apiKey, at, body, { method, headers });
    expectProblem(reply, 403, 'insufficient_scope', at);
    expect(reply.headers.get('www-authenticate')).toBe(
      `SVC-SIGN-V1 realm="placar", error="insufficient_scope", scope="payments:${method === 'GET' ? 'read' : 'write'}"`,
    );
    expect(reply.body.request_id).toBe(headers['X-Request-Id']);
  });

  test('returns 429 above the limit of the key', async () => {
    const scopes = ['payments:read', 'payments:write'];
    const { apiKey } = await createApiKey(sql, mine.tenant.id, { scopes, requestsPerHour: 1 });
    const at = fill(path);
    const first = await pay(apiKey, at, body && '{', { method });
    expect([200, 400, 404]).toContain(first.status);
    const reply = await pay(apiKey, at, body, { method });
    expectProblem(reply, 429, 'rate_limited', at);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('returns 405 for other methods, before authentication', async () => {
    const at = fill(path);
    for (const other of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST', 'GET']) {
      if (allow.split(', ').includes(other)) continue;
      const reply = await raw(at, { method: other });
      expectProblem(reply, 405, 'method_not_allowed', at);
      expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(allow.split(', ').sort());
    }
  });

  test('returns 404 with a trailing slash', async () => {
    const at = `${fill(path)}/`;
    expectProblem(await raw(at, { method }), 404, 'not_found', at);
  });
});

describe.each(posts)('POST $path', ({ path, body = {} }) => {
  const send = (options: { text?: string; headers?: Record<string, string>; key?: string | null } = {}) => {
    const { text = JSON.stringify(body), ...rest } = options;
    return pay(mine.tenant.apiKey, fill(path), text, { method: 'POST', ...rest });
  };
  const expectRefused = async (reply: ReturnType<typeof send>, status: number, code: string) =>
    expectProblem(await reply, status, code, fill(path));

  test('returns 400 without an Idempotency-Key of 1 to 255 characters', async () => {
    await expectRefused(send({ key: null }), 400, 'bad_request');
    await expectRefused(send({ key: '' }), 400, 'bad_request');
    await expectRefused(send({ key: 'x'.repeat(256) }), 400, 'bad_request');
    const longest = `${crypto.randomUUID()}${'x'.repeat(219)}`;
    const reply = await send({ key: longest, text: JSON.stringify({ our_number: 'x' }) });
    expect(reply.status).not.toBe(400);
  });

  test('returns 415 for a body that is not declared as JSON, before reading it', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      await expectRefused(
        send({ headers: { 'Content-Type': type }, text: '{', key: null }),
        415,
        'unsupported_media_type',
      );
    }
  });

  test.each(['{', '[]', '"text"', 'null', '7', '{"a":1}x', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`])(
    'returns 400 for the body %.12s',
    async (text) => {
      await expectRefused(send({ text }), 400, 'bad_request');
    },
  );

  test('returns 413 for more than 6 MiB', async () => {
    const text = `{"description":"${'x'.repeat(6 * 1024 * 1024)}"}`;
    await expectRefused(send({ text }), 413, 'payload_too_large');
  });
});

test.each(posts.filter(({ path }) => !path.includes('{') || path.endsWith('tax-documents')))(
  'POST $path requires a body',
  async ({ path }) => {
    const at = fill(path, mine.ids);
    const reply = await pay(mine.tenant.apiKey, at, null, { method: 'POST' });
    expectProblem(reply, 400, 'bad_request', at);
  },
);

describe.each(withIds)('$method $path', ({ method, path, body }) => {
  test("another tenant's ids are as unknown as ids that never existed", async () => {
    const { apiKey } = mine.tenant;
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof Ids);
    const cases = names.flatMap((name): Partial<Ids>[] => [
      { ...mine.ids, [name]: theirs.ids[name] },
      { ...mine.ids, [name]: 'inv_01kdvc2v0ke5rtj6wm1s1mkb9d' },
      { ...mine.ids, [name]: mine.ids[name].toUpperCase() },
      { ...mine.ids, [name]: 'x' },
      { ...mine.ids, [name]: '%00' },
      { ...mine.ids, [name]: '%ff' },
      { ...mine.ids, [name]: '%27%20or%20true' },
    ]);
    const details = new Set<string>();
    for (const ids of [...cases, theirs.ids]) {
      const at = fill(path, ids);
      const reply = await pay(apiKey, at, body, { method });
      expect([at, reply.status]).toEqual([at, 404]);
      expectProblem(reply, 404, 'not_found', at);
      details.add(reply.body.detail);
    }
    expect(details.size).toBe(1);
  });
});

describe('the body', () => {
  test("cannot reference another tenant's resources", async () => {
    const { apiKey } = mine.tenant;
    await sql`select admin.register_cost_center(${theirs.tenant.id}, 'theirs', 'Theirs')`;
    for (const [path, body] of [
      ['/invoices', invoice({ cost_center: 'theirs' })],
      ['/payouts', pixPayout({ cost_center: 'theirs' })],
    ] as const) {
      const reply = await pay(apiKey, path, body);
      expectProblem(reply, 422, 'unknown_cost_center', path, ['cost_center']);
    }
    const other = await pay(
      apiKey,
      '/invoices',
      invoice({ tenant_id: theirs.tenant.id, id: theirs.ids.invoice }),
    );
    expect(bodyOf(other, 201).id).not.toBe(theirs.ids.invoice);
    const list = await get(apiKey, `/balance-transactions?source=${theirs.ids.invoice}`);
    expect(list.data).toEqual([]);
  });

  test('of a validation problem names the fields and nothing else', async () => {
    const reply = await pay(mine.tenant.apiKey, '/invoices', invoice({ amount: 0 }));
    expectProblem(reply, 422, 'validation_error', '/invoices', ['amount']);
  });
});

describe('the request id', () => {
  test("is the caller's own or a generated one, on every kind of response", async () => {
    const { apiKey } = mine.tenant;
    for (const path of ['/invoices', '/invoices/x', '/nothing', '/invoices?limit=0', '/health']) {
      const own = `mine-${crypto.randomUUID()}`;
      const replies = [
        await pay(apiKey, path, undefined, { headers: { 'X-Request-Id': own } }),
        await pay(apiKey, path),
      ];
      expect(replies.map(({ headers }) => headers.get('x-request-id'))).toEqual([
        own,
        expect.stringMatching(/^[0-9a-f-]{36}$/),
      ]);
    }
  });
});

test('in production there is no sandbox', async () => {
  const { baseUrl } = await startOwnFunction('payments', {
    APP_ENV: 'production',
    ALLOW_INSECURE_WEBHOOKS: 'false',
    // In production, URLs of fakes are rejected.
    ...{ ASAAS_URL: '', WISE_URL: '', WISE_PUBLIC_KEY: '', STRIPE_URL: '' },
  });
  for (const [path, method] of [
    ['/sandbox/invoices/x/pay', 'POST'],
    ['/sandbox/checkout/x', 'GET'],
  ] as const) {
    const response = await fetch(`${baseUrl}/payments${path}`, { method });
    expect([path, response.status]).toEqual([path, 404]);
    await response.body?.cancel();
  }
});

test('unknown paths return 404 without a key, and no response has CORS headers', async () => {
  for (const path of ['', '/', '/nothing', '/invoice', '/invoices//cancel', '/files/x']) {
    const reply = await raw(path, { headers: { Origin: 'https://example.com' } });
    expectProblem(reply, 404, 'not_found', path);
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  expect(faultsOf(await raw('/refunds', { method: 'POST' }), 404, 'not_found')).toEqual([]);
});
