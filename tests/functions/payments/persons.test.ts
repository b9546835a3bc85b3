// Persons call the payments interface with the token that they exchanged, as far as their scopes allow.
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { mcpTokenOf } from '../../support/mcp/mcp.ts';
import { dataOf } from '../../support/mcp/tool-results.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { createInvoice, createPayTenant } from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout } from '../../support/payments/payments.ts';
import { createPerson, exchange, type Person } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();

async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
  key: string = crypto.randomUUID(),
) {
  const response = await fetch(`${inject('stack').base_url}/functions/v1/payments${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
}

/** Operations, and the scope that opens each. */
const operations: [string, string, object | undefined, string][] = [
  ['GET', '/invoices', undefined, 'read:payments'],
  ['GET', '/invoices/x', undefined, 'read:payments'],
  ['GET', '/invoices/x/tax-documents/y', undefined, 'read:payments'],
  ['GET', '/payouts', undefined, 'read:payments'],
  ['GET', '/payouts/x', undefined, 'read:payments'],
  ['GET', '/balance', undefined, 'read:payments'],
  ['GET', '/balance-transactions', undefined, 'read:payments'],
  ['GET', '/events', undefined, 'read:payments'],
  ['GET', '/webhooks', undefined, 'read:payments'],
  ['GET', '/capabilities', undefined, 'read:payments'],
  ['POST', '/invoices', invoice(), 'manage:payments'],
  ['POST', '/invoices/x/cancel', {}, 'manage:payments'],
  ['POST', '/invoices/x/refunds', { amount: 1 }, 'manage:payments'],
  ['POST', '/invoices/x/tax-documents', {}, 'manage:payments'],
  ['POST', '/invoices/x/tax-documents/y/cancel', {}, 'manage:payments'],
  ['POST', '/payouts/x/cancel', {}, 'manage:payments'],
  [
    'POST',
    '/webhooks',
    { url: 'https://hooks.example.invalid/x', events: ['invoice.paid'] },
    'manage:payments',
  ],
  ['PATCH', '/webhooks/x', {}, 'manage:payments'],
  ['DELETE', '/webhooks/x', undefined, 'manage:payments'],
  ['POST', '/sandbox/invoices/x/pay', {}, 'manage:payments'],
  ['POST', '/payouts', pixPayout(), 'request:payouts'],
];
const paymentScopes = [
  'read:payments',
  'manage:payments',
  'request:payouts',
  'approve:payouts',
  'manage:access',
  'read:users',
];

describe.each(operations)('%s %s', (method, path, body, scope) => {
  test(`is open with ${scope} alone`, async () => {
    const { id: tenantId } = await createPayTenant(sql);
    const person = await createPerson(sql, tenantId, { access: `{${scope}}` });
    const allowed = await call(person.token, method, path, body);
    expect([401, 403]).not.toContain(allowed.status);
    expect(allowed.status).toBeLessThan(500);
    const others = paymentScopes.filter((other) => other !== scope);
    const refusedPerson = await createPerson(sql, tenantId, { access: `{${others}}` });
    const refused = await call(refusedPerson.token, method, path, body);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="placar", error="insufficient_scope", scope="${scope}"`,
    );
  });
});

test('a token of a client, of MCP or of nobody is 401 with the challenge Bearer', async () => {
  const { id: tenantId } = await createTenant(sql);
  const client = await createOAuthClient(sql, tenantId, { scopes: ['admin', 'read:payments'] });
  const { body: ofClient } = await requestToken(grant(client));
  const person = await createPerson(sql, tenantId, { access: 'finance' });
  const mcp = `${inject('stack').base_url}/functions/v1/mcp`;
  const { body: ofMcp } = await exchange(person.authToken, { resource: mcp });
  for (const token of [ofClient.access_token, ofMcp.access_token, 'a.b.c', 'x']) {
    const reply = await call(token, 'GET', '/invoices');
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="placar", error="invalid_token"',
    ]);
  }
});

test("a person's invoice: made once per key of the person, seen by a key of the tenant, in the log by name", async () => {
  const tenant = await createPayTenant(sql);
  const [ana, bia] = await Promise.all(
    ['Ana', 'Bia'].map((name) => createPerson(sql, tenant.id, { access: 'finance', name })),
  );
  const key = crypto.randomUUID();
  const made = await call(ana?.token ?? '', 'POST', '/invoices', invoice(), key);
  const again = await call(ana?.token ?? '', 'POST', '/invoices', invoice(), key);
  const others = await call(bia?.token ?? '', 'POST', '/invoices', invoice(), key);
  expect([made.status, again.status, others.status]).toEqual([201, 201, 201]);
  expect([again.body.id, again.headers.get('idempotent-replay')]).toEqual([made.body.id, 'true']);
  expect(others.body.id).not.toBe(made.body.id);
  const [logged] = await sql`
    select user_id, api_key_id, client_id from request_log where tenant_id = ${tenant.id} and request_id = ${made.headers.get('x-request-id')}`;
  expect(logged).toEqual({ user_id: ana?.userId, api_key_id: null, client_id: null });
});

