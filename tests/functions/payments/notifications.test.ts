// Notifications of the sandbox that tests send: processed once each, in any order, and never without the token.
import { describe, expect, test } from 'vitest';
import { connectDatabase, type Tenant } from '../../support/database.ts';
import {
  createInvoice,
  createPayout,
  createPayTenant,
  get,
  payInvoice,
  untilStatus,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../../support/payments/payments.ts';
import {
  eventsOf,
  type HandNotification,
  ledgerOf,
  notify,
  ordersOf,
} from '../../support/payments/sandbox.ts';
import { OUTCOME, stopBefore } from '../../support/payments/stopped-order.ts';

const sql = connectDatabase();

/** A notification of a new state of an invoice or payout, `seconds` from now. */
function about(reference: string, status: string, seconds = 0, more: Partial<HandNotification> = {}) {
  const resource = reference.startsWith('inv_') ? 'invoice' : 'payout';
  const at = new Date(Date.now() + seconds * 1000);
  const paid = status === 'paid' ? { fee: 70, available_on: '2026-12-24' } : {};
  return { resource, reference, status, at, ...paid, ...more } as const;
}

/** The sandbox's own state of an order, and the number of jobs that check it. */
const inSandbox = async (reference: string) => {
  const [order] = await sql`
    select status, (select count(*)::integer from jobs where name = 'settle-in-sandbox' and key like ${`${reference}:%:look`}) as looks
    from private.sandbox_orders where reference = ${reference}`;
  return order;
};

const charges = async (tenant: Tenant) => (await ledgerOf(sql, tenant)).map(({ type, net }) => [type, net]);

describe('accepts only the provider', () => {
  test('an invalid token: 401, and nothing is written', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey);
    for (const token of ['', 'x', `${'0'.repeat(48)}`]) {
      expect((await notify(about(id, 'paid'), token)).status).toBe(401);
      expect((await notify('{', token)).status).toBe(401);
    }
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('open');
    expect(await inSandbox(id)).toEqual({ status: 'open', looks: 0 });
  });

  test('an unreadable body returns 400 and stores nothing; there is no other provider', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey);
    const good = about(id, 'paid');
    const bad: unknown[] = [
      null,
      [],
      {},
      { ...good, at: 'yesterday' },
      { ...good, at: undefined },
      { ...good, at: '0001-01-01T00:00:00+23:59' },
      { ...good, at: '2026-01-01T24:00:00Z' },
      { ...good, available_on: '0000-01-01' },
      { ...good, reference: '\ud800' },
      { ...good, resource: 'users' },
      { ...good, reference: 7 },
      { ...good, reason: 'a\u0000b' },
      { ...good, fee: 1.5 },
      { ...good, fee: 'much' },
      { ...good, available_on: '2026-02-30' },
    ];
    for (const body of bad) expect([body, (await notify(JSON.stringify(body))).status]).toEqual([body, 400]);
    expect(await inSandbox(id)).toEqual({ status: 'open', looks: 0 });
    expect((await notify(about(id, 'sleeping'))).status).toBe(200);
    expect((await notify(about('inv_of_nobody', 'paid'))).body.outcomes).toEqual(['unknown']);
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('open');
  });
});

