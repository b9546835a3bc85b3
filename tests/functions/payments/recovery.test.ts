// What the sweep does for orders whose outcome is unknown: each attempt is looked up, however many others wait.
import { describe, expect, test } from 'vitest';
import { connectDatabase, noteUse } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { wireToDatabase } from '../../support/network-waits.ts';
import { bodyOf, createInvoice, createPayTenant, NFSE, untilStatus } from '../../support/payment-flows.ts';
import { invoice, pay, pixPayout } from '../../support/payments.ts';
import { eventsOf, ledgerOf, ordersOf, sweepNow } from '../../support/sandbox.ts';
import { OUTCOME, orderBody } from '../../support/stopped-order.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

test('a later attempt is looked up too, when an earlier one never reached the provider', async () => {
  const tenant = await createPayTenant(sql);
  const options = { key: crypto.randomUUID() };
  const send = () => pay(tenant.apiKey, '/invoices', invoice({ amount: 10013 }), options);
  expect((await send()).status).toBe(502);
  const [row] = await sql`
    update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id} returning id`;
  const lookUps = () => sql`
    select key from jobs where name = 'recover-order' and tenant_id = ${tenant.id} and finished_at is not null`;
  await sweepNow();
  await waitFor(async () => (await lookUps()).length === 1);
  await sweepNow();
  expect(await lookUps()).toHaveLength(1);

  await sql`update idempotency_keys set claimed_by = gen_random_uuid() where tenant_id = ${tenant.id}`;
  await sql`select app.sandbox_accept('charge', ${row?.id}, 10013, 'pix', 'open', 100)`;
  await sweepNow();
  await waitFor(async () => (await lookUps()).length === 2);
  const replay = await send();
  expect([replay.status, replay.body.id, replay.headers.get('idempotent-replay')]).toEqual([
    201,
    row?.id,
    'true',
  ]);
});

test('many that stay unfinished hold up nobody', async () => {
  const tenant = await createPayTenant(sql);
  const { length } = await sql`
    insert into invoices (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method, provider, expires_at, created)
    select ${tenant.id}, '{"name": "Maria"}', 10000, 'BRL', 'br', '', 'pix', '{}', 'sandbox', now(), now() - interval '1 day'
    from generate_series(1, 130)
    returning id`;
  const ordered = () => sql`select from jobs where name = 'recover-order' and tenant_id = ${tenant.id}`;
  await sweepNow();
  await waitFor(async () => (await ordered()).length >= 100);
  await sweepNow();
  await waitFor(async () => (await ordered()).length === length);
});

/** As if the time of this job had come. */
async function due(name: string, key: string) {
  const rows = await sql`update jobs set due_at = now() where name = ${name} and key = ${key} returning id`;
  expect(rows).toHaveLength(1);
  await sweepNow();
}

test('a payment whose request died after the provider took it is told by the provider', async () => {
  const { wire, env } = await wireToDatabase();
  const { baseUrl, edge } = await startOwnFunction('payments', env);
  const first = await createPayTenant(sql);
  const warm = await createInvoice(first.apiKey);
  const paying = (apiKey: string, id: string) =>
    pay(apiKey, `/sandbox/invoices/${id}/pay`, {}, { baseUrl }).catch(() => undefined);
  expect((await paying(first.apiKey, warm.id))?.status).toBe(200);

  const tenant = await createPayTenant(sql);
  const { id } = await createInvoice(tenant.apiKey);
  await noteUse(sql, tenant);
  wire.watch({ ask: (nth) => nth < OUTCOME });
  const abandoned = paying(tenant.apiKey, id);
  await waitFor(() => wire.asked() >= OUTCOME);
  edge.crash();
  expect(await abandoned).toBeUndefined();
  expect(await ordersOf(sql, tenant)).toMatchObject([{ reference: id, status: 'paid' }]);
  expect(await sql`select status from invoices where id = ${id}`).toEqual([{ status: 'open' }]);

  await due('settle-in-sandbox', `${id}:paid`);
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
});

