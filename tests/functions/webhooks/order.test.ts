// Ordered delivery: nothing about a record is sent before its earlier deliveries have succeeded or failed for good, whatever fails, is paused,
// is replayed or dies, and whoever else works on the lane. Other records, and events without a record, do not wait.
import { expect, test } from 'vitest';
import { createChance } from '../../proof/requests/random.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  deliveryRow,
  type EmittedDelivery,
  passTime,
  type Respond,
  replay,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const LONG = { limitMs: 120_000 };
const SEED = Number(process.env.ORDER_SEED ?? 20_261_122);

/** Events of records, with `n` counting all of them. Returns their deliveries in order. */
async function emitMany(tenantId: string, records: number, count: number): Promise<EmittedDelivery[]> {
  return await sql.begin(async (tx) => {
    await tx`
      insert into events (tenant_id, interface, type, data)
      select ${tenantId}, 'payments', 'payout.paid', jsonb_build_object(
        'id', 'po_' || n % ${records}::int, 'status', 'paid', 'amount', n, 'created', '2026-01-01T00:00:00Z')
      from generate_series(1, ${count}) as n order by n`;
    // An update returns its rows in the order of its query plan.
    return tx<EmittedDelivery[]>`
      with hidden as (
        update jobs j set published_at = '2999-01-01' from webhook_deliveries d
        where d.tenant_id = ${tenantId} and d.status = 'pending' and j.name = 'deliver-webhook' and j.key = d.id
        returning d.id, j.id as "jobId", j.lane, d.sequence
      )
      select id, "jobId", lane from hidden order by sequence`;
  });
}

/** A receiver that fails on request, and records each request that was out of order. */
async function startWatcher(fails: (n: number) => boolean, onRequest: (n: number) => void = () => {}) {
  const taken = new Set<number>();
  const early: string[] = [];
  const sent: Record<string, number[]> = {};
  const respond: Respond = (response, index, { body }) => {
    const { id, amount } = JSON.parse(body).data;
    const record = sent[id] ?? [];
    sent[id] = record;
    // All smaller numbers of the same record were sent and accepted.
    const step = watcher.records;
    for (let before = amount - step; before > 0; before -= step) {
      if (!taken.has(before)) early.push(`${amount} before ${before}`);
    }
    record.push(amount);
    onRequest(index);
    const failed = fails(index);
    if (!failed) taken.add(amount);
    response.writeHead(failed ? 500 : 200).end();
  };
  const endpoint = await startEndpoint(respond);
  const watcher = { endpoint, taken, early, sent, records: 3 };
  return watcher;
}

async function createOrdered(url: string) {
  const { id: tenantId } = await createTenant(sql);
  const { id } = await createWebhook(sql, tenantId, url);
  await sql`update webhook_endpoints set ordered = true where id = ${id}`;
  return { tenantId, id, lane: `webhook-${id}` };
}

const pending = async (id: string) =>
  (await sql`select id from webhook_deliveries where endpoint_id = ${id} and status = 'pending'`).length;
const places = async (tenantId: string) =>
  (
    await sql`
      select from private.webhook_requests r join webhook_deliveries d on d.id = r.delivery_id
      where d.tenant_id = ${tenantId}`
  ).length;

test('a burst arrives in the order of each record, with three concurrent workers and a receiver that fails at random', async () => {
  const dice = createChance(SEED);
  const watcher = await startWatcher(() => dice.below(5) === 0);
  const { tenantId, id, lane } = await createOrdered(watcher.endpoint.url);
  const workers = await Promise.all(
    [1, 2, 3].map(() => startDeliverer({ schedule: Array<number>(500).fill(3600), minSpanSeconds: 86_400 })),
  );
  await emitMany(tenantId, 3, 60);
  await waitFor(async () => {
    await passTime(sql, id);
    const [job] =
      await sql`select j.id as "jobId", j.lane, j.key as id from jobs j where j.lane = ${lane} and j.finished_at is null limit 1`;
    if (job) await Promise.all(workers.map((worker) => worker.publish(job as EmittedDelivery)));
    return (await pending(id)) === 0;
  }, LONG);
  expect(watcher.early).toEqual([]);
  expect(watcher.taken.size).toBe(60);
  await waitFor(async () => (await places(tenantId)) === 0);
});

test('killing a worker in the middle breaks no order', async () => {
  let crash = () => {};
  const watcher = await startWatcher(
    () => false,
    (n) => n === 10 && crash(),
  );
  const { tenantId, id, lane } = await createOrdered(watcher.endpoint.url);
  const worker = await startDenoDeliverer();
  crash = worker.crash;
  const deliveries = await emitMany(tenantId, 3, 36);
  await worker.publish(...deliveries);
  await waitFor(() => watcher.endpoint.received.length > 10);
  await waitFor(async () => {
    await sql`update jobs set locked_until = now() where lane = ${lane} and locked_until > now() + interval '20 s'`;
    await passTime(sql, id);
    await worker.publish(...deliveries);
    return (await pending(id)) === 0;
  }, LONG);
  expect(watcher.early).toEqual([]);
  expect(watcher.taken.size).toBe(36);
});

