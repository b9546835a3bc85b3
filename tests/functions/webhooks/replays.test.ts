// Replaying many deliveries with one call: which ones, with which ids, the progress, and that neither a kill nor their number loses one.
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { get } from '../../support/payments/payment-flows.ts';
import { PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { expectError } from '../../support/records/records-answers.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  emitOne,
  type Received,
  recordAttempt,
  replay,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const LONG = { limitMs: 60_000 };
const EVENTS = ['lead.created', 'lead.updated'];
const idsOf = (received: Received[]) => received.map(({ headers }) => String(headers['webhook-id']));
const done = (token: string, path: string, id: string) =>
  waitFor(async () => {
    const replay = await expectData(token, 'GET', `${path}/replays/${id}`, 200);
    return replay.status === 'done' && replay;
  }, LONG);

async function createReceiver() {
  const { token, id: tenantId } = await createRecordsTenant(sql);
  const receiver = { works: true };
  const endpoint = await startEndpoint((response) => response.writeHead(receiver.works ? 200 : 500).end());
  const { id } = await expectData(token, 'POST', '/webhooks', 201, { url: endpoint.url, events: EVENTS });
  return { token, tenantId, receiver, endpoint, id, path: `/webhooks/${id}` };
}

test('all since a time are sent again with their ids, and missed ones with new ids', async () => {
  const { token, tenantId, endpoint, path } = await createReceiver();
  await createLead(token);
  await waitFor(() => endpoint.received.length === 1);
  const [{ now } = {}] = await sql`select clock_timestamp() as now`;
  const lead = await createLead(token);
  await waitFor(() => endpoint.received.length === 2);
  const [, later] = idsOf(endpoint.received);
  // While it is deactivated, nothing is stored for it, and silent events are not sent to any webhook.
  await expectData(token, 'PATCH', path, 200, { active: false });
  expectError(await records(token, 'POST', `${path}/replay`, { failed: true }), 409, 'CONFLICT');
  await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { phone: '1' });
  await records(token, 'PATCH', `/leads/${lead.id}`, { phone: '2' }, { headers: { 'X-Silent': 'true' } });
  await expectData(token, 'PATCH', path, 200, { active: true });
  await expectData(token, 'POST', `${path}/test`, 202);
  await waitFor(() => endpoint.received.length === 3);

  const begun = await expectData(token, 'POST', `${path}/replay`, 202, { since: now });
  expect(begun).toEqual({
    id: expect.any(String),
    status: expect.stringMatching(/^(running|done)$/),
    total: 2,
    sent: expect.any(Number),
  });
  await waitFor(() => endpoint.received.length === 5);
  expect(await done(token, path, begun.id)).toEqual({ id: begun.id, status: 'done', total: 2, sent: 2 });
  const again = idsOf(endpoint.received).slice(3);
  expect(again).toContain(later);
  const missed = endpoint.received.slice(3).find(({ headers }) => headers['webhook-id'] !== later);
  expect(JSON.parse(missed?.body ?? '{}')).toMatchObject({ type: 'lead.updated', data: { phone: '1' } });
  const [deliveries] = await sql`
    select count(*)::int as n from webhook_deliveries d join events e on e.id = d.event_id
    where d.tenant_id = ${tenantId} and e.type <> 'webhook.test'`;
  expect(deliveries?.n).toBe(3);
});

test('failed ones, during and after a pause', async () => {
  const { token, receiver, endpoint, id, path } = await createReceiver();
  const fail = async () => {
    await sql`update webhook_deliveries set status = 'failed', next_at = null where endpoint_id = ${id} and status = 'pending'`;
  };
  receiver.works = false;
  await createLead(token);
  await createLead(token);
  await waitFor(() => endpoint.received.length === 2);
  await fail();
  receiver.works = true;
  await createLead(token);
  await waitFor(() => endpoint.received.length === 3);
  const failed = idsOf(endpoint.received).slice(0, 2).sort();

  await expectData(token, 'POST', `${path}/pause`, 200);
  const begun = await expectData(token, 'POST', `${path}/replay`, 202, { failed: true });
  expect(begun).toMatchObject({ status: 'running', total: 2, sent: 0 });
  const waiting = await expectData(token, 'GET', `${path}/deliveries?status=pending`, 200);
  expect(waiting.map((one: { id: string }) => one.id).sort()).toEqual(failed);
  await expectData(token, 'POST', `${path}/resume`, 200);
  expect(await done(token, path, begun.id)).toMatchObject({ total: 2, sent: 2 });
  expect(idsOf(endpoint.received).slice(3).sort()).toEqual(failed);
  const none = await expectData(token, 'POST', `${path}/replay`, 202, { failed: true });
  expect(none).toMatchObject({ status: 'done', total: 0, sent: 0 });
});

