// A payments function that is killed or stalls at every point between the first write and the response: the same key completes
// the order, and the provider gets one order. It is stopped at the database proxy, at the given exchange.
import { describe, expect, test } from 'vitest';
import { connectDatabase, type Tenant } from '../support/database.ts';
import { createPayTenant } from '../support/payments/payment-flows.ts';
import { pay } from '../support/payments/payments.ts';
import { ordersOf } from '../support/payments/sandbox.ts';
import {
  type OrderKind,
  OUTCOME,
  orderBody,
  PROVIDER,
  stopAnswer,
  stopBefore,
} from '../support/payments/stopped-order.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

const kinds: OrderKind[] = ['invoices', 'payouts'];
/** The sandbox accepts the order and does not respond. */
const SILENT = 10019;

const rowsOf = (kind: OrderKind, { id }: Tenant) =>
  sql`select id, status from ${sql(kind)} where tenant_id = ${id}`;
const keyOf = async ({ id }: Tenant) =>
  (await sql`select * from idempotency_keys where tenant_id = ${id} order by created_at desc limit 1`)[0];

/** Simulates that the locks of the tenant's keys have expired. */
const endLease = ({ id }: Tenant) =>
  sql`update idempotency_keys set locked_until = now() - interval '1 second' where tenant_id = ${id}`;

/** Sends the same key again, before and after the lock expires: in use, then finished, then replayed. Everything exists once. */
async function expectFinished(kind: OrderKind, tenant: Tenant, body: unknown, key: string) {
  const send = () => pay(tenant.apiKey, `/${kind}`, body, { key });
  expect((await send()).body.code).toBe('idempotency_key_in_use');
  await endLease(tenant);
  const finished = await send();
  expect([finished.status, finished.headers.get('idempotent-replay')]).toEqual([201, null]);
  const replay = await send();
  expect([replay.status, replay.body, replay.headers.get('idempotent-replay')]).toEqual([
    201,
    finished.body,
    'true',
  ]);
  await expectOne(kind, tenant, finished.body.id);
}

async function expectOne(kind: OrderKind, tenant: Tenant, id: string) {
  // One order, sent once: an order that is sent again is marked as answered.
  expect(await ordersOf(sql, tenant)).toMatchObject([{ reference: id, answered: false }]);
  expect((await rowsOf(kind, tenant)).map((row) => row.id)).toEqual([id]);
  expect(await sql`select last_value::integer from document_numbers where tenant_id = ${tenant.id}`).toEqual([
    { last_value: 1 },
  ]);
}

describe.each(kinds)('killed while creating %s', (kind) => {
  test.each([
    ['between the claim and the provider', PROVIDER],
    ['between the provider and the commit', OUTCOME],
  ])('%s', async (_, exchange) => {
    const { tenant, key, body, sending, crash } = await stopBefore(sql, kind, exchange);
    crash();
    expect(await sending).toBeUndefined();
    expect(await ordersOf(sql, tenant)).toHaveLength(exchange === OUTCOME ? 1 : 0);
    expect(await rowsOf(kind, tenant)).toMatchObject([{ status: 'creating' }]);
    expect((await pay(tenant.apiKey, `/${kind}`)).body.data).toEqual([]);
    await expectFinished(kind, tenant, body, key);
  });

  test('after the commit and before the response: the response is already stored', async () => {
    const { tenant, key, body, sending, crash } = await stopAnswer(sql, kind, OUTCOME);
    await waitFor(async () => (await keyOf(tenant))?.response_status === 201);
    crash();
    expect(await sending).toBeUndefined();
    const replay = await pay(tenant.apiKey, `/${kind}`, body, { key });
    expect([replay.status, replay.headers.get('idempotent-replay')]).toEqual([201, 'true']);
    await expectOne(kind, tenant, replay.body.id);
  });

  test('the database is unreachable at the commit: 503, and the same key completes the request', async () => {
    const { tenant, key, body, wire, sending } = await stopBefore(sql, kind, OUTCOME);
    wire.cut();
    expect((await sending)?.status).toBe(503);
    await expectFinished(kind, tenant, body, key);
  });

  test('the provider is silent after accepting: 502, then the retry looks it up', async () => {
    const tenant = await createPayTenant(sql);
    const [key, body] = [crypto.randomUUID(), orderBody(kind, SILENT)];
    const send = () => pay(tenant.apiKey, `/${kind}`, body, { key });
    expect((await send()).status).toBe(502);
    const retry = await send();
    expect(retry.status).toBe(201);
    await expectOne(kind, tenant, retry.body.id);
  });

  test('without a retry, the sweep finds the order at its provider, and the key replays it', async () => {
    const tenant = await createPayTenant(sql);
    const [key, body] = [crypto.randomUUID(), orderBody(kind, SILENT)];
    const send = () => pay(tenant.apiKey, `/${kind}`, body, { key });
    expect((await send()).status).toBe(502);
    await sweepNow();
    await sql`update ${sql(kind)} set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
    await sweepNow();
    await waitFor(async () => (await keyOf(tenant))?.response_status === 201);
    const replay = await send();
    expect([replay.status, replay.headers.get('idempotent-replay')]).toEqual([201, 'true']);
    expect(['open', 'processing', 'paid']).toContain(replay.body.status);
    await expectOne(kind, tenant, replay.body.id);
  });

  test('slower than its lease: it neither finishes nor calls the provider again, and returns what the second one stored', async () => {
    const { tenant, key, body, wire, sending } = await stopBefore(sql, kind, OUTCOME);
    await endLease(tenant);
    const second = await pay(tenant.apiKey, `/${kind}`, body, { key });
    expect([second.status, second.headers.get('idempotent-replay')]).toEqual([201, null]);
    wire.open();
    const first = await sending;
    expect([first?.status, first?.body, first?.headers.get('idempotent-replay')]).toEqual([
      201,
      second.body,
      'true',
    ]);
    await expectOne(kind, tenant, second.body.id);
  });

  test('overtaken by a request in flight: it writes nothing and reports that the key is in use', async () => {
    const { tenant, key, body, wire, sending } = await stopBefore(sql, kind, OUTCOME);
    await sql`
      update idempotency_keys set claimed_by = gen_random_uuid(), locked_until = now() + interval '1 minute'
      where tenant_id = ${tenant.id}`;
    wire.open();
    const reply = await sending;
    expect([reply?.status, reply?.body.code, reply?.headers.get('retry-after')]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ]);
    expect(await rowsOf(kind, tenant)).toMatchObject([{ status: 'creating' }]);
    await expectFinished(kind, tenant, body, key);
  });

  test('recovered by the sweep while a slow request is in flight: that request returns the same', async () => {
    const { tenant, wire, sending } = await stopBefore(sql, kind, OUTCOME);
    await endLease(tenant);
    await sql`update ${sql(kind)} set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
    await sweepNow();
    await waitFor(async () => (await keyOf(tenant))?.response_status === 201);
    wire.open();
    const reply = await sending;
    expect([reply?.status, reply?.headers.get('idempotent-replay')]).toEqual([201, 'true']);
    await expectOne(kind, tenant, reply?.body.id);
  });
});
