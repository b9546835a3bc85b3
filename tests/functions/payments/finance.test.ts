// Questions of a finance team: why a payment failed, which amounts were paid and when, and the totals of the ledger.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  createPayTenant,
  get,
  paidInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';
import { anotherKey, notify } from '../../support/payments/sandbox.ts';

const sql = connectDatabase();
const method = (type: string, more: Record<string, unknown> = {}) => ({ payment_method: { type, ...more } });

describe('the failure reason', () => {
  test.each([pixPayout({ amount: 1017 }), transferPayout({ amount: 1017 })])(
    "of a payout is the provider's message, in its event too",
    async (body) => {
      const { id: tenantId, apiKey } = await createPayTenant(sql);
      const { id } = await createPayout(apiKey, body);
      const failed = await untilStatus(apiKey, `/payouts/${id}`, 'failed');
      expect(failed.failure_reason).toBe('Rejected by the sandbox.');
      const [event] = await sql`
        select data ->> 'failure_reason' as reason from events where tenant_id = ${tenantId} and type = 'payout.failed'`;
      expect(event?.reason).toBe('Rejected by the sandbox.');
    },
  );

  test('of a declined card, and of an invoice that was not paid in time', async () => {
    const { apiKey } = await createPayTenant(sql);
    const card = await createInvoice(apiKey, { ...method('card'), amount: 1017 });
    const late = await createInvoice(apiKey, method('pix', { expires_in_seconds: 1 }));
    expect((await untilStatus(apiKey, `/invoices/${card.id}`, 'failed')).failure_reason).toBe(
      'Rejected by the sandbox.',
    );
    expect((await untilStatus(apiKey, `/invoices/${late.id}`, 'failed')).failure_reason).toBe(
      'The invoice expired before it was paid.',
    );
  });

  test('is removed once the payment arrives after all; a silent provider is named', async () => {
    const { apiKey } = await createPayTenant(sql);
    const { id } = await createInvoice(apiKey);
    await notify({ resource: 'invoice', reference: id, status: 'failed', at: new Date(Date.now() + 1000) });
    expect((await get(apiKey, `/invoices/${id}`)).failure_reason).toBe('The provider gave no reason.');
    await notify({ resource: 'invoice', reference: id, status: 'paid', at: new Date(Date.now() + 2000) });
    expect(await get(apiKey, `/invoices/${id}`)).toMatchObject({ status: 'paid', failure_reason: null });
  });
});

test('a paid invoice shows when, the fee and the net, like the ledger', async () => {
  const { apiKey } = await createPayTenant(sql);
  const paid = await paidInvoice(apiKey, { amount: 12_345 });
  expect(paid).toMatchObject({ fee: 123, net: 12_222, customer: invoice().customer });
  expect(Date.parse(paid.paid_at)).toBeGreaterThanOrEqual(Date.parse(paid.created));
  const [entry] = (await get(apiKey, '/balance-transactions')).data;
  expect(entry).toMatchObject({ fee: paid.fee, net: paid.net, reason: null });

  const at = new Date(Date.now() + 5000);
  const { id } = await createInvoice(apiKey);
  await notify({ resource: 'invoice', reference: id, status: 'paid', at });
  expect(await get(apiKey, `/invoices/${id}`)).toMatchObject({
    fee: 100,
    net: 9_900,
    paid_at: at.toISOString(),
  });
});

test('a transfer that bounced: the reversing entry has the reason', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { id } = await createPayout(apiKey, transferPayout());
  await untilStatus(apiKey, `/payouts/${id}`, 'paid');
  await notify({ resource: 'payout', reference: id, status: 'failed', at: new Date(Date.now() + 5000) });
  const [entry] = (await get(apiKey, '/balance-transactions?type=adjustment')).data;
  expect(entry).toMatchObject({ reason: 'returned', source: { resource: 'payout', id } });
});