test('required members, scopes and ownership', async () => {
  const { token, tenantId, path } = await createReceiver();
  for (const [body, fields] of [
    [{}, ['since']],
    [{ failed: false }, ['since']],
    [{ since: 'yesterday', failed: 'yes' }, ['since', 'failed']],
  ] as const) {
    const answer = await records(token, 'POST', `${path}/replay`, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error.details.map(({ field }: { field: string }) => field).sort()).toEqual(
      [...fields].sort(),
    );
  }
  const { token: writing } = await createToken(sql, tenantId, { scopes: ['write:webhooks'] });
  expectError(await records(writing, 'POST', `${path}/replay`, { failed: true }), 403, 'FORBIDDEN');
  const { id } = await expectData(token, 'POST', `${path}/replay`, 202, { failed: true });
  const other = await createReceiver();
  for (const [method, at, body] of [
    ['POST', `${path}/replay`, { failed: true }],
    ['GET', `${path}/replays/${id}`, undefined],
    ['GET', `${other.path}/replays/${id}`, undefined],
  ] as const) {
    expectError(await records(other.token, method, at, body), 404, 'NOT_FOUND');
  }
});

test('requesting a running replay again returns it; a fourth concurrent replay gets 409', async () => {
  const { token, tenantId, path } = await createReceiver();
  const [{ now } = {}] = await sql`select clock_timestamp() as now`;
  for (let n = 0; n < 3; n++) await createLead(token);
  // Recorded, too: an attempt that is running counts as the replay.
  await waitFor(async () => {
    const rows = sql`select from webhook_deliveries where tenant_id = ${tenantId} and status = 'delivered'`;
    return (await rows).length === 3;
  });
  await expectData(token, 'POST', `${path}/pause`, 200);
  const start = (since: Date) => expectData(token, 'POST', `${path}/replay`, 202, { since });
  const same = await Promise.all(Array.from({ length: 5 }, () => start(now)));
  expect(new Set(same.map(({ id }) => id)).size).toBe(1);
  const earlier = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  for (const seconds of [1, 2]) expect((await start(earlier(seconds))).id).not.toBe(same[0].id);
  const refused = await records(token, 'POST', `${path}/replay`, { since: earlier(3) });
  expectError(refused, 409, 'CONFLICT');
  expect((await start(now)).id).toBe(same[0].id);
  await expectData(token, 'POST', `${path}/resume`, 200);
  await done(token, path, same[0].id);
  expect((await start(earlier(3))).id).not.toBe(same[0].id);
});

test('the same for payments, in their format', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { apiKey } = await createApiKey(sql, tenantId, { scopes: PAYMENT_SCOPES });
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  await emitOne(sql, tenantId, { swept: true });
  expect((await pay(apiKey, `/webhooks/${id}/replay`, {})).status).toBe(422);
  const key = crypto.randomUUID();
  const body = { since: '2026-01-01T00:00:00+02:00' };
  const begun = await pay(apiKey, `/webhooks/${id}/replay`, body, { key });
  expect([begun.status, begun.body]).toMatchObject([202, { total: 1 }]);
  const { body: replayed } = await pay(apiKey, `/webhooks/${id}/replay`, body, { key });
  expect(replayed).toEqual(begun.body);
  await waitFor(() => received.length > 0);
  const path = `/webhooks/${id}/replays/${begun.body.id}`;
  expect(await waitFor(async () => (await get(apiKey, path)).status === 'done' && get(apiKey, path))).toEqual(
    {
      id: begun.body.id,
      status: 'done',
      total: 1,
      sent: 1,
    },
  );
  expect((await pay(apiKey, `/webhooks/${id}/replays/x`)).status).toBe(404);
});

test('a replay over several transactions sends each once, although its worker is killed in the middle', async () => {
  const { token, tenantId, endpoint, id, path } = await createReceiver();
  await expectData(token, 'PATCH', path, 200, { active: false });
  const COUNT = 1234;
  await sql`
    insert into events (tenant_id, interface, type, data)
    select ${tenantId}, 'records', 'lead.deleted', jsonb_build_object('id', gen_random_uuid(), 'n', n)
    from generate_series(1, ${COUNT}) as n`;
  await sql`update webhook_endpoints set active = true, events = '{lead.deleted}' where id = ${id}`;
  await sql`select admin.pause_webhook(${id})`;
  const begun = await expectData(token, 'POST', `${path}/replay`, 202, { since: '2026-01-01T00:00:00Z' });
  expect(begun).toMatchObject({ status: 'running', total: COUNT });
  // Whichever comes first. One of them is killed while it is working.
  const [job] = await sql`select id from jobs where name = 'replay-webhook' and key = ${begun.id}`;
  const { publish, crash } = await startDenoDeliverer();
  await publish({ name: 'replay-webhook', jobId: job?.id });
  crash();
  const state = async () =>
    (
      await sql`select scheduled, total, finished_at is not null as over from webhook_replays where id = ${begun.id}`
    )[0];
  await waitFor(async () => (await state())?.over, LONG);
  expect(await state()).toEqual({ scheduled: COUNT, total: COUNT, over: true });
  const [row] = await sql`
    select count(*)::int as deliveries, count(distinct event_id)::int as events from webhook_deliveries
    where endpoint_id = ${id}`;
  expect(row).toEqual({ deliveries: COUNT, events: COUNT });
  expect(endpoint.received).toEqual([]);
});