describe('a payout', () => {
  let tenant: Awaited<ReturnType<typeof createPayTenant>>;
  beforeAll(async () => {
    tenant = await createPayTenant(sql);
  });
  const approve = (token: string, id: string) => records(token, 'POST', `/admin/payouts/${id}/approve`, {});
  const reject = (token: string, id: string) =>
    records(token, 'POST', `/admin/payouts/${id}/reject`, { reason: 'not this one' });
  const requested = async (person: Person) => {
    const { status, body } = await call(person.token, 'POST', '/payouts', pixPayout());
    expect(status).toBe(201);
    const [row] = await sql`select approval, requested_by from payouts where id = ${body.id}`;
    return { id: String(body.id), approval: row?.approval, by: row?.requested_by };
  };

  test('of who may only request waits; with manage:payments the rule decides', async () => {
    const manager = await createPerson(sql, tenant.id, { access: 'manager', name: 'Marta' });
    const finance = await createPerson(sql, tenant.id, { access: 'finance' });
    const waiting = await requested(manager);
    expect([waiting.approval, waiting.by]).toEqual(['waiting', { kind: 'person', id: manager.userId }]);
    expect((await requested(finance)).approval).toBeNull();
    const { body } = await records(finance.token, 'GET', '/admin/payouts?approval=waiting');
    expect(body.data.find(({ id }: { id: string }) => id === waiting.id).requested_by).toEqual({
      kind: 'person',
      id: manager.userId,
      label: 'Marta',
    });
  });

  test('is not approved by its requester, with any token, nor by a client that acts for or was made by the requester', async () => {
    const person = await createPerson(sql, tenant.id, {
      access: '{request:payouts,approve:payouts,manage:access,read:payments}',
    });
    const { id } = await requested(person);
    const { body: again } = await exchange(person.authToken);
    for (const token of [person.token, again.access_token])
      expect((await approve(token, id)).status).toBe(403);
    const acting = await createOAuthClient(sql, tenant.id, { scopes: ['approve:payouts'] });
    await sql`update oauth_clients set user_id = ${person.userId} where client_id = ${acting.client_id}`;
    const { body: ofActing } = await requestToken(grant(acting));
    expect((await approve(ofActing.access_token, id)).status).toBe(403);
    const made = await records(person.token, 'POST', '/admin/clients', {
      label: 'mine',
      scopes: ['approve:payouts'],
    });
    expect(made.status).toBe(201);
    const { body: ofMade } = await requestToken(
      grant({ client_id: made.body.data.client_id, client_secret: made.body.data.client_secret }),
    );
    expect((await approve(ofMade.access_token, id)).status).toBe(403);
    // A client that the acting one made.
    const maker = await createOAuthClient(sql, tenant.id, { scopes: ['manage:access', 'approve:payouts'] });
    await sql`update oauth_clients set user_id = ${person.userId} where client_id = ${maker.client_id}`;
    const { body: ofMaker } = await requestToken(grant(maker));
    const child = await records(ofMaker.access_token, 'POST', '/admin/clients', {
      label: 'made for me',
      scopes: ['approve:payouts'],
    });
    expect(child.status).toBe(201);
    const { client_id: childId, client_secret: childSecret } = child.body.data;
    const { body: ofChild } = await requestToken(grant({ client_id: childId, client_secret: childSecret }));
    expect((await approve(ofChild.access_token, id)).status).toBe(403);
    // Taking it back is allowed, and someone else may approve another one.
    expect((await reject(person.token, id)).status).toBe(200);
    const other = await createPerson(sql, tenant.id, { access: 'finance', name: 'Felipe' });
    const next = await requested(person);
    expect((await approve(other.token, next.id)).status).toBe(200);
    const [change] = await sql`
      select actor_kind, actor_id, actor_name from admin_changes where act = 'payout.approved' and subject_id = ${next.id}`;
    expect(change).toEqual({ actor_kind: 'person', actor_id: other.userId, actor_name: 'Felipe' });
  });

  test('is not approved by a later user with the account of its requester', async () => {
    const person = await createPerson(sql, tenant.id, { access: 'manager' });
    const { id } = await requested(person);
    const moved = `moved-${person.email}`;
    await sql`update auth.users set email = ${moved} where id = ${person.id}`;
    await sql`update users set status = 'deactivated' where id = ${person.userId}`;
    await sql`insert into users (tenant_id, name, email, role) values (${tenant.id}, 'Ana', ${moved}, 'admin')`;
    const { body: later } = await exchange(person.authToken);
    expect(later.scope).toContain('approve:payouts');
    expect((await approve(later.access_token, id)).status).toBe(403);
  });

  test('of a client is not approved by its user, nor by who was its user until the own request ended that', async () => {
    const person = await createPerson(sql, tenant.id, {
      access: '{request:payouts,approve:payouts,manage:access,read:payments,read:users}',
    });
    const acting = await createOAuthClient(sql, tenant.id, { scopes: ['request:payouts'] });
    await sql`update oauth_clients set user_id = ${person.userId} where client_id = ${acting.client_id}`;
    const { id } = await dataOf(await mcpTokenOf(acting, 'request:payouts'), 'request_payout', {
      ...pixPayout(),
      idempotency_key: crypto.randomUUID(),
    });
    expect((await approve(person.token, id)).status).toBe(403);
    const path = `/admin/clients/${acting.client_id}`;
    const changed = await records(person.token, 'PATCH', path, { user: null });
    expect(changed.body.data).toMatchObject({ user: null });
    expect((await approve(person.token, id)).status).toBe(403);
  });

  test('of a client is not approved by another client of the same user', async () => {
    const person = await createPerson(sql, tenant.id);
    const clientOf = async (scope: string) => {
      const client = await createOAuthClient(sql, tenant.id, { scopes: [scope] });
      await sql`update oauth_clients set user_id = ${person.userId} where client_id = ${client.client_id}`;
      return client;
    };
    const [asking, approving] = [await clientOf('request:payouts'), await clientOf('approve:payouts')];
    const { id } = await dataOf(await mcpTokenOf(asking, 'request:payouts'), 'request_payout', {
      ...pixPayout(),
      idempotency_key: crypto.randomUUID(),
    });
    const { body } = await requestToken(grant(approving));
    expect((await approve(body.access_token, id)).status).toBe(403);
    const other = await createOAuthClient(sql, tenant.id, { scopes: ['approve:payouts'] });
    const { body: ofOther } = await requestToken(grant(other));
    expect((await approve(ofOther.access_token, id)).status).toBe(200);
  });

  test('of an API key is not approved by the person who created or rotated it', async () => {
    const own = await createPayTenant(sql);
    await sql`select admin.require_payout_approval(slug, 0, 'BRL') from tenants where id = ${own.id}`;
    const person = await createPerson(sql, own.id, { access: 'admin' });
    const scopes = ['payments:read', 'payments:write'];
    const made = await records(person.token, 'POST', '/admin/api-keys', { label: 'mine', scopes });
    const rotated = await records(person.token, 'POST', `/admin/api-keys/${made.body.data.id}/rotate`, {});
    for (const { api_key: key } of [made.body.data, rotated.body.data]) {
      const { status, body } = await pay(key, '/payouts', pixPayout(), { key: crypto.randomUUID() });
      expect(status).toBe(201);
      expect((await approve(person.token, body.id)).status).toBe(403);
      const other = await createPerson(sql, own.id, { access: 'finance' });
      expect((await approve(other.token, body.id)).status).toBe(200);
    }
  });

  test('twenty wait at most', async () => {
    const full = await createPayTenant(sql);
    const manager = await createPerson(sql, full.id, { access: 'manager' });
    for (let i = 0; i < 20; i++) await requested(manager);
    const refused = await call(manager.token, 'POST', '/payouts', pixPayout());
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      expect.stringContaining('20 requested payouts wait'),
    ]);
  });

  test('finance alone cannot switch the second pair of eyes off', async () => {
    const own = await createPayTenant(sql);
    await sql`select admin.require_payout_approval(slug, 1000, 'BRL') from tenants where id = ${own.id}`;
    const finance = await createPerson(sql, own.id, { access: 'finance' });
    const admin = await createPerson(sql, own.id, { access: 'admin' });
    const rule = async (token: string, above: number | null) =>
      (await records(token, 'PUT', '/admin/payout-approval-rules', { currency: 'BRL', above_amount: above }))
        .status;
    expect(await rule(finance.token, 500)).toBe(200);
    expect([await rule(finance.token, 5000), await rule(finance.token, null)]).toEqual([403, 403]);
    expect([await rule(admin.token, 5000), await rule(admin.token, null)]).toEqual([200, 200]);
  });
});

test('a person sees and changes only their workspace', async () => {
  const [mine, theirs] = await Promise.all([createPayTenant(sql), createPayTenant(sql)]);
  const { id } = await createInvoice(theirs.apiKey);
  const person = await createPerson(sql, mine.id, { access: 'finance' });
  expect((await call(person.token, 'GET', `/invoices/${id}`)).status).toBe(404);
  expect((await call(person.token, 'POST', `/invoices/${id}/cancel`, {})).status).toBe(404);
});

test('X-Silent and X-Origin have no effect: the events of a person are those of an API key', async () => {
  const tenant = await createPayTenant(sql);
  const { token } = await createPerson(sql, tenant.id, { access: 'finance' });
  const silently = (path: string, body: object) =>
    fetch(`${inject('stack').base_url}/functions/v1/payments${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
        'x-silent': 'true',
        'x-origin': 'x'.repeat(200),
      },
      body: JSON.stringify(body),
    });
  const { id } = await (await silently('/invoices', invoice())).json();
  expect((await silently(`/invoices/${id}/cancel`, {})).status).toBe(200);
  const events = await sql`
    select silent, origin from events where tenant_id = ${tenant.id} and interface = 'payments'`;
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event).toEqual({ silent: false, origin: null });
});
