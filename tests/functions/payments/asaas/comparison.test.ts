// Comparing an account with Asaas: orders that exist only here, and more changes than one comparison processes.
import { expect, test } from 'vitest';
import { nextReconciliationAt } from '../../../../shared/payments/accounts/queries.ts';
import { connectDatabase } from '../../../support/database.ts';
import { type AsaasTenant, connectAsaasTenant } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, openDifferences, reconcile } from '../../../support/payments/connected-tenant.ts';
import { createInvoice, createPayout, untilStatus } from '../../../support/payments/payment-flows.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { startDenoDeliverer } from '../../../support/webhooks/webhooks.ts';

const sql = connectAdmin();
const silent = connectDatabase();

/** Orders that Asaas does not have, created this many minutes ago. */
async function orderedNowhere({ id, accountId }: AsaasTenant, minutesAgo: number): Promise<void> {
  const own = sql`${id}::uuid, now() - make_interval(mins => ${minutesAgo}), 100, 'BRL', 'br', 'asaas', ${accountId}`;
  const columns = sql`tenant_id, created, amount, currency, region, provider, provider_account_id`;
  for (const status of ['open', 'paid', 'failed'])
    await sql`
      insert into invoices (${columns}, id, provider_reference, status, customer, description, payment_method_type, payment_method)
      values (${own}, ${`${id}:${status}`}, ${`pay_${status}`}, ${status}, '{}', 'An order', 'pix', '{}')`;
  for (const status of ['processing', 'failed'])
    await sql`
      insert into payouts (${columns}, id, provider_reference, status, beneficiary, purpose)
      values (${own}, ${`${id}:payout-${status}`}, ${`tra_${status}`}, ${status}, '{}', 'prize')`;
}

test('orders that Asaas should have but does not list are differences until it lists them', async () => {
  const tenant = await connectAsaasTenant(sql);
  await createInvoice(tenant.apiKey);
  const payout = await createPayout(tenant.apiKey);
  await untilStatus(tenant.apiKey, `/payouts/${payout.id}`, 'paid');
  for (const table of ['invoices', 'payouts'])
    await sql`update ${sql(table)} set created = created - interval '11 minutes' where tenant_id = ${tenant.id}`;
  // Orders of the last minutes may not be in lists yet.
  await orderedNowhere(tenant, 8);
  const missing = async () => {
    await reconcile(sql, tenant);
    return [...(await openDifferences(sql, tenant))];
  };
  expect(await missing()).toEqual([]);
  for (const table of ['invoices', 'payouts'])
    await sql`update ${sql(table)} set created = created - interval '3 minutes' where tenant_id = ${tenant.id}`;
  const difference = (kind: string, name: string, status: string) => {
    const id = `${tenant.id}:${name}`;
    return { kind: 'missing_order', subject: id, ours: { kind, id, status }, theirs: null };
  };
  const all = [
    difference('charge', 'open', 'open'),
    difference('charge', 'paid', 'paid'),
    difference('payout', 'payout-processing', 'processing'),
  ];
  expect(await missing()).toEqual(all);
  expect(await missing()).toEqual(all);
  await sql`update invoices set status = 'canceled' where id = ${`${tenant.id}:open`}`;
  expect(await missing()).toEqual(all.slice(1));
});

test('if one comparison does not cover all changes, the next one follows immediately and keeps earlier differences', async () => {
  const tenant = await connectAsaasTenant(sql);
  const { accountId, id } = tenant;
  await sql`
    select app.enter_statement_lines(${accountId}, ${sql.json([
      {
        id: 'stranger',
        at: new Date(),
        currency: 'BRL',
        amountMinor: 500,
        description: 'line',
        order: { kind: 'charge', providerReference: 'pay_stranger' },
      },
    ])})`;
  await reconcile(sql, tenant);
  const differences = await openDifferences(sql, tenant);
  expect(differences).toMatchObject([{ kind: 'unknown_order', subject: 'pay_stranger:BRL' }]);
  await sql`
    insert into private.provider_orders_to_compare (account_id, kind, order_id)
    select ${accountId}, 'charge', ${`${id}:`} || n from generate_series(1, 50001) as n`;
  const uncompared = async () =>
    (
      await sql`
        select count(*)::integer as notes from private.provider_orders_to_compare
        where account_id = ${accountId} and compared_at is null`
    )[0]?.notes;
  const [before] =
    await sql`select attempts from jobs where name = 'reconcile-provider' and key = ${accountId}`;
  await reconcile(sql, tenant);
  expect([...(await openDifferences(sql, tenant))]).toEqual([...differences]);
  await waitFor(async () => (await uncompared()) === 0);
  const job = await waitFor(async () => {
    const [row] = await sql`
      select attempts, due_at > now() + interval '20 seconds' as rests from jobs
      where name = 'reconcile-provider' and key = ${accountId} and locked_until is null`;
    return row?.rests && row;
  });
  // Requesting it counts as one.
  expect(job.attempts).toBe(before?.attempts + 3);
  expect([...(await openDifferences(sql, tenant))]).toEqual([...differences]);
});

test('the next comparison runs at the configured time', async () => {
  const tenant = await connectAsaasTenant(sql);
  const worker = await startDenoDeliverer({ PROVIDER_RECONCILE_SECONDS: '4000' });
  const [job] = await silent.begin(async (tx) => {
    const [row] = await tx`select admin.reconcile_provider(${tenant.accountId}) as said`;
    expect(row?.said).toMatch(/^Comparing the account/);
    return await tx`
      update jobs set published_at = '2999-01-01' where name = 'reconcile-provider' and key = ${tenant.accountId} returning id`;
  });
  await worker.publish({ name: 'reconcile-provider', jobId: job?.id });
  const dueAt = await waitFor(async () => {
    const [row] = await sql`
      select due_at from jobs where id = ${job?.id} and locked_until is null and due_at > now()`;
    return row?.due_at;
  });
  expect(dueAt).toEqual(nextReconciliationAt(tenant.accountId, new Date(), 4000));
});
