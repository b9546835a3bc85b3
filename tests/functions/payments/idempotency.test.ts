// Repeating an Idempotency-Key: one effect, one response, and the scope of keys.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createApiKey, type Tenant } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { createPayTenant, get, payInvoice, untilStatus } from '../../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';
import { ordersOf } from '../../support/payments/sandbox.ts';

const sql = connectDatabase();
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replay') === 'true';

const storedKeys = ({ id }: Tenant) =>
  sql`select key, response_status, response_body from idempotency_keys where tenant_id = ${id} order by created_at`;

/** Moves the creation of a tenant's keys into the past. */
const age = ({ id }: Tenant, interval: string) =>
  sql`update idempotency_keys set created_at = now() - ${interval}::interval, locked_until = now() - interval '1 hour' where tenant_id = ${id}`;

function expectReplay(reply: Reply, first: Reply): void {
  expect([reply.status, reply.body, isReplay(reply)]).toEqual([first.status, first.body, true]);
  const [id, firstId] = [reply, first].map(({ headers }) => headers.get('x-request-id'));
  expect(id).toBeTruthy();
  expect(id).not.toBe(firstId);
  expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'));
}

function expectReused({ status, body }: Reply): void {
  expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
}

describe('concurrent requests with one key', () => {
  test.each([
    ['/invoices', invoice(), 'invoices'],
    // The provider is slow, so that the other requests arrive during the first one.
    ['/invoices', invoice({ amount: 10023 }), 'invoices'],
    ['/payouts', pixPayout(), 'payouts'],
  ])('%s: one effect', async (path, body, table) => {
    const tenant = await createPayTenant(sql);
    const key = crypto.randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => pay(tenant.apiKey, path, body, { key })),
    );
    const done = replies.filter(({ status }) => status === 201);
    expect(done.filter((reply) => !isReplay(reply))).toHaveLength(1);
    for (const reply of done) expect(reply.body).toEqual(done[0]?.body);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect([reply.status, reply.body.code, reply.headers.get('retry-after'), isReplay(reply)]).toEqual([
        409,
        'idempotency_key_in_use',
        '1',
        false,
      ]);
    }
    expect(await ordersOf(sql, tenant)).toHaveLength(1);
    const rows = await sql`select id from ${sql(table)} where tenant_id = ${tenant.id}`;
    expect(rows.map(({ id }) => id)).toEqual([done[0]?.body.id]);
    expect(await storedKeys(tenant)).toMatchObject([{ key, response_status: 201 }]);
    const again = await pay(tenant.apiKey, path, body, { key });
    expect([again.status, again.body, isReplay(again)]).toEqual([201, done[0]?.body, true]);
  });
});

describe('the owner of a key', () => {
  test('another body or path is another request; other tenants have separate keys', async () => {
    const [tenant, other] = [await createPayTenant(sql), await createPayTenant(sql)];
    const key = 'order 4711';
    const first = await pay(tenant.apiKey, '/invoices', invoice(), { key });
    expect(first.status).toBe(201);
    expectReused(await pay(tenant.apiKey, '/invoices', invoice({ amount: 10001 }), { key }));
    expectReused(await pay(tenant.apiKey, '/invoices', invoice({ metadata: {} }), { key }));
    expectReused(await pay(tenant.apiKey, '/payouts', pixPayout(), { key }));
    expectReused(await pay(tenant.apiKey, `/invoices/${first.body.id}/cancel`, {}, { key }));
    const elsewhere = await pay(other.apiKey, '/invoices', invoice(), { key });
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([201, false]);
    expect(elsewhere.body.id).not.toBe(first.body.id);
    expectReplay(await pay(tenant.apiKey, '/invoices', invoice(), { key }), first);
    expect(await storedKeys(tenant)).toHaveLength(1);
  });

  test('is the tenant, for all its API keys; the order of members does not matter', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = await createApiKey(sql, tenant.id, { scopes: PAYMENT_SCOPES });
    const key = crypto.randomUUID();
    const body = invoice({ metadata: { a: '1', b: '2', 10: 'x' } });
    const turned = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, turned(member)]),
          )
        : value;
    const first = await pay(tenant.apiKey, '/invoices', body, { key });
    const text = JSON.stringify(turned(body), null, 2);
    expect(text.indexOf('"customer"')).toBeGreaterThan(text.indexOf('"amount"'));
    expectReplay(await pay(apiKey, '/invoices', text, { key }), first);
  });

  test('requires 1 to 255 characters', async () => {
    const tenant = await createPayTenant(sql);
    expect((await pay(tenant.apiKey, '/invoices', invoice(), { key: 'k'.repeat(255) })).status).toBe(201);
    for (const key of ['k'.repeat(256), '', null]) {
      const reply = await pay(tenant.apiKey, '/invoices', invoice(), { key });
      expect([reply.status, reply.body.code]).toEqual([400, 'bad_request']);
    }
    expect(await storedKeys(tenant)).toHaveLength(1);
  });
});

