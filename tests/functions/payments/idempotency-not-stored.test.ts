// When an Idempotency-Key stays unused: rejections before the work begins, and failures that a retry may fix.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { createPayTenant } from '../../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import { ordersOf } from '../../support/payments/sandbox.ts';

const sql = connectDatabase();

describe('rejected before the work', () => {
  test('400, 401, 403, 413, 415, 429 and a wrong path store no key', async () => {
    const tenant = await createPayTenant(sql);
    const reader = await createApiKey(sql, tenant.id, { scopes: ['payments:read'] });
    const limited = await createApiKey(sql, tenant.id, { scopes: PAYMENT_SCOPES, requestsPerHour: 1 });
    await pay(limited.apiKey, '/invoices');
    const key = crypto.randomUUID();
    const send = (apiKey: string, body: unknown = invoice(), headers: Record<string, string> = {}) =>
      pay(apiKey, '/invoices', body, { key, headers });
    const replies = [
      await send(tenant.apiKey, '{"amount":'),
      await send(tenant.apiKey, '[]'),
      await send(tenant.apiKey, invoice(), { Authorization: 'SVC-SIGN-V1 a:1:b' }),
      await send(reader.apiKey),
      await send(tenant.apiKey, invoice({ description: 'x'.repeat(10_500_000) })),
      await send(tenant.apiKey, invoice(), { 'Content-Type': 'text/plain' }),
      await send(limited.apiKey),
      await pay(tenant.apiKey, '/invoice', invoice(), { key }),
      await pay(tenant.apiKey, '/invoices', invoice(), {
        key,
        method: 'PUT',
        headers: { 'Idempotency-Key': key },
      }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 401, 403, 413, 415, 429, 404, 405]);
    expect(await sql`select from idempotency_keys where tenant_id = ${tenant.id}`).toHaveLength(0);
    const done = await send(tenant.apiKey);
    expect([done.status, done.headers.get('idempotent-replay')]).toEqual([201, null]);
  });
});

describe('failed', () => {
  const us = { customer: { country: 'US', name: 'Ann', email: 'ann@example.com' }, currency: 'USD' };

  test.each([
    ['501', invoice({ ...us, payment_method: { type: 'card' } }), 501, 'provider_not_configured'],
    ['502', invoice({ amount: 10013 }), 502, 'provider_error'],
  ])(
    '%s is not stored, is retried each time, and keeps the key bound to its body',
    async (_, body, status, code) => {
      const tenant = await createPayTenant(sql);
      const key = crypto.randomUUID();
      const ids = new Set<string>();
      for (let i = 0; i < 3; i++) {
        const reply = await pay(tenant.apiKey, '/invoices', body, { key });
        expect([reply.status, reply.body.code, reply.headers.get('idempotent-replay')]).toEqual([
          status,
          code,
          null,
        ]);
        ids.add(reply.body.request_id);
      }
      expect(ids.size).toBe(3);
      const other = await pay(tenant.apiKey, '/invoices', invoice(), { key });
      expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
      const rows = await sql`select response_status from idempotency_keys where tenant_id = ${tenant.id}`;
      expect(rows).toEqual([{ response_status: null }]);
      const made = await sql`select status from invoices where tenant_id = ${tenant.id}`;
      expect(made.map((row) => row.status)).toEqual(status === 502 ? ['creating'] : []);
      expect(await ordersOf(sql, tenant)).toEqual([]);
    },
  );

  test('a timeout after accepting: 502, and the same key finds the order and completes it', async () => {
    const tenant = await createPayTenant(sql);
    const key = crypto.randomUUID();
    const body = invoice({ amount: 10019 });
    expect((await pay(tenant.apiKey, '/invoices', body, { key })).status).toBe(502);
    // A sweep must not run the invoice's own job before the retry: it would complete the invoice.
    await sql`update jobs set finished_at = now() where tenant_id = ${tenant.id} and name = 'recover-order'`;
    expect(await ordersOf(sql, tenant)).toHaveLength(1);
    expect((await pay(tenant.apiKey, '/invoices')).body.data).toEqual([]);
    const retry = await pay(tenant.apiKey, '/invoices', body, { key });
    expect([retry.status, retry.body.status, retry.headers.get('idempotent-replay')]).toEqual([
      201,
      'open',
      null,
    ]);
    expect(await ordersOf(sql, tenant)).toMatchObject([{ reference: retry.body.id, status: 'open' }]);
    expect(retry.body.our_number).toMatch(/-000001$/);
  });
});

test('expired keys are deleted, others stay', async () => {
  const tenant = await createTenant(sql);
  const insert = (key: string, hours: number) => sql`
    insert into idempotency_keys (tenant_id, key, fingerprint, claimed_by, locked_until, created_at)
    values (${tenant.id}, ${key}, '', gen_random_uuid(), now() - interval '1 hour', now() - make_interval(hours => ${hours}))`;
  await insert('old', 49);
  await insert('kept', 30);
  await sql`select app.drop_expired('idempotency_keys')`;
  const rows = await sql`select key from idempotency_keys where tenant_id = ${tenant.id}`;
  expect(rows.map(({ key }) => key)).toEqual(['kept']);
});