describe('exactly once', () => {
  test('the same event many times concurrently: one ledger entry, one event', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey);
    const paid = about(id, 'paid');
    const replies = await Promise.all(Array.from({ length: 8 }, () => notify(paid)));
    for (const reply of replies) expect(reply.status).toBe(200);
    expect(await inSandbox(id)).toEqual({ status: 'paid', looks: 1 });
    expect(await ledgerOf(sql, tenant)).toEqual([
      { type: 'charge', amount: 10000, fee: 70, net: 9930, source: id },
    ]);
    expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${id}`]);
    // Another notification with the same content.
    await notify(about(id, 'paid', 5));
    expect(await charges(tenant)).toHaveLength(1);
    const [entry] = (await get(tenant.apiKey, '/balance-transactions')).data;
    expect(entry).toMatchObject({ available_on: '2026-12-24', source: { resource: 'invoice', id } });
  });

  test('by rules of the sandbox: notified twice (27), and late (29)', async () => {
    const tenant = await createPayTenant(sql);
    const ids: string[] = [];
    for (const amount of [10027, 10029]) {
      const { id } = await createInvoice(tenant.apiKey, { amount });
      // Makes it old, so that the late notification is newer than its creation.
      await sql`update invoices set state_at = state_at - interval '1 hour' where tenant_id = ${tenant.id} and id = ${id}`;
      expect((await payInvoice(tenant.apiKey, id)).status).toBe('paid');
      const payout = await createPayout(tenant.apiKey, pixPayout({ amount }));
      await untilStatus(tenant.apiKey, `/payouts/${payout.id}`, 'paid');
      ids.push(id, payout.id);
    }
    const events = [
      `invoice.paid ${ids[0]}`,
      `payout.paid ${ids[1]}`,
      `invoice.paid ${ids[2]}`,
      `payout.paid ${ids[3]}`,
    ];
    expect(await eventsOf(sql, tenant)).toEqual(events);
    expect((await ledgerOf(sql, tenant)).map(({ source }) => source)).toEqual(ids);
  });
});

describe('out of order', () => {
  test('an older notification changes nothing', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createPayout(tenant.apiKey, transferPayout({ amount: 90_000 }));
    const path = `/payouts/${id}`;
    await untilStatus(tenant.apiKey, path, 'paid');
    for (const status of ['processing', 'incoming_payment_waiting', 'failed', 'canceled', 'created']) {
      expect((await notify(about(id, status, -3600))).status).toBe(200);
      expect((await get(tenant.apiKey, path)).status).toBe('paid');
    }
    expect(await eventsOf(sql, tenant)).toEqual([`payout.paid ${id}`]);
    expect(await charges(tenant)).toEqual([['payout', -90_050]]);
  });

  test('expired, then paid with an older time: ends paid', async () => {
    const tenant = await createPayTenant(sql);
    const { id } = await createInvoice(tenant.apiKey);
    await notify(about(id, 'failed', 10));
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('failed');
    await notify(about(id, 'paid', 5));
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('paid');
    await notify(about(id, 'failed', 20));
    expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('paid');
    expect(await eventsOf(sql, tenant)).toEqual([`invoice.failed ${id}`, `invoice.paid ${id}`]);
    expect(await charges(tenant)).toEqual([['charge', 9930]]);
  });

  test('paid and canceled concurrently: one final state, one event, and a matching ledger', async () => {
    const tenant = await createPayTenant(sql);
    const made = await Promise.all(Array.from({ length: 12 }, () => createInvoice(tenant.apiKey)));
    await Promise.all(
      made.flatMap(({ id }, i) => [notify(about(id, 'paid', i % 3)), notify(about(id, 'canceled', i % 2))]),
    );
    const rows = await sql`select id, status from invoices where tenant_id = ${tenant.id} order by id`;
    for (const { status } of rows) expect(['paid', 'canceled']).toContain(status);
    const events = await eventsOf(sql, tenant);
    expect(events.sort()).toEqual(rows.map(({ id, status }) => `invoice.${status} ${id}`).sort());
    const paid = rows.filter(({ status }) => status === 'paid').map(({ id }) => id);
    const sources = (await ledgerOf(sql, tenant)).map(({ source }) => source);
    expect(sources.sort()).toEqual(paid.sort());
  });

  test('concurrent payment and cancellation through the API: the provider decides', async () => {
    const tenant = await createPayTenant(sql);
    const made = await Promise.all(Array.from({ length: 8 }, () => createInvoice(tenant.apiKey)));
    for (const { id } of made) {
      const [paying, canceling] = await Promise.all([
        pay(tenant.apiKey, `/sandbox/invoices/${id}/pay`, {}),
        pay(tenant.apiKey, `/invoices/${id}/cancel`, {}),
      ]);
      const { status } = await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid', 'canceled');
      const codes = [paying.status, canceling.status];
      expect(codes).toEqual(status === 'paid' ? [200, 409] : [409, 200]);
    }
    expect(await eventsOf(sql, tenant)).toHaveLength(8);
  });
});

test('before our own commit: applied once the resource exists', async () => {
  const { tenant, wire, sending } = await stopBefore(sql, 'invoices', OUTCOME);
  const [order] = await ordersOf(sql, tenant);
  const id = order?.reference;
  const early = await notify(about(id, 'paid'));
  expect([early.status, early.body.outcomes]).toEqual([200, ['too_early']]);
  expect(await ledgerOf(sql, tenant)).toEqual([]);
  wire.open();
  expect((await sending)?.body.status).toBe('open');
  await untilStatus(tenant.apiKey, `/invoices/${id}`, 'paid');
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${id}`]);
});

test('long before our own commit: the retry that creates the resource applies it', async () => {
  const tenant = await createPayTenant(sql);
  const options = { key: crypto.randomUUID() };
  const send = () => pay(tenant.apiKey, '/invoices', invoice({ amount: 10019 }), options);
  expect((await send()).status).toBe(502);
  const [order] = await ordersOf(sql, tenant);
  await notify(about(order?.reference, 'paid', 60));
  await sql`delete from jobs where name = 'settle-in-sandbox' and key like ${`${order?.reference}:%`}`;
  // If the job that recovers the order is faster, the response is the open invoice that it created.
  expect((await send()).status).toBe(201);
  expect((await get(tenant.apiKey, `/invoices/${order?.reference}`)).status).toBe('paid');
  expect(await eventsOf(sql, tenant)).toEqual([`invoice.paid ${order?.reference}`]);
});

test('a paid payout that bounces: an adjustment reverses it, and the event reports it', async () => {
  const tenant = await createPayTenant(sql);
  const { id } = await createPayout(tenant.apiKey, transferPayout({ amount: 70_000 }));
  await untilStatus(tenant.apiKey, `/payouts/${id}`, 'paid');
  const bounce = about(id, 'failed', 60);
  await Promise.all([notify(bounce), notify(bounce), notify(about(id, 'failed', 61))]);
  expect((await get(tenant.apiKey, `/payouts/${id}`)).status).toBe('failed');
  expect(await charges(tenant)).toEqual([
    ['payout', -70_050],
    ['adjustment', 70_000],
  ]);
  expect(await eventsOf(sql, tenant)).toEqual([`payout.paid ${id}`, `payout.failed ${id}`]);
});