describe('replayed responses', () => {
  test('include errors of the work: 422, 404, 409, with their bodies', async () => {
    const tenant = await createPayTenant(sql);
    const paid = await pay(tenant.apiKey, '/invoices', invoice());
    await payInvoice(tenant.apiKey, paid.body.id);
    const cases: [string, unknown, number, string][] = [
      ['/invoices', invoice({ amount: 0 }), 422, 'validation_error'],
      ['/invoices', invoice({ cost_center: 'later' }), 422, 'unknown_cost_center'],
      ['/payouts', pixPayout({ purpose: 'fun' }), 422, 'validation_error'],
      ['/invoices/inv_00000000000000000000000000/cancel', {}, 404, 'not_found'],
      [`/invoices/${paid.body.id}/cancel`, {}, 409, 'invoice_not_cancelable'],
      [`/sandbox/invoices/${paid.body.id}/pay`, {}, 409, 'invoice_not_payable'],
    ];
    const firsts: [string, unknown, string, Reply][] = [];
    for (const [path, body, status, code] of cases) {
      const key = crypto.randomUUID();
      const first = await pay(tenant.apiKey, path, body, { key });
      expect([first.status, first.body.code, isReplay(first)]).toEqual([status, code, false]);
      expect(first.body.request_id).toBe(first.headers.get('x-request-id'));
      firsts.push([path, body, key, first]);
    }
    // Changes that would affect the result have no effect on the key.
    await sql`select admin.register_cost_center(${tenant.id}, 'later', 'Later')`;
    for (const [path, body, key, first] of firsts) {
      expectReplay(await pay(tenant.apiKey, path, body, { key }), first);
    }
    const fixed = { key: firsts[0]?.[2] ?? '' };
    expectReused(await pay(tenant.apiKey, '/invoices', invoice({ amount: 1 }), fixed));
  });

  test('are the first response, regardless of later changes of the resource', async () => {
    const tenant = await createPayTenant(sql);
    const options = { key: crypto.randomUUID() };
    const first = await pay(tenant.apiKey, '/invoices', invoice(), options);
    await payInvoice(tenant.apiKey, first.body.id);
    expectReplay(await pay(tenant.apiKey, '/invoices', invoice(), options), first);
    expect(first.body.status).toBe('open');

    const payout = await pay(tenant.apiKey, '/payouts', transferPayout(), { key: 'payout' });
    const path = `/payouts/${payout.body.id}`;
    const canceled = await pay(tenant.apiKey, `${path}/cancel`, null, { method: 'POST', key: 'cancel' });
    expect([canceled.status, canceled.body.status]).toEqual([200, 'canceled']);
    await untilStatus(tenant.apiKey, path, 'canceled');
    expectReplay(await pay(tenant.apiKey, '/payouts', transferPayout(), { key: 'payout' }), payout);
    expectReplay(
      await pay(tenant.apiKey, `${path}/cancel`, null, { method: 'POST', key: 'cancel' }),
      canceled,
    );
  });

  test('are stored for 24 hours', async () => {
    const tenant = await createPayTenant(sql);
    const options = { key: crypto.randomUUID() };
    const send = (body = invoice()) => pay(tenant.apiKey, '/invoices', body, options);
    const first = await send();
    await age(tenant, '23 hours 59 minutes');
    expectReplay(await send(), first);
    expectReused(await send(invoice({ amount: 7 })));
    await age(tenant, '24 hours 1 minute');
    const other = await send(invoice({ amount: 7 }));
    expect([other.status, isReplay(other), other.body.amount]).toEqual([201, false, 7]);
    expect(other.body.id).not.toBe(first.body.id);
    expectReplay(await send(invoice({ amount: 7 })), other);
  });

  test('of a payout are stored for 90 days, so that a repetition does not pay again', async () => {
    const tenant = await createPayTenant(sql);
    const send = (amount = 5000) =>
      pay(tenant.apiKey, '/payouts', pixPayout({ amount }), { key: 'commission-11' });
    const first = await send();
    await age(tenant, '89 days');
    await sql`select app.drop_expired('idempotency_keys', 100000)`;
    expectReplay(await send(), first);
    expectReused(await send(7));
    await sql`update idempotency_keys set response_status = null, snapshot = null where tenant_id = ${tenant.id}`;
    expect(await send()).toMatchObject({ status: 201, body: { id: first.body.id } });
    await age(tenant, '91 days');
    await sql`select app.drop_expired('idempotency_keys', 100000)`;
    expect(await sql`select from idempotency_keys where tenant_id = ${tenant.id}`).toHaveLength(0);
    expect((await get(tenant.apiKey, '/payouts')).data).toHaveLength(1);
  });

  test('after 24 hours a key is new, even for completed work, but not for a request in flight', async () => {
    const tenant = await createPayTenant(sql);
    const { body } = await pay(tenant.apiKey, '/invoices', invoice());
    const playPayer = () => pay(tenant.apiKey, `/sandbox/invoices/${body.id}/pay`, {}, { key: 'payer' });
    expect((await playPayer()).status).toBe(200);
    await age(tenant, '24 hours 1 minute');
    expect(await playPayer()).toMatchObject({ status: 409, body: { code: 'invoice_not_payable' } });
    await sql`
      update idempotency_keys set created_at = now() - interval '25 hours', locked_until = now() + interval '1 minute',
        response_status = null, response_body = null
      where tenant_id = ${tenant.id} and key = 'payer'`;
    expect(await playPayer()).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
  });
});