describe('what the provider knows and never told is found by a look-up', () => {
  const atTheProvider = (id: string, status: string) => sql`
    update private.sandbox_orders set status = ${status}, changed_at = clock_timestamp() where reference = ${id}`;

  test.each(['paid', 'canceled', 'failed'])('an open invoice that is %s there', async (status) => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
    await atTheProvider(id, status);
    await due('expire-invoice', id);
    await untilStatus(tenant.apiKey, `/invoices/${id}`, status);
    expect(await eventsOf(sql, tenant)).toEqual([`invoice.${status} ${id}`]);
  });

  test('a payout that is paid there', async () => {
    const tenant = await createPayTenant(sql);
    // It would settle by itself, but not within this test.
    const { baseUrl } = await startOwnFunction('payments', { SANDBOX_SETTLE_SECONDS: '3600' });
    const { id } = bodyOf(await pay(tenant.apiKey, '/payouts', pixPayout(), { baseUrl }), 201);
    await atTheProvider(id, 'paid');
    await due('follow-payout', id);
    await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
    expect(await ledgerOf(sql, tenant)).toHaveLength(1);
    await due('follow-payout', id);
    await waitFor(
      async () =>
        (await sql`select from jobs where key = ${id} and name = 'follow-payout' and finished_at is not null`)
          .length === 1,
    );
  });

  test.each(['invoices', 'payouts'] as const)(
    '%s that nobody answered for, and that were paid meanwhile',
    async (kind) => {
      const tenant = await createPayTenant(sql);
      // A payout would settle by itself, but not within this test.
      const { baseUrl } = await startOwnFunction('payments', { SANDBOX_SETTLE_SECONDS: '3600' });
      const silent = await pay(tenant.apiKey, `/${kind}`, orderBody(kind, 10019), { baseUrl });
      expect(silent.status).toBe(502);
      const [order] = await ordersOf(sql, tenant);
      await atTheProvider(order?.reference, 'paid');
      await sql`update ${sql(kind)} set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
      await sweepNow();
      await untilStatus(tenant.apiKey, `/${kind}/${order?.reference}`, 'paid');
      await waitFor(async () => (await ledgerOf(sql, tenant)).length === 1);
      const type = kind === 'invoices' ? 'invoice.paid' : 'payout.paid';
      expect(await eventsOf(sql, tenant)).toEqual([`${type} ${order?.reference}`]);
    },
  );

  test('an invoice that nobody answered for, with the tax document that was asked for with it', async () => {
    const tenant = await createPayTenant(sql);
    const asked = { tax_document: { ...NFSE, auto_issue: true } };
    expect((await pay(tenant.apiKey, '/invoices', invoice({ amount: 10019, ...asked }))).status).toBe(502);
    const [row] = await sql`
      update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id} returning id`;
    await sweepNow();
    const { tax_document: document } = await untilStatus(tenant.apiKey, `/invoices/${row?.id}`, 'open');
    expect(document).toMatchObject({ type: 'nfse', auto_issue: true });
  });

  test('looks are ten minutes after it opened, then at four times its age, and at its end', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey, {
      payment_method: { type: 'pix', expires_in_seconds: 9000 },
    });
    const minutes = async () => {
      const [job] = await sql`
        select round(extract(epoch from j.due_at - i.created) / 60)::integer as minutes, j.attempts
        from jobs j join invoices i on i.id = j.key where j.key = ${id} and j.name = 'expire-invoice'`;
      return [job?.attempts, job?.minutes];
    };
    expect(await minutes()).toEqual([0, 10]);
    for (const [age, attempts, next] of [
      [10, 1, 40],
      [40, 2, 150],
    ] as const) {
      await sql`
        update invoices set created = now() - make_interval(mins => ${age}),
                            expires_at = now() + make_interval(mins => 150 - ${age}) where id = ${id}`;
      await due('expire-invoice', id);
      await waitFor(async () => (await minutes())[1] === next);
      expect(await minutes()).toEqual([attempts, next]);
    }
  });
});
