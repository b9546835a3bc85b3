// The same for what follows on a resource: paying and canceling that were cut off at the provider.
import { expect, inject, test } from 'vitest';
import { connectDatabase, type Tenant } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { createInvoice, createPayTenant, get } from '../support/payment-flows.ts';
import { pay, transferPayout } from '../support/payments.ts';
import { eventsOf, ledgerOf, ordersOf } from '../support/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/**
 * Cuts the database off at the moment when the provider has done what was asked and nothing of it is written here, then
 * sends the same key again.
 */
async function cutOffAndRetry(
  tenant: Tenant,
  makePath: (baseUrl: string) => Promise<string>,
  atProvider: string,
) {
  const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
  const { baseUrl, edge } = await startOwnFunction('payments', {
    SANDBOX_SETTLE_SECONDS: '60',
    SUPABASE_DB_URL: url,
    DATABASE_POOL_SIZE: '1',
  });
  const key = crypto.randomUUID();
  expect((await pay(tenant.apiKey, '/invoices', undefined, { baseUrl })).status).toBe(200);
  const path = await makePath(baseUrl);
  proxy.delayMs = 150;
  const cutOff = pay(tenant.apiKey, path, {}, { key, baseUrl }).catch(() => undefined);
  await waitFor(async () => (await ordersOf(sql, tenant))[0]?.status === atProvider);
  edge.crash();
  expect(await cutOff).toBeUndefined();
  await sql`update idempotency_keys set locked_until = now() where tenant_id = ${tenant.id} and key = ${key}`;
  const retry = await pay(tenant.apiKey, path, {}, { key });
  const replay = await pay(tenant.apiKey, path, {}, { key });
  expect([replay.status, replay.body]).toEqual([retry.status, retry.body]);
  return retry;
}

test('a payer’s payment: paid once, with its ledger entry', async () => {
  const tenant = await createPayTenant(sql);
  const path = async () => `/sandbox/invoices/${(await createInvoice(tenant.apiKey)).id}/pay`;
  const { status, body } = await cutOffAndRetry(tenant, path, 'paid');
  expect([status, body.status]).toEqual([200, 'paid']);
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${body.id}`]);
});

test('an invoice’s cancellation', async () => {
  const tenant = await createPayTenant(sql);
  const path = async () => `/invoices/${(await createInvoice(tenant.apiKey)).id}/cancel`;
  const { status, body } = await cutOffAndRetry(tenant, path, 'canceled');
  expect([status, body.status]).toEqual([200, 'canceled']);
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.canceled ${body.id}`]);
});

test('a payout’s cancellation', async () => {
  const tenant = await createPayTenant(sql);
  const path = async (baseUrl: string) => {
    const { body } = await pay(tenant.apiKey, '/payouts', transferPayout(), { baseUrl });
    return `/payouts/${body.id}/cancel`;
  };
  const { status, body } = await cutOffAndRetry(tenant, path, 'canceled');
  expect([status, body.status]).toEqual([200, 'canceled']);
  expect(await eventsOf(sql, tenant)).toEqual([`payout.canceled ${body.id}`]);
  expect((await get(tenant.apiKey, `/payouts/${body.id}`)).status).toBe('canceled');
});