describe('the balance', () => {
  const entry = (tenantId: string, net: number, currency: string, day: string) => sql`
    insert into balance_transactions (tenant_id, type, amount, currency, net, available_on)
    select id, 'adjustment', ${net}, ${currency}, ${net}, (now() at time zone time_zone)::date + ${day}::integer
    from tenants where id = ${tenantId}`;

  test('of each currency adds up to the net of the ledger, from the day on which it is available', async () => {
    const { id, apiKey } = await createPayTenant(sql);
    expect(await get(apiKey, '/balance')).toEqual({ data: [] });
    for (const [net, currency, day] of [
      [500, 'BRL', '-1'],
      [70, 'BRL', '0'],
      [1000, 'BRL', '1'],
      [-30, 'BRL', '30'],
      [-9_999_999_999, 'USD', '0'],
      [5, 'EUR', '1'],
    ] as const)
      await entry(id, net, currency, day);
    await entry((await createPayTenant(sql)).id, 7, 'BRL', '0');
    expect(await get(apiKey, '/balance')).toEqual({
      data: [
        { currency: 'BRL', available: 570, pending: 970 },
        { currency: 'EUR', available: 0, pending: 5 },
        { currency: 'USD', available: -9_999_999_999, pending: 0 },
      ],
    });
    const sums =
      await sql`select currency, net::float8 from admin.balances where tenant_id = ${id} order by currency`;
    const { data } = await get(apiKey, '/balance');
    expect(
      data.map(({ currency, available, pending }: Record<string, number>) => ({
        currency,
        net: (available ?? 0) + (pending ?? 0),
      })),
    ).toEqual([...sums]);
  });

  test("a day begins in the tenant's time zone", async () => {
    const { id, apiKey } = await createPayTenant(sql);
    const insert = (zone: string) => sql`
      insert into balance_transactions (tenant_id, type, amount, currency, net, available_on)
      values (${id}, 'adjustment', 1, 'BRL', 1, (now() at time zone ${zone})::date)`;
    // The time zones are 26 hours apart, so they never have the same date.
    await insert('Pacific/Kiritimati');
    await sql`update tenants set time_zone = 'Etc/GMT+12' where id = ${id}`;
    expect((await get(apiKey, '/balance')).data).toEqual([{ currency: 'BRL', available: 0, pending: 1 }]);
    await sql`update tenants set time_zone = 'Pacific/Kiritimati' where id = ${id}`;
    expect((await get(apiKey, '/balance')).data).toEqual([{ currency: 'BRL', available: 1, pending: 0 }]);
  });

  test('needs payments:read', async () => {
    const tenant = await createPayTenant(sql);
    const { apiKey } = await anotherKey(sql, tenant, ['payments:write']);
    expect((await pay(apiKey, '/balance')).status).toBe(403);
  });
});

describe('502 provider_error tells whether to retry', () => {
  test.each([
    ['/invoices', invoice({ amount: 10013 })],
    ['/payouts', pixPayout({ amount: 10013 })],
  ])("a rejection of %s: no, with the provider's message", async (path, body) => {
    const { apiKey } = await createPayTenant(sql);
    const problem = bodyOf(await pay(apiKey, path, body), 502);
    expect(problem).toMatchObject({ code: 'provider_error', retryable: false });
    expect(problem.detail).toContain('The sandbox rejects amounts ending in 13.');
    expect(problem.detail).not.toMatch(/retry/i);
  });

  test.each([
    ['/invoices', invoice({ amount: 10019 })],
    ['/payouts', pixPayout({ amount: 10019 })],
  ])('no response about %s: yes, with the same key', async (path, body) => {
    const { apiKey } = await createPayTenant(sql);
    const problem = bodyOf(await pay(apiKey, path, body), 502);
    expect(problem).toMatchObject({ code: 'provider_error', retryable: true });
    expect(problem.detail).toContain('same Idempotency-Key');
  });
});

test('a body of 4 000 invalid metadata members: one error, and a small response that is stored', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const metadata = Object.fromEntries(Array.from({ length: 4000 }, (_, i) => [`m${i}`, 1]));
  const problem = bodyOf(await pay(apiKey, '/invoices', invoice({ metadata })), 422);
  expect(problem.errors).toEqual([{ field: 'metadata', message: 'must have at most 50 keys' }]);
  const [kept] = await sql`
    select octet_length(response_body::text) as bytes from idempotency_keys where tenant_id = ${id}`;
  expect(kept?.bytes).toBeLessThan(2000);
  const junk = Array.from({ length: 5000 }, () => 0);
  const tooMany = bodyOf(await pay(apiKey, '/invoices', invoice({ junk })), 400);
  expect(tooMany.detail).toContain('more than 5000 members');
});
