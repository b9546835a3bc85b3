// An account whose provider does not respond to orders is marked as failing immediately, and as active after the first response.
import { expect, test } from 'vitest';
import { type AsaasTenant, connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { createInvoice, untilStatus } from '../../../support/payments/payment-flows.ts';
import { invoice, pay } from '../../../support/payments/payments.ts';
import { refund } from '../../../support/payments/refunds.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();
const REASON = 'the provider could not be reached';

const order = ({ apiKey }: AsaasTenant, key = crypto.randomUUID()) =>
  pay(apiKey, '/invoices', invoice(), { key });

const accountOf = async ({ accountId }: AsaasTenant) => {
  const [row] = await sql`select status, reason from provider_accounts where id = ${accountId}`;
  return row;
};

/** Three orders to which the provider does not respond. It does not respond to the next checks either. */
async function fail(tenant: AsaasTenant, checks: number): Promise<void> {
  await tenant.fault({ kind: 'error_before', method: 'GET', path: '/finance/balance', times: checks });
  await tenant.fault({ kind: 'error_before', method: 'POST', path: '/payments', times: 3 });
  for (let i = 0; i < 3; i++) expect((await order(tenant)).status).toBe(502);
  expect(await accountOf(tenant)).toEqual({ status: 'failing', reason: REASON });
}

/** Waits for a check that an admin requests. */
async function check({ accountId }: AsaasTenant): Promise<void> {
  const checkedAt = async () =>
    (await sql`select checked_at from provider_accounts where id = ${accountId}`)[0]?.checked_at.getTime();
  const before = await checkedAt();
  await sql`select private.check_provider_soon(a) from provider_accounts a where a.id = ${accountId}`;
  await waitFor(async () => (await checkedAt()) !== before);
}

test('three unanswered orders in a row make an account failing; rejections and responses do not count', async () => {
  const tenant = await connectAsaasTenant(sql);
  const fault = (kind: 'error_before' | 'cut_before', times: number, status = 500) =>
    tenant.fault({ kind, method: 'POST', path: '/payments', times, status });
  const key = crypto.randomUUID();
  // Retries of one order count once.
  await fault('error_before', 3);
  for (let i = 0; i < 3; i++) expect((await order(tenant, key)).status).toBe(502);
  await fault('error_before', 1, 400);
  expect((await order(tenant)).body).toMatchObject({ code: 'provider_error', retryable: false });
  await fault('cut_before', 2);
  for (let i = 0; i < 2; i++) expect((await order(tenant)).status).toBe(502);
  expect((await order(tenant)).status).toBe(201);
  expect(await accountOf(tenant)).toMatchObject({ status: 'active' });

  await fail(tenant, 1);
  const refused = await order(tenant);
  expect([refused.status, refused.body.retryable, refused.headers.get('retry-after')]).toEqual([
    502,
    true,
    '60',
  ]);
  expect(refused.body.detail).toContain(REASON);
  // The previous order is sent again with its key.
  expect((await order(tenant, key)).body).toMatchObject({ status: 'open' });
  expect(await accountOf(tenant)).toMatchObject({ status: 'active' });
});

test('refunds count like orders, both unanswered ones and responses', async () => {
  const tenant = await connectAsaasTenant(sql);
  const { id } = await createInvoice(tenant.apiKey);
  await tenant.payment(id, 'pay');
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  const silent = async () => {
    const [row] = await sql`select silent_orders from provider_accounts where id = ${tenant.accountId}`;
    return Object.keys(row?.silent_orders).length;
  };
  // A check with a response would reset them.
  await tenant.fault({ kind: 'error_before', method: 'GET', path: '/finance/balance', times: 1000 });
  await tenant.fault({ kind: 'error_before', method: 'POST', path: '/payments/*/refund', times: 2 });
  for (const count of [1, 2]) {
    expect((await refund(tenant, id, { amount: 1000 })).status).toBe(502);
    expect(await silent()).toBe(count);
  }
  expect((await refund(tenant, id, { amount: 1000 })).status).toBe(201);
  expect(await silent()).toBe(0);
});

test('a check without a response keeps an unreachable account failing, a successful one ends it', async () => {
  const tenant = await connectAsaasTenant(sql);
  // One for this check, and one for a check by the sweep.
  await fail(tenant, 2);
  await check(tenant);
  expect(await accountOf(tenant)).toEqual({ status: 'failing', reason: REASON });
  while ((await accountOf(tenant))?.status === 'failing') await check(tenant);
  expect(await accountOf(tenant)).toEqual({ status: 'active', reason: null });
});

test('a working account is checked every five minutes, with jitter', async () => {
  const { accountId } = await connectAsaasTenant(sql);
  const seconds = await waitFor(async () => {
    const [job] = await sql`
      select extract(epoch from due_at - now())::integer as seconds from jobs
      where name = 'check-provider' and key = ${accountId} and locked_until is null and due_at > now()`;
    return job?.seconds;
  });
  expect(seconds).toBeGreaterThan(200);
  expect(seconds).toBeLessThanOrEqual(360);
});
