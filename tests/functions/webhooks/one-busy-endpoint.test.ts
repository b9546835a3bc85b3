// Many deliveries to one endpoint: a few messages lead to all of them, and a failing worker affects few of them.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  answer,
  createWebhook,
  deliveryRow,
  type EmittedDelivery,
  emitOne,
  type Received,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const LONG = { limitMs: 120_000 };

/** Creates this many events with one statement. Only this test publishes their deliveries. */
async function burst(tenantId: string, events: number, type = 'payout.paid'): Promise<EmittedDelivery[]> {
  return await sql.begin(async (tx) => {
    await tx`
      insert into events (tenant_id, interface, type, data)
      select ${tenantId}, 'payments', ${type}, '{"id": "po_1", "status": "paid", "amount": 1, "created": "2026-01-01T00:00:00Z"}'
      from generate_series(1, ${events})`;
    return tx<EmittedDelivery[]>`
      update jobs j set published_at = '2999-01-01' from webhook_deliveries d join events e on e.id = d.event_id
      where d.tenant_id = ${tenantId} and e.type = ${type} and j.name = 'deliver-webhook' and j.key = d.id
      returning d.id, j.id as "jobId", j.lane`;
  });
}

const idsOf = (received: Received[]) => received.map(({ headers }) => headers['webhook-id']);

/** Deliveries of the tenant by status, and their states. */
async function stateOf(tenantId: string) {
  const [row] = await sql`
    select (select jsonb_object_agg(status, n) from (
              select status, count(*) as n from webhook_deliveries where tenant_id = ${tenantId} group by status) as s) as deliveries,
           (select count(*)::int from webhook_attempts where tenant_id = ${tenantId}) as attempts,
           (select count(*)::int from jobs where tenant_id = ${tenantId} and finished_at is null) as unfinished,
           (select count(*)::int from private.webhook_requests r join webhook_deliveries d on d.id = r.delivery_id
            where d.tenant_id = ${tenantId}) as places`;
  return row;
}

test('a burst of 250 events takes about 10 messages, and each event arrives once', async () => {
  const { id } = await createTenant(sql);
  const { url, received, mostAtOnce } = await startEndpoint();
  await createWebhook(sql, id, url);
  const { publish, messages } = await startDeliverer();
  await publish(...(await burst(id, 250)));
  const ended = { deliveries: { delivered: 250 }, attempts: 250, unfinished: 0, places: 0 };
  await waitFor(async () => {
    expect(await stateOf(id)).toEqual(ended);
    return true;
  }, LONG);
  expect(received).toHaveLength(250);
  expect(new Set(idsOf(received)).size).toBe(250);
  expect(messages()).toBeLessThanOrEqual(13);
  expect(mostAtOnce()).toBeLessThanOrEqual(4);
});

test('72 requests that cause one event each take few messages', async () => {
  const { id } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint();
  await sql`
    insert into webhook_endpoints (tenant_id, interface, url, variant, events)
    values (${id}, 'records', ${url}, 'a', '{lead.created}')`;
  const { announceTo, messages } = await startDeliverer();
  const { baseUrl } = await startOwnFunction('v1', announceTo);
  const oauth = await startOwnFunction('oauth', announceTo);
  const client = await createOAuthClient(sql, id, { scopes: ['admin'] });
  const token = (await requestToken(grant(client), { baseUrl: oauth.baseUrl })).body.access_token;
  const leads = Array.from({ length: 72 }, (_, n) => ({
    name: `Lead ${n}`,
    email: `lead-${n}@example.com`,
  }));
  const create = async () => {
    for (let lead = leads.pop(); lead; lead = leads.pop()) {
      expect((await records(token, 'POST', '/leads', lead, { baseUrl })).status).toBe(201);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 8 }, create));
  const seconds = (performance.now() - startedAt) / 1000;
  await waitFor(async () => (await stateOf(id))?.deliveries.delivered === 72, LONG);
  expect(new Set(idsOf(received)).size).toBe(72);
  expect(received).toHaveLength(72);
  expect(messages()).toBeGreaterThan(0);
  // One immediately, one per second, and one more for each 24 that were due at the same time.
  expect(messages()).toBeLessThanOrEqual(2 + Math.ceil(seconds) + 72 / 24);
});

test('a message for a finished job runs the due jobs of its lane', async () => {
  const { id } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  await createWebhook(sql, id, url);
  const { publish } = await startDeliverer();
  const done = await emitOne(sql, id);
  await publish(done);
  await waitFor(async () => (await stateOf(id))?.unfinished === 0);
  await burst(id, 30, 'invoice.paid');
  await publish(done);
  await waitFor(async () => (await stateOf(id))?.deliveries.delivered === 31);
  expect(received).toHaveLength(31);
});

