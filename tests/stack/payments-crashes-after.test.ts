// The same for requests about an existing resource: paying and canceling with a connection that is lost at the provider.
import { expect, test } from 'vitest';
import { connectDatabase, noteUse, type Tenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { createInvoice, createPayTenant, get, issued } from '../support/payments/payment-flows.ts';
import { pay, transferPayout } from '../support/payments/payments.ts';
import { eventsOf, ledgerOf, ordersOf } from '../support/payments/sandbox.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';
import { wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

/** The exchange with the database that follows those of the key, the claim and the provider. */
const AFTER_PROVIDER = 4;

type MakePath = (apiKey: string, baseUrl: string) => Promise<string>;

/**
 * Kills the function when the provider has executed the request and nothing is stored yet: before this exchange with the database.
 * Returns path and key of the request.
 */
async function cutOff(tenant: Tenant, makePath: MakePath, before = AFTER_PROVIDER) {
  const { wire, env } = await wireToDatabase();
  const { baseUrl, edge } = await startOwnFunction('payments', { ...env, SANDBOX_SETTLE_SECONDS: '60' });
  const key = crypto.randomUUID();
  // The request of another tenant succeeds first, so that the connection exists and the statements are prepared.
  const { apiKey } = await createPayTenant(sql);
  expect((await pay(apiKey, await makePath(apiKey, baseUrl), {}, { baseUrl })).status).toBe(200);
  const path = await makePath(tenant.apiKey, baseUrl);
  await noteUse(sql, tenant);
  wire.watch({ ask: (nth) => nth < before });
  const sending = pay(tenant.apiKey, path, {}, { key, baseUrl }).catch(() => undefined);
  await waitFor(() => wire.asked() === before);
  edge.crash();
  expect(await sending).toBeUndefined();
  return { path, key };
}

/** The same, then sends the key again. */
async function cutOffAndRetry(tenant: Tenant, makePath: MakePath, atProvider: string) {
  const { path, key } = await cutOff(tenant, makePath);
  expect(await ordersOf(sql, tenant)).toMatchObject([{ status: atProvider }]);
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

/** An issued tax document of an open invoice. */
async function issuedOf(apiKey: string): Promise<{ invoiceId: string; id: string }> {
  const { id: invoiceId } = await createInvoice(apiKey);
  return { invoiceId, id: (await issued(apiKey, invoiceId)).id };
}

test.each<[string, number, (ids: { invoiceId: string; id: string }) => string]>([
  [
    'a tax document',
    AFTER_PROVIDER,
    ({ invoiceId, id }) => `/invoices/${invoiceId}/tax-documents/${id}/cancel`,
  ],
  [
    'an invoice with its tax document',
    AFTER_PROVIDER + 1,
    ({ invoiceId }) => `/invoices/${invoiceId}/cancel`,
  ],
])(
  'a cancellation of %s that is never retried: a job marks the document as canceled',
  async (_, before, pathOf) => {
    const tenant = await createPayTenant(sql);
    await cutOff(tenant, async (apiKey) => pathOf(await issuedOf(apiKey)), before);
    const document = () => sql`select status from tax_documents where tenant_id = ${tenant.id}`;
    const there = () =>
      sql`select o.status from private.sandbox_orders o join tax_documents d on d.id = o.reference where d.tenant_id = ${tenant.id}`;
    expect([await document(), await there()]).toEqual([[{ status: 'issued' }], [{ status: 'canceled' }]]);
    await sql`update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and key like '%:cancellation'`;
    await sweepNow();
    await waitFor(async () => (await document())[0]?.status === 'canceled');
  },
);
