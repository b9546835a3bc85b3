// An account whose provider does not respond to orders becomes failing at once, and works again with the first response.
import { expect, test } from 'vitest';
import { type AsaasTenant, connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin } from '../../../support/payments/connected-tenant.ts';
import { invoice, pay } from '../../../support/payments/payments.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();
const REASON = 'the provider could not be reached';

const order = ({ apiKey }: AsaasTenant, key = crypto.randomUUID()) =>
  pay(apiKey, '/invoices', invoice(), { key });

const accountOf = async ({ accountId }: AsaasTenant) => {
  const [row] = await sql`select status, reason from provider_accounts where id = ${accountId}`;
  return row;
};

const CHECK_FAULT = { kind: 'error_before', method: 'GET', path: '/finance/balance' } as const;

/** Three orders that the provider does not respond to, and a check without a response. */
async function fail(tenant: AsaasTenant): Promise<void> {
  await tenant.fault(CHECK_FAULT);
  await tenant.fault({ kind: 'error_before', method: 'POST', path: '/payments', times: 3 });
  for (let i = 0; i < 3; i++) expect((await order(tenant)).status).toBe(502);
  expect(await accountOf(tenant)).toEqual({ status: 'failing', reason: REASON });
}

test('three silent orders in a row make an account failing, refusals and responses do not count', async () => {
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
  await fault('error_before', 2);
  for (let i = 0; i < 2; i++) expect((await order(tenant)).status).toBe(502);
  expect(await accountOf(tenant)).toMatchObject({ status: 'active' });

  await fail(tenant);
  const refused = await order(tenant);
  expect([refused.status, refused.body.retryable, refused.response.headers.get('retry-after')]).toEqual([
    502,
    true,
    '60',
  ]);
  expect(refused.body.detail).toContain(REASON);
  // The order of before is sent again under its key.
  expect((await order(tenant, key)).status).toBe(201);
  expect(await accountOf(tenant)).toEqual({ status: 'active', reason: null });
});

test('a check without a response leaves an unreachable account failing, a good one ends it', async () => {
  const tenant = await connectAsaasTenant(sql);
  await fail(tenant);
  const checkedAt = async () =>
    (
      await sql`select checked_at from provider_accounts where id = ${tenant.accountId}`
    )[0]?.checked_at.getTime();
  const check = async () => {
    const before = await checkedAt();
    await sql`select private.check_provider_soon(a) from provider_accounts a where a.id = ${tenant.accountId}`;
    await waitFor(async () => (await checkedAt()) !== before);
  };
  await tenant.fault(CHECK_FAULT);
  await check();
  expect(await accountOf(tenant)).toEqual({ status: 'failing', reason: REASON });
  await check();
  expect(await accountOf(tenant)).toEqual({ status: 'active', reason: null });
});