test('killing a worker in the middle of a lane loses nothing, and repeats at most what it was sending', async () => {
  const { id } = await createTenant(sql);
  let crash = () => {};
  const { url, received } = await startEndpoint((response, n) => {
    if (n === 30) crash();
    response.end();
  });
  await createWebhook(sql, id, url);
  const worker = await startDenoDeliverer();
  crash = worker.crash;
  const deliveries = await burst(id, 60);
  await worker.publish(...deliveries);
  await waitFor(() => received.length > 30);
  // Each worker claims only the deliveries that it is sending.
  const held = await sql`select id from jobs where tenant_id = ${id} and locked_until > now()`;
  expect(held.length).toBeGreaterThan(0);
  expect(held.length).toBeLessThanOrEqual(4);
  await sql`update jobs set locked_until = now() where tenant_id = ${id} and locked_until > now()`;
  await waitFor(async () => {
    await worker.publish(...deliveries);
    return (await stateOf(id))?.unfinished === 0;
  }, LONG);
  expect(await stateOf(id)).toEqual({
    deliveries: { delivered: 60 },
    attempts: 60,
    unfinished: 0,
    places: 0,
  });
  expect(new Set(idsOf(received)).size).toBe(60);
  expect(received.length).toBeLessThanOrEqual(64);
});

test('of three workers with a lane each, two are killed: the third takes over, nothing is lost, and at most deliveries in flight are repeated', async () => {
  const { id } = await createTenant(sql);
  const crashAt = [15, 30, Number.POSITIVE_INFINITY];
  const lanes = await Promise.all(
    crashAt.map(async (crashed) => {
      const worker = await startDenoDeliverer();
      const endpoint = await startEndpoint((response, n) => {
        if (n === crashed) worker.crash();
        response.end();
      });
      const webhook = await createWebhook(sql, id, endpoint.url);
      return { worker, endpoint, lane: `webhook-${webhook.id}` };
    }),
  );
  const deliveries = await burst(id, 60);
  const announceAll = () =>
    Promise.all(
      lanes.map(({ worker, lane }) => worker.publish(...deliveries.filter((one) => one.lane === lane))),
    );
  await announceAll();
  await waitFor(() =>
    lanes.every(({ endpoint }, index) => endpoint.received.length >= Math.min(60, crashAt[index] ?? 0)),
  );
  await sql`update jobs set locked_until = now() where tenant_id = ${id} and locked_until > now()`;
  await waitFor(async () => {
    await lanes[2]?.worker.publish(...deliveries);
    return (await stateOf(id))?.unfinished === 0;
  }, LONG);

  const state = await stateOf(id);
  expect(state).toEqual({ deliveries: { delivered: 180 }, attempts: 180, unfinished: 0, places: 0 });
  for (const { endpoint } of lanes) {
    expect(new Set(idsOf(endpoint.received)).size).toBe(60);
    expect(endpoint.received.length).toBeLessThanOrEqual(64);
  }
});

test('an unreachable receiver delays only its own lane', async () => {
  const { id } = await createTenant(sql);
  const dead = await startEndpoint(() => {});
  const alive = await startEndpoint();
  await createWebhook(sql, id, dead.url, ['invoice.failed']);
  await createWebhook(sql, id, alive.url, ['payout.paid']);
  // The killed worker is awaited until after the test.
  const { publish } = await startDeliverer({ timeoutMs: 3_600_000 });
  const toDead = await burst(id, 100, 'invoice.failed');
  // By three workers that do not know each other.
  for (let n = 0; n < 3; n++) await publish(...toDead);
  await waitFor(() => dead.received.length >= 4);
  await publish(...(await burst(id, 100)));
  await waitFor(async () => (await stateOf(id))?.deliveries.delivered === 100);
  expect(alive.received).toHaveLength(100);
  expect(dead.received).toHaveLength(4);
  const held = await sql`select from jobs where tenant_id = ${id} and locked_until > now()`;
  expect(held).toHaveLength(4);
});

test('failures in a row are counted in the order in which concurrent requests ended', async () => {
  const { id } = await createTenant(sql);
  const { id: webhook } = await createWebhook(sql, id, 'https://example.com');
  const deliveries = await burst(id, 4);
  const record = (...errors: (string | null)[]) => {
    const made = errors.map((error, n) => ({
      delivery_id: deliveries[n]?.id ?? '',
      response_status: error ? 500 : 200,
      response_ms: 1,
      response_excerpt: '',
      error,
    }));
    return sql`select app.record_webhook_attempts(${sql.json(made)}, '{60, 60, 60}', 60)`;
  };
  const count = async () =>
    (await sql`select consecutive_failures as n from webhook_endpoints where id = ${webhook}`)[0]?.n;
  await record('x', 'x');
  await record('x', 'x', 'x');
  expect(await count()).toBe(5);
  await record('x', null, 'x', 'x');
  expect(await count()).toBe(2);
  await record('x', null);
  expect(await count()).toBe(0);
  expect(await deliveryRow(sql, deliveries[1]?.id ?? '')).toMatchObject({ status: 'delivered', attempts: 4 });
  expect(await deliveryRow(sql, deliveries[2]?.id ?? '')).toMatchObject({ status: 'pending', attempts: 2 });
});

test('retries of deliveries that failed together share messages', async () => {
  const { id } = await createTenant(sql);
  // One of four concurrent deliveries succeeds, so that the endpoint is not suspended.
  const { url, received } = await startEndpoint((response, n) =>
    answer(n < 48 && n % 4 !== 0 ? 500 : 200)(response),
  );
  await createWebhook(sql, id, url);
  const { publish, messages } = await startDeliverer({ schedule: [1, 1, 1] });
  await publish(...(await burst(id, 48)));
  await waitFor(async () => (await stateOf(id))?.deliveries.delivered === 48, LONG);
  expect(received).toHaveLength(84);
  expect(messages()).toBeLessThanOrEqual(20);
});
