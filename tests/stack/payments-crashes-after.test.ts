// The same for requests about an existing resource: paying and canceling with a connection that is lost at the provider.
import { expect, test } from 'vitest';
import { connectDatabase, noteUse, type Tenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { createInvoice, createPayTenant, get } from '../support/payments/payment-flows.ts';
import { pay, transferPayout } from '../support/payments/payments.ts';
import { eventsOf, ledgerOf, ordersOf } from '../support/payments/sandbox.ts';
import { waitFor } from '../support/wait-for.ts';
import { wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

/** The exchange with the database that follows those of the key, the claim and the provider. */
const AFTER_PROVIDER = 4;

/**
 * Closes the database connection when the provider has executed the request and nothing is stored yet, then
 * sends the same key again.
 */
async function cutOffAndRetry(
  tenant: Tenant,
  makePath: (apiKey: string, baseUrl: string) => Promise<string>,
  atProvider: string,
) {
  const { wire, env } = await wireToDatabase();
  const { baseUrl, edge } = await startOwnFunction('payments', { ...env, SANDBOX_SETTLE_SECONDS: '60' });
  const key = crypto.randomUUID();
  // The request of another tenant succeeds first, so that the connection exists and the statements are prepared.
  const { apiKey } = await createPayTenant(sql);
  expect((await pay(apiKey, await makePath(apiKey, baseUrl), {}, { baseUrl })).status).toBe(200);
  const path = await makePath(tenant.apiKey, baseUrl);
  await noteUse(sql, tenant);
  wire.watch({ ask: (nth) => nth < AFTER_PROVIDER });
  const cutOff = pay(tenant.apiKey, path, {}, { key, baseUrl }).catch(() => undefined);
  await waitFor(() => wire.asked() === AFTER_PROVIDER);
  expect(await ordersOf(sql, tenant)).toMatchObject([{ status: atProvider }]);
  edge.crash();
  expect(await cutOff).toBeUndefined();
  await sql`update idempotency_keys set locked_until = now() where tenant_id = ${tenant.id} and key = ${key}`;
  const retry = await pay(tenant.apiKey, path, {}, { key });
  const replay = await pay(tenant.apiKey, path, {}, { key });
  expect([replay.status, replay.body]).toEqual([retry.status, retry.body]);
  return retry;
}

test('a payment by the payer: paid once, with its ledger entry', async () => {
  const tenant = await createPayTenant(sql);
  const path = async (apiKey: string) => `/sandbox/invoices/${(await createInvoice(apiKey)).id}/pay`;
  const { status, body } = await cutOffAndRetry(tenant, path, 'paid');
  expect([status, body.status]).toEqual([200, 'paid']);
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${body.id}`]);
});

test('the cancellation of an invoice', async () => {
  const tenant = await createPayTenant(sql);
  const path = async (apiKey: string) => `/invoices/${(await createInvoice(apiKey)).id}/cancel`;
  const { status, body } = await cutOffAndRetry(tenant, path, 'canceled');
  expect([status, body.status]).toEqual([200, 'canceled']);
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.canceled ${body.id}`]);
});

test('the cancellation of a payout', async () => {
  const tenant = await createPayTenant(sql);
  const path = async (apiKey: string, baseUrl: string) => {
    const { body } = await pay(apiKey, '/payouts', transferPayout(), { baseUrl });
    return `/payouts/${body.id}/cancel`;
  };
  const { status, body } = await cutOffAndRetry(tenant, path, 'canceled');
  expect([status, body.status]).toEqual([200, 'canceled']);
  expect(await eventsOf(sql, tenant)).toEqual([`payout.canceled ${body.id}`]);
  expect((await get(tenant.apiKey, `/payouts/${body.id}`)).status).toBe('canceled');
});