test('a failure delays only its record, until it fails permanently; a pause and a replay keep the order', async () => {
  const failing = { on: true };
  const watcher = await startWatcher(() => false);
  const stuck = await startEndpoint((response, _, { body }) => {
    const { id } = JSON.parse(body).data;
    response.writeHead(failing.on && id === 'po_1' ? 500 : 200).end();
  });
  const { tenantId, id, lane } = await createOrdered(stuck.url);
  const { publish } = await startDeliverer({ schedule: [3600, 3600], minSpanSeconds: 86_400 });
  const deliveries = await emitMany(tenantId, 3, 9);
  await publish(...deliveries);
  const amounts = () => stuck.received.map(({ body }) => JSON.parse(body).data.amount as number);
  await waitFor(() => stuck.received.length === 7);
  await waitFor(async () => (await pending(id)) === 3);
  // One attempt of the first delivery of its record. The others were not attempted.
  expect(amounts().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 8, 9]);
  // After it has failed for good, the next one is sent.
  await sql`
    update webhook_deliveries set status = 'failed', next_at = null where endpoint_id = ${id} and status = 'pending'
      and sequence = (select min(sequence) from webhook_deliveries where endpoint_id = ${id})`;
  failing.on = false;
  const drain = () =>
    waitFor(async () => {
      await passTime(sql, id);
      const [job] =
        await sql`select j.id as "jobId", j.lane, j.key as id from jobs j where j.lane = ${lane} and j.finished_at is null limit 1`;
      if (job) await publish(job as EmittedDelivery);
      return (await pending(id)) === 0;
    }, LONG);
  await drain();
  expect(amounts().slice(7)).toEqual([4, 7]);

  // To another receiver, which checks the order: paused, replayed completely, resumed.
  await sql`update webhook_endpoints set url = ${watcher.endpoint.url} where id = ${id}`;
  await sql`select admin.pause_webhook(${id})`;
  await sql.begin(async (tx) => {
    await tx`select set_config('app.tenant_id', ${tenantId}, true), set_config('role', 'payments', true)`;
    await tx`select app.replay_webhook(${id}, '2000-01-01', false, null)`;
    await tx`reset role`;
    await tx`update jobs set published_at = '2999-01-01' where lane = ${lane}`;
  });
  await sql`select admin.resume_webhook(${id})`;
  await drain();
  expect(watcher.early).toEqual([]);
  expect(watcher.sent).toEqual({ po_0: [3, 6, 9], po_1: [1, 4, 7], po_2: [2, 5, 8] });
});

test('deliveries that wait for a replayed one follow as soon as it was delivered', async () => {
  const failing = { on: true };
  const endpoint = await startEndpoint((response) => response.writeHead(failing.on ? 500 : 200).end());
  const { tenantId, id } = await createOrdered(endpoint.url);
  const { publish } = await startDeliverer({ schedule: [3600, 3600], minSpanSeconds: 86_400 });
  const [first, second] = await emitMany(tenantId, 1, 2);
  if (!first || !second) throw new Error('there are no deliveries');
  await publish(first, second);
  await waitFor(async () => (await deliveryRow(sql, first.id))?.attempts === 1);
  await waitFor(async () => {
    const later =
      await sql`select from jobs where id = ${second.jobId} and due_at > now() + interval '30 minutes'`;
    return later.length > 0;
  });
  failing.on = false;
  await publish(await replay(sql, first.id));
  await waitFor(async () => (await deliveryRow(sql, first.id))?.status === 'delivered');
  // No delivery had to wait for the hour until the next attempt of the first one.
  await waitFor(async () => {
    await publish(second);
    return (await pending(id)) === 0;
  });
});

test('through the API, with changes of one lead', async () => {
  const { token } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint();
  const webhook = await expectData(token, 'POST', '/webhooks', 201, {
    url,
    events: ['lead.created', 'lead.updated', 'lead.deleted'],
    ordered: true,
  });
  expect(webhook.ordered).toBe(true);
  const lead = await createLead(token);
  for (let n = 1; n <= 8; n++)
    await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { phone: String(n) });
  await waitFor(() => received.length === 9, LONG);
  const phones = received.map(({ body }) => JSON.parse(body).data.phone);
  expect(phones).toEqual([null, '1', '2', '3', '4', '5', '6', '7', '8']);
  const path = `/webhooks/${webhook.id}`;
  expect(await expectData(token, 'PATCH', path, 200, { ordered: false })).toMatchObject({ ordered: false });
  expect(await expectData(token, 'PATCH', path, 200, { description: 'x' })).toMatchObject({ ordered: false });
});
