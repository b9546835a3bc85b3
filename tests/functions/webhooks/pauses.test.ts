// Webhooks that admins pause, resume and deactivate.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  createWebhook,
  deliveryRow,
  emitOne,
  startDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const NOBODY = '00000000-0000-4000-8000-00000000ffff';
const rowOf = async (id: string) => (await sql`select * from admin.webhook_endpoints where id = ${id}`)[0];
const jobOf = async (id: string) =>
  (await sql`select * from jobs where name = 'deliver-webhook' and key = ${id}`)[0];

test('a paused webhook gets nothing until it is resumed, and then everything', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  const { publish } = await startDeliverer();
  await sql`select admin.pause_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ active: false, paused_at: expect.any(Date) });
  const waiting = [await emitOne(sql, tenantId), await emitOne(sql, tenantId)];
  await publish(...waiting);
  for (const delivery of waiting) {
    // No process polls for the end of the pause.
    await waitFor(async () => (await jobOf(delivery.id))?.finished_at);
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({ status: 'pending', attempts: 0 });
  }
  expect(
    await sql`select from private.webhook_requests where delivery_id = ${waiting[0]?.id ?? ''}`,
  ).toHaveLength(0);

  await sql`select admin.resume_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ active: true, paused_at: null });
  await publish(...waiting);
  for (const delivery of waiting) {
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
  }
  expect(received).toHaveLength(2);
});

test('a deactivated webhook loses pending deliveries; reactivating it sends later events', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  const { publish } = await startDeliverer();
  const lost = await emitOne(sql, tenantId);
  await sql`select admin.deactivate_webhook(${id})`;
  await sql`select admin.deactivate_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({
    active: false,
    deactivated_at: expect.any(Date),
    deactivation_reason: 'deactivated by an admin',
  });
  await publish(lost);
  await waitFor(async () => (await deliveryRow(sql, lost.id))?.status === 'failed');
  await expect(sql`select admin.resume_webhook(${id})`).rejects.toThrow('is deactivated');
  // It ends a pause.
  await sql`select admin.pause_webhook(${id})`;
  await sql`select admin.reactivate_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ active: true, paused_at: null, deactivated_at: null });
  const sent = await emitOne(sql, tenantId);
  await publish(sent);
  await waitFor(async () => (await deliveryRow(sql, sent.id))?.status === 'delivered');
  expect(received).toHaveLength(1);
});

test('a retry that became due during a pause is sent at its end, and a later one when it is due', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  const { publish } = await startDeliverer();
  await sql`select admin.pause_webhook(${id})`;
  const [due, later, untold] = [
    await emitOne(sql, tenantId),
    await emitOne(sql, tenantId),
    await emitOne(sql, tenantId),
  ];
  await sql`update webhook_deliveries set next_at = now() + interval '1 hour' where id = ${later.id}`;
  await publish(due, later);
  await waitFor(async () => (await jobOf(due.id))?.finished_at);
  // A delivery whose job is already deleted.
  await sql`delete from jobs where id = ${untold.jobId}`;
  await sql`select admin.resume_webhook(${id})`;
  expect((await jobOf(later.id))?.due_at > new Date(Date.now() + 3_000_000)).toBe(true);
  await publish(due);
  await waitFor(() => received.length === 2);
  for (const delivery of [due, untold]) {
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
  }
  expect(await deliveryRow(sql, later.id)).toMatchObject({ status: 'pending', attempts: 0 });
});

test('a pause that ends while a worker postpones a delivery loses nothing', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  await sql`select admin.pause_webhook(${id})`;
  const delivery = await emitOne(sql, tenantId);
  // A worker that has claimed the delivery and read that it is paused, and ends its job while someone resumes the webhook.
  await sql`update jobs set attempts = 1, locked_until = now() + interval '30 s' where id = ${delivery.jobId}`;
  let resumed: Promise<unknown> | undefined;
  await sql.begin(async (worker) => {
    const [until] = await worker`select app.held_until(${delivery.id}) as at`;
    expect(until).toEqual({ at: null });
    const resuming = await sql.reserve();
    const [{ pid } = { pid: 0 }] = await resuming`select pg_backend_pid() as pid`;
    resumed = resuming`select admin.resume_webhook(${id})`.finally(() => resuming.release());
    await waitFor(
      async () => (await sql`select cardinality(pg_blocking_pids(${pid})) as waits`)[0]?.waits === 1,
    );
    await worker`select app.settle_job(${delivery.jobId}, 1, null)`;
  });
  await resumed;
  expect(await jobOf(delivery.id)).toMatchObject({ finished_at: null });
  expect((await jobOf(delivery.id))?.due_at <= new Date()).toBe(true);
  // A later worker learns that the pause has ended.
  expect((await sql`select app.held_until(${delivery.id}) as at`)[0]?.at).toEqual(expect.any(Date));
});

test('a paused webhook that is deactivated keeps nothing', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  const { publish } = await startDeliverer();
  await sql`select admin.pause_webhook(${id})`;
  const held = await emitOne(sql, tenantId);
  await publish(held);
  await waitFor(async () => (await jobOf(held.id))?.finished_at);
  await sql`select admin.deactivate_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ paused_at: null });
  expect(await deliveryRow(sql, held.id)).toMatchObject({
    status: 'failed',
    last_error: 'the webhook is deactivated',
  });
  await sql`select admin.reactivate_webhook(${id})`;
  const sent = await emitOne(sql, tenantId);
  await publish(sent);
  await waitFor(async () => (await deliveryRow(sql, sent.id))?.status === 'delivered');
  expect(received).toHaveLength(1);
});

test('deliveries that wait for longer than 30 days are dropped', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { id } = await createWebhook(sql, tenantId, 'https://hooks.example.invalid/x');
  await sql`select admin.pause_webhook(${id})`;
  const [old, young] = [await emitOne(sql, tenantId), await emitOne(sql, tenantId)];
  await sql`update webhook_deliveries set created_at = now() - interval '31 days' where id = ${old.id}`;
  await sql`select app.drop_expired('webhook_deliveries')`;
  expect(await deliveryRow(sql, old.id)).toMatchObject({
    status: 'failed',
    last_error: expect.stringContaining('paused'),
  });
  expect(await deliveryRow(sql, young.id)).toMatchObject({ status: 'pending' });
});

test('unknown webhooks are rejected', async () => {
  await expect(sql`select admin.pause_webhook(${NOBODY})`).rejects.toThrow(/webhook \S+ does not exist/);
  await expect(sql`select admin.resume_webhook(${NOBODY})`).rejects.toThrow(/webhook \S+ does not exist/);
  await expect(sql`select admin.deactivate_webhook(${NOBODY})`).rejects.toThrow(/webhook \S+ does not exist/);
});