test('deleting a webhook during its replay does not deadlock', async () => {
  for (let round = 0; round < 4; round++) {
    const { id: tenantId } = await createTenant(sql);
    const { id } = await createWebhook(sql, tenantId, 'https://hooks.example.invalid/x');
    await sql`select admin.pause_webhook(${id})`;
    // No worker may run their jobs, because others wait behind them.
    await sql.begin(async (tx) => {
      await tx`
        insert into events (tenant_id, interface, type, data)
        select ${tenantId}, 'payments', 'payout.paid', jsonb_build_object('id', n) from generate_series(1, 1000) as n`;
      await tx`delete from jobs where tenant_id = ${tenantId}`;
    });
    const [replay] = await sql`
      insert into webhook_replays (tenant_id, endpoint_id, failed, last)
      select ${tenantId}, ${id}, false, last_value from private.event_sequence returning id`;
    const replayed = sql.begin(async (tx) => {
      await tx`select app.continue_webhook_replay(${replay?.id}, 1000)`;
      await tx`delete from jobs where tenant_id = ${tenantId}`;
    });
    await Promise.all([replayed, sql`delete from webhook_endpoints where id = ${id}`]);
    expect(await sql`select from webhook_deliveries where tenant_id = ${tenantId}`).toEqual([]);
  }
});

describe('while a failed attempt is recorded', () => {
  /** Makes the change while a worker that records a failure waits for the delivery. Returns what the change returned. */
  async function duringRecording<T>(deliveryId: string, query: string, change: () => Promise<T>): Promise<T> {
    const worker = await sql.reserve();
    onTestFinished(() => worker.release());
    const [{ pid: workerPid } = {}] = await worker`select pg_backend_pid() as pid`;
    const started: { recording?: PromiseLike<unknown>; changing?: Promise<T> } = {};
    await sql.begin(async (tx) => {
      const [{ pid: ownPid } = {}] = await tx`
        select pg_backend_pid() as pid from webhook_deliveries where id = ${deliveryId} for update`;
      const waits = (statement: string) =>
        waitFor(async () => {
          const rows = await sql`
            select from pg_stat_activity
            where pg_blocking_pids(pid) && ${[ownPid, workerPid]}::integer[] and query like ${`%${statement}%`}`;
          return rows.length > 0;
        });
      started.recording = recordAttempt(worker, deliveryId, 500, 'refused').execute();
      await waits('record_webhook_attempts');
      started.changing = change();
      await waits(query);
    });
    await started.recording;
    return await (started.changing ?? change());
  }

  async function createHeld() {
    const { token, path, id, tenantId } = await createReceiver();
    await expectData(token, 'POST', `${path}/pause`, 200);
    const { delivery_id: deliveryId } = await expectData(token, 'POST', `${path}/test`, 202);
    return { token, path, id, tenantId, deliveryId };
  }

  test('a replay waits and does not deadlock', async () => {
    const { token, path, deliveryId } = await createHeld();
    const replayed = await duringRecording(deliveryId, 'replay_webhook_delivery', () =>
      records(token, 'POST', `${path}/deliveries/${deliveryId}/replay`),
    );
    expect(replayed.status).toBe(202);
  });

  test('a deactivation waits and does not deadlock', async () => {
    const { token, path, deliveryId } = await createHeld();
    const changed = await duringRecording(deliveryId, 'update public.webhook_endpoints', () =>
      records(token, 'PATCH', path, { active: false }),
    );
    expect(changed.status).toBe(200);
  });
});

test('a message that was sent before the replay sends it, although the replay replaced its job', async () => {
  const { id: tenantId } = await createTenant(sql);
  const endpoint = await startEndpoint();
  await createWebhook(sql, tenantId, endpoint.url);
  const deliverer = await startDeliverer();
  const delivery = await emitOne(sql, tenantId);
  // The publisher of the replay sends no message of its own while one for the lane is on its way.
  const { jobId } = await replay(sql, delivery.id);
  expect(jobId).not.toBe(delivery.jobId);
  await deliverer.publish(delivery);
  await waitFor(() => endpoint.received.length === 1);
});
