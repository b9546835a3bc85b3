// Failing endpoints are suspended, longer each time, and then tried with one delivery. Waiting deliveries are kept.
import { expect, test } from 'vitest';
import { jitter } from '../../../shared/platform/jobs/retry-schedule.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  deliveryRow,
  type EmittedDelivery,
  emitOne,
  recordAttempt,
  startDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const rowOf = async (id: string) =>
  (
    await sql`
      select app.webhook_status(w) as status, consecutive_failures as failures, suspensions,
             round(extract(epoch from suspended_until - now()))::int as seconds
      from webhook_endpoints w where id = ${id}`
  )[0];
const jobOf = async ({ id }: EmittedDelivery) =>
  (await sql`select * from jobs where name = 'deliver-webhook' and key = ${id}`)[0];
const endSuspension = (id: string) =>
  sql`update webhook_endpoints set suspended_until = now() where id = ${id}`;
const mailsOf = async (tenantId: string) =>
  (
    await sql`
      select payload from jobs where tenant_id = ${tenantId} and name = 'send-mail' order by created_at`
  ).length;

/** A webhook of a tenant with an owner. */
async function make(url = 'https://hooks.example.invalid/x') {
  const { id: tenantId } = await createTenant(sql);
  await sql`update tenants set owner_email = ${`${tenantId}@example.com`} where id = ${tenantId}`;
  const { id } = await createWebhook(sql, tenantId, url);
  return { tenantId, id, emit: () => emitOne(sql, tenantId) };
}

/** Makes attempts of deliveries fail, as a worker records it. */
async function fail(emit: () => Promise<EmittedDelivery>, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    const made = {
      delivery_id: (await emit()).id,
      response_status: 500,
      response_ms: 1,
      error: 'it answered 500',
    };
    await sql`select app.record_webhook_attempts(${sql.json([made])}, '{60, 300, 1800}', 3600)`;
  }
}

/** A suspension that began a moment ago, according to the schedule and after this many others. */
function expectSuspended(
  row: Awaited<ReturnType<typeof rowOf>>,
  scheduledSeconds: number,
  id: string,
  failures: number,
) {
  const seconds = jitter(scheduledSeconds, { id, failures });
  expect(row?.status).toBe('suspended');
  expect(row?.seconds).toBeLessThanOrEqual(seconds);
  expect(row?.seconds).toBeGreaterThan(seconds - 15);
}

test('the fifth failure in a row suspends it, and each later one for longer; its owner is notified once', async () => {
  const { tenantId, id, emit } = await make();
  await fail(emit, 4);
  expect(await rowOf(id)).toEqual({ status: 'active', failures: 4, suspensions: 0, seconds: null });
  for (const [index, seconds] of [60, 300, 1800, 1800].entries()) {
    await fail(emit, 1);
    const row = await rowOf(id);
    expect(row).toMatchObject({ failures: 5 + index, suspensions: index + 1 });
    expectSuspended(row, seconds, id, index);
  }
  expect(await mailsOf(tenantId)).toBe(1);
  // One success ends it. The next suspension starts from the beginning, and its owner was notified today.
  await recordAttempt(sql, (await emit()).id, 200);
  expect(await rowOf(id)).toEqual({ status: 'active', failures: 0, suspensions: 0, seconds: null });
  await fail(emit, 5);
  expectSuspended(await rowOf(id), 60, id, 0);
  expect(await mailsOf(tenantId)).toBe(1);
});

test('later events wait; then one is attempted, and the others follow if it is delivered', async () => {
  let works = false;
  const { url, received } = await startEndpoint((response) => response.writeHead(works ? 200 : 500).end());
  const { id, emit } = await make(url);
  const { publish } = await startDeliverer();
  await fail(emit, 5);
  const waiting = [await emit(), await emit(), await emit(), await emit(), await emit()];
  await publish(...waiting);
  // The first few are scheduled for its end. The others are not scheduled until then.
  await waitFor(
    async () => (await jobOf(waiting[0] as EmittedDelivery))?.due_at > new Date(Date.now() + 40_000),
  );
  expect(received).toEqual([]);

  // Makes the scheduled deliveries due. Those that a worker has claimed are found later.
  const comeDue = async () => {
    await sql`update jobs set due_at = now() where lane = ${waiting[0]?.lane ?? ''} and finished_at is null and locked_until is null`;
    await publish(...waiting);
  };
  await endSuspension(id);
  await waitFor(async () => {
    await comeDue();
    return (await rowOf(id))?.suspensions === 2;
  });
  expect(received).toHaveLength(1);

  works = true;
  await endSuspension(id);
  // The one that was tried waits for its next attempt.
  const tried = received[0]?.headers['webhook-id'];
  for (const { id: delivery } of waiting.filter((one) => one.id !== tried)) {
    await waitFor(async () => {
      await comeDue();
      return (await deliveryRow(sql, delivery))?.status === 'delivered';
    });
  }
  expect(await rowOf(id)).toEqual({ status: 'active', failures: 0, suspensions: 0, seconds: null });
  expect(new Set(received.slice(1).map(({ headers }) => headers['webhook-id'])).size).toBe(
    received.length - 1,
  );
});

test('one of two workers sends the attempt, or another one if it dies', async () => {
  const { id, emit } = await make();
  await fail(emit, 5);
  const [one, other] = [await emit(), await emit()];
  const begin = (...ids: string[]) =>
    sql`select delivery_id, held from app.begin_webhook_requests(${ids}, 30)`;
  expect(await begin(one.id, other.id)).toEqual([
    { delivery_id: one.id, held: true },
    { delivery_id: other.id, held: true },
  ]);
  await endSuspension(id);
  expect(await begin(one.id, other.id)).toEqual([
    { delivery_id: one.id, held: false },
    { delivery_id: other.id, held: true },
  ]);
  expect(await begin(other.id)).toEqual([{ delivery_id: other.id, held: true }]);
  // The claim of the first one expires with its lease.
  expect(
    (
      await sql`select suspended_until > now() + interval '20 s' as held from webhook_endpoints where id = ${id}`
    )[0],
  ).toEqual({ held: true });
  await endSuspension(id);
  expect(await begin(other.id)).toEqual([{ delivery_id: other.id, held: false }]);
});

test('resuming ends it and resets the failures, and so does activating', async () => {
  const { url, received } = await startEndpoint();
  const { id, emit } = await make(url);
  const { publish } = await startDeliverer();
  for (const end of ['resume', 'reactivate'] as const) {
    await fail(emit, 5);
    const held = await emit();
    await publish(held);
    await waitFor(async () => (await jobOf(held))?.due_at > new Date(Date.now() + 40_000));
    await sql`select ${sql(`admin.${end}_webhook`)}(${id})`;
    expect(await rowOf(id)).toEqual({ status: 'active', failures: 0, suspensions: 0, seconds: null });
    await publish(held);
    await waitFor(async () => (await deliveryRow(sql, held.id))?.status === 'delivered');
  }
  expect(received.length).toBeGreaterThanOrEqual(2);
});
