// The sweep and orders with an unknown outcome: it looks up each attempt, regardless of the number of pending orders.
import { describe, expect, test } from 'vitest';
import { scheduleRecoveries } from '../../../shared/payments/orders/queries.ts';
import { connectDatabase, noteUse, type Tenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import {
  bodyOf,
  createInvoice,
  createPayTenant,
  NFSE,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout } from '../../support/payments/payments.ts';
import { eventsOf, ledgerOf, ordersOf } from '../../support/payments/sandbox.ts';
import { OUTCOME, orderBody } from '../../support/payments/stopped-order.ts';
import { sweepHere, sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wireToDatabase } from '../../support/wire/network-waits.ts';

const sql = connectDatabase();

test('a later attempt is looked up too, if an earlier one never reached the provider', async () => {
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
  await sql`select app.sandbox_accept('charge', ${row?.id}, 10013, 'pix', 'open', 100, null)`;
  await sweepNow();
  await waitFor(async () => (await lookUps()).length === 2);
  const replay = await send();
  expect([replay.status, replay.body.id, replay.headers.get('idempotent-replay')]).toEqual([
    201,
    row?.id,
    'true',
  ]);
});

/** An order that a request began this long ago, and whose key is locked for this long. */
async function begun({ id: tenantId }: Tenant, { secondsAgo = 0, heldSeconds = 0 } = {}) {
  const [order] = await sql`
    with row as (
      insert into invoices (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method, provider, expires_at, created)
      values (${tenantId}, '{"name": "Maria"}', 10000, 'BRL', 'br', '', 'pix', '{}', 'sandbox', now() + interval '1 hour',
              now() - make_interval(secs => ${secondsAgo}))
      returning id, created
    )
    insert into idempotency_keys (tenant_id, key, fingerprint, claimed_by, locked_until, resource_id)
    select ${tenantId}, id, 'f', gen_random_uuid(), now() + make_interval(secs => ${heldSeconds}), id from row
    returning resource_id as id, concat_ws(':', resource_id, claimed_by) as key, locked_until as held,
              (select created + interval '30 seconds' from row) as "dueAt"`;
  return order as { id: string; key: string; held: Date; dueAt: Date };
}

const sweepOrders = () => sweepHere({ schedule: scheduleRecoveries });

const lookUpOf = async ({ key }: { key: string }) =>
  (
    await sql`select id, due_at, attempts, finished_at from jobs where name = 'recover-order' and key = ${key}`
  )[0];

describe('a lookup is scheduled in advance', () => {
  test('and published for its time, when the order is thirty seconds old', async () => {
    const tenant = await createPayTenant(sql);
    const { order, message } = await waitFor(async () => {
      const order = await begun(tenant, { heldSeconds: 25 });
      const published = await sweepOrders();
      const job = await lookUpOf(order);
      const message = published.find(({ id }) => id === job?.id);
      // The sweep of the stack, which runs every minute, may have run in between.
      return message && { order, message };
    });
    expect(await lookUpOf(order)).toMatchObject({ due_at: order.dueAt, attempts: 0 });
    expect(message.waitSeconds).toBeGreaterThan(20);
    expect(message.waitSeconds).toBeLessThanOrEqual(30);
  });

  test('when its request gives up, if that is later; and sooner if it gave up before', async () => {
    const tenant = await createPayTenant(sql);
    const order = await begun(tenant, { heldSeconds: 45 });
    await sweepOrders();
    const before = await lookUpOf(order);
    expect(before?.due_at).toEqual(order.held);
    await sql`update idempotency_keys set locked_until = now() where tenant_id = ${tenant.id}`;
    await sweepOrders();
    expect(await lookUpOf(order)).toMatchObject({ id: before?.id, due_at: order.dueAt });
  });

  test('and immediately for an older one', async () => {
    const tenant = await createPayTenant(sql);
    const order = await begun(tenant, { secondsAgo: 31 });
    await sweepOrders();
    await waitFor(async () => (await lookUpOf(order))?.finished_at);
  });

  test('but one that ran, and is due again, keeps its time', async () => {
    const tenant = await createPayTenant(sql);
    const order = await begun(tenant, { heldSeconds: 25 });
    await sweepOrders();
    const [ran] = await sql`
      update jobs set attempts = 1, due_at = now() + interval '1 hour' where name = 'recover-order' and key = ${order.key}
      returning due_at`;
    await sweepOrders();
    expect(await lookUpOf(order)).toMatchObject({ due_at: ran?.due_at });
    await recoverSoon(tenant, order.id);
    expect(await lookUpOf(order)).toMatchObject({ due_at: ran?.due_at });
  });
});

test('retries while the provider is unreachable wait for the lookup that is scheduled already', async () => {
  const tenant = await createPayTenant(sql);
  const order = await begun(tenant);
  const retry = async () => {
    await sql`update idempotency_keys set claimed_by = gen_random_uuid() where tenant_id = ${tenant.id}`;
    await recoverSoon(tenant, order.id);
    await sweepOrders();
    return await sql`select id from jobs where name = 'recover-order' and tenant_id = ${tenant.id}`;
  };
  await recoverSoon(tenant, order.id);
  // As after a first lookup without a response.
  const wait = () => sql`
    update jobs set attempts = 1, locked_until = null, finished_at = null, due_at = now() + interval '1 hour'
    where name = 'recover-order' and tenant_id = ${tenant.id}`;
  await wait();
  expect(await retry()).toHaveLength(1);
  expect(await retry()).toHaveLength(1);
  // A lookup in progress may have read the order before this attempt.
  await sql`update jobs set locked_until = now() + interval '1 minute' where name = 'recover-order' and tenant_id = ${tenant.id}`;
  expect(await retry()).toHaveLength(2);
});

/** Simulates a request whose provider did not respond. Returns the jobs that the request publishes. */
const recoverSoon = ({ id: tenantId }: Tenant, id: string) =>
  sql.begin(async (tx) => {
    await tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('role', 'api', true)`;
    await tx`select app.recover_order_soon('invoices', ${id})`;
    return await tx`select id, due_at <= now() as due from app.new_jobs()`;
  });

test('a scheduled lookup runs immediately when its request knows that there is no response', async () => {
  const tenant = await createPayTenant(sql);
  const order = await begun(tenant, { heldSeconds: 25 });
  await sweepOrders();
  const job = await lookUpOf(order);
  expect(await recoverSoon(tenant, order.id)).toEqual([{ id: job?.id, due: true }]);
});

test('a lookup waits once for a request that holds the order', async () => {
  const tenant = await createPayTenant(sql);
  const order = await begun(tenant, { secondsAgo: 31, heldSeconds: 3600 });
  const statusOf = async () => (await sql`select status from invoices where id = ${order.id}`)[0]?.status;
  await sql`select app.sandbox_accept('charge', ${order.id}, 10000, 'pix', 'open', 100, null)`;
  await recoverSoon(tenant, order.id);
  await sweepNow();
  await waitFor(async () => {
    const job = await lookUpOf(order);
    return job?.attempts === 1 && job.due_at.getTime() === order.held.getTime();
  });
  expect(await statusOf()).toBe('creating');
  await due('recover-order', order.key);
  await waitFor(async () => (await statusOf()) === 'open');
});

test.each([
  ['were looked for', '1 day'],
  ['will be', '0 seconds'],
])('many unfinished orders that %s delay no others', async (_, ago) => {
  const tenant = await createPayTenant(sql);
  const { length } = await sql`
    insert into invoices (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method, provider, expires_at, created)
    select ${tenant.id}, '{"name": "Maria"}', 10000, 'BRL', 'br', '', 'pix', '{}', 'sandbox', now(), now() - ${ago}::interval
    from generate_series(1, 130)
    returning id`;
  const ordered = () => sql`select from jobs where name = 'recover-order' and tenant_id = ${tenant.id}`;
  await sweepNow();
  await waitFor(async () => (await ordered()).length >= 100);
  await sweepNow();
  await waitFor(async () => (await ordered()).length === length);
});

/** Makes this job due. */
async function due(name: string, key: string) {
  // A running attempt would set another due time.
  await waitFor(async () => {
    const rows = await sql`
      update jobs set due_at = now() where name = ${name} and key = ${key} and locked_until is null returning id`;
    return rows.length === 1;
  });
  await sweepNow();
}

test('a job finds a payment whose request died after the provider accepted it', async () => {
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

  await due('settle-in-sandbox', `${id}:paid:look`);
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  expect(await ledgerOf(sql, tenant)).toHaveLength(1);
});

describe('a lookup finds changes that the provider never reported', () => {
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
    // It would settle by itself, but not during this test.
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
    '%s without a response that were paid in the meantime',
    async (kind) => {
      // A payout would settle by itself, but not during this test.
      const { baseUrl } = await startOwnFunction('payments', { SANDBOX_SETTLE_SECONDS: '3600' });
      const { tenant, order } = await waitFor(async () => {
        const tenant = await createPayTenant(sql);
        const silent = await pay(tenant.apiKey, `/${kind}`, orderBody(kind, 10019), { baseUrl });
        expect(silent.status).toBe(502);
        const [order] = await ordersOf(sql, tenant);
        await atTheProvider(order?.reference, 'paid');
        const lookUps = await sql`
          select from jobs where tenant_id = ${tenant.id} and name = 'recover-order' and attempts > 0`;
        // A sweep of another test may have looked it up before it was paid.
        return lookUps.length === 0 && { tenant, order };
      });
      await sql`update ${sql(kind)} set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
      await sweepNow();
      await untilStatus(tenant.apiKey, `/${kind}/${order?.reference}`, 'paid');
      await waitFor(async () => (await ledgerOf(sql, tenant)).length === 1);
      const type = kind === 'invoices' ? 'invoice.paid' : 'payout.paid';
      expect(await eventsOf(sql, tenant)).toEqual([`${type} ${order?.reference}`]);
    },
  );

  test('an invoice without a response, with the tax document that was requested with it', async () => {
    const tenant = await createPayTenant(sql);
    const asked = { tax_document: { ...NFSE, auto_issue: true } };
    expect((await pay(tenant.apiKey, '/invoices', invoice({ amount: 10019, ...asked }))).status).toBe(502);
    const [row] = await sql`
      update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id} returning id`;
    await sweepNow();
    const { tax_document: document } = await untilStatus(tenant.apiKey, `/invoices/${row?.id}`, 'open');
    expect(document).toMatchObject({ type: 'nfse', auto_issue: true });
  });

  test('lookups are ten minutes after it opened, then at four times its age, and at its end', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey, {
      payment_method: { type: 'pix', expires_in_seconds: 9000 },
    });
    const look = async () => {
      const [job] = await sql`
        select extract(epoch from j.due_at - i.created) / 60 as minutes, j.attempts, i.id
        from jobs j join invoices i on i.id = j.key where j.key = ${id} and j.name = 'expire-invoice'`;
      return { attempts: job?.attempts, minutes: Number(job?.minutes) };
    };
    // With jitter: each delay is multiplied by 0.8 to 1.2.
    const expectLook = async (attempts: number, least: number, most: number) => {
      const found = await waitFor(async () => {
        const now = await look();
        return now.attempts === attempts && now.minutes >= least && now;
      });
      expect(found.minutes).toBeLessThanOrEqual(most);
    };
    await expectLook(0, 8, 12.1);
    for (const [age, attempts, least, most] of [
      [10, 1, 10 + 24, 10 + 36.1],
      [40, 2, 40 + 96, 150],
    ] as const) {
      await sql`
        update invoices set created = now() - make_interval(mins => ${age}),
                            expires_at = now() + make_interval(mins => 150 - ${age}) where id = ${id}`;
      await due('expire-invoice', id);
      await expectLook(attempts, least, most);
    }
  });
});
