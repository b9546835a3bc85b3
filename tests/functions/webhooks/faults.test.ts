// Deliveries happen at least once, and not more often than necessary.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  answer,
  attemptsOf,
  createWebhook,
  deliveryRow,
  emit,
  emitOne,
  recordAttempt,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();

const delivered = (id: string) => waitFor(async () => (await deliveryRow(sql, id))?.status === 'delivered');

test('two workers on one delivery make one POST', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint();
  await createWebhook(sql, tenant.id, url);
  const workers = [await startDeliverer(), await startDeliverer(), await startDenoDeliverer()];
  const delivery = await emitOne(sql, tenant.id);
  await Promise.all(
    workers.flatMap(({ publish }) => [publish(delivery), publish(delivery), publish(delivery)]),
  );
  await delivered(delivery.id);
  await waitFor(
    async () =>
      (await sql`select from jobs where id = ${delivery.jobId} and finished_at is not null`).length === 1,
  );
  for (const { publish } of workers) await publish(delivery);
  expect(received).toHaveLength(1);
  expect(await attemptsOf(sql, delivery.id)).toHaveLength(1);
});

test('a worker that is killed after the POST and before its record: delivered again with the same id', async () => {
  const tenant = await createTenant(sql);
  let crash = () => {};
  const { url, received } = await startEndpoint((response, n) => {
    if (n === 0) crash();
    response.end();
  });
  await createWebhook(sql, tenant.id, url);
  const worker = await startDenoDeliverer();
  crash = worker.crash;
  const delivery = await emitOne(sql, tenant.id);
  await worker.publish(delivery);
  await waitFor(() => received.length === 1);
  expect(await deliveryRow(sql, delivery.id)).toMatchObject({ status: 'pending', attempts: 0 });
  // Its lease expires.
  await sql`update jobs set locked_until = now() where id = ${delivery.jobId}`;
  await waitFor(async () => {
    await worker.publish(delivery);
    return (await deliveryRow(sql, delivery.id))?.status === 'delivered';
  });
  expect(received).toHaveLength(2);
  expect(received[1]?.headers['webhook-id']).toBe(delivery.id);
  expect(received[1]?.body).toBe(received[0]?.body);
});

test('a worker that died after its record does not send again before the retry is due', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint(answer(500));
  await createWebhook(sql, tenant.id, url);
  const { publish } = await startDeliverer({ schedule: [3600] });
  const delivery = await emitOne(sql, tenant.id);
  await sql`update webhook_deliveries set next_at = now() + interval '1 hour' where id = ${delivery.id}`;
  await publish(delivery);
  const job = await waitFor(async () => {
    const [row] = await sql`select * from jobs where id = ${delivery.jobId}`;
    return row?.due_at > new Date() && row;
  });
  expect(job.due_at).toEqual((await deliveryRow(sql, delivery.id))?.next_at);
  expect(received).toEqual([]);
});

test('a worker that died after its record of a success does not send again', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint();
  await createWebhook(sql, tenant.id, url);
  const { publish } = await startDeliverer();
  const delivery = await emitOne(sql, tenant.id);
  await recordAttempt(sql, delivery.id, 200);
  await publish(delivery);
  await waitFor(
    async () =>
      (await sql`select from jobs where id = ${delivery.jobId} and finished_at is not null`).length === 1,
  );
  expect(received).toEqual([]);
});

test('a late failure of a worker does not undo the success of another one', async () => {
  const tenant = await createTenant(sql);
  await createWebhook(sql, tenant.id, 'https://example.com/');
  const { id } = await emitOne(sql, tenant.id);
  await recordAttempt(sql, id, 200);
  await recordAttempt(sql, id, 500, 'late');
  expect(await deliveryRow(sql, id)).toMatchObject({ status: 'delivered', next_at: null });
  expect(await attemptsOf(sql, id)).toHaveLength(2);
});

test('an unreachable endpoint does not delay the others', async () => {
  const tenant = await createTenant(sql);
  const dead = await startEndpoint(() => {});
  const alive = await startEndpoint();
  await createWebhook(sql, tenant.id, dead.url, ['invoice.failed']);
  await createWebhook(sql, tenant.id, alive.url, ['payout.paid']);
  // The killed worker is awaited until after the test.
  const { publish } = await startDeliverer({ timeoutMs: 3_600_000 });
  const toDead = await Promise.all(
    Array.from({ length: 12 }, () => emitOne(sql, tenant.id, { type: 'invoice.failed' })),
  );
  const toAlive = await Promise.all(Array.from({ length: 12 }, () => emitOne(sql, tenant.id)));
  await publish(...toDead, ...toAlive);
  for (const { id } of toAlive) await delivered(id);
  await waitFor(() => dead.received.length >= 4);
  expect(dead.mostAtOnce()).toBe(4);
});

test('QStash unreachable and back: the sweep publishes deliveries without a message', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint((response, n) => response.writeHead(n ? 200 : 500).end());
  await createWebhook(sql, tenant.id, url);
  const { publish, qstashProxy } = await startDeliverer({ schedule: [0] });
  qstashProxy.cut();
  const [delivery] = await emit(sql, tenant.id, { swept: true });
  if (!delivery) throw new Error('there is no delivery');
  await publish(delivery);
  await waitFor(async () => (await deliveryRow(sql, delivery.id))?.attempts === 1);
  await waitFor(
    async () =>
      (await sql`select from jobs where id = ${delivery.jobId} and locked_until is null`).length === 1,
  );
  qstashProxy.restore();
  await sweepNow();
  await delivered(delivery.id);
  expect(received).toHaveLength(2);
});

test('deleting an endpoint deletes its history, and its jobs find nothing to do', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint(answer(500));
  const { id } = await createWebhook(sql, tenant.id, url);
  const { publish } = await startDeliverer();
  const tried = await emitOne(sql, tenant.id);
  await publish(tried);
  await waitFor(async () => (await attemptsOf(sql, tried.id)).length === 1);
  const untried = await emitOne(sql, tenant.id);
  await sql`delete from webhook_endpoints where id = ${id}`;
  expect(await attemptsOf(sql, tried.id)).toEqual([]);
  await publish(untried);
  await waitFor(
    async () => (await sql`select from jobs where id = ${untried.jobId} and finished_at is not null`).length,
  );
  expect(received).toHaveLength(1);
});
