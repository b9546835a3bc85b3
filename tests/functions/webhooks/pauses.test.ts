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
} from '../../support/webhooks.ts';

const sql = connectDatabase();
const NOBODY = '00000000-0000-4000-8000-00000000ffff';
const rowOf = async (id: string) => (await sql`select * from admin.webhook_endpoints where id = ${id}`)[0];
const jobOf = async (id: string) =>
  (await sql`select * from jobs where name = 'deliver-webhook' and key = ${id}`)[0];

test('a paused webhook gets nothing until it is resumed, and then all of it', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { url, received } = await startEndpoint();
  const { id } = await createWebhook(sql, tenantId, url);
  const { publish } = await startDeliverer();
  await sql`select admin.pause_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ active: false, paused_at: expect.any(Date) });
  const waiting = [await emitOne(sql, tenantId), await emitOne(sql, tenantId)];
  await publish(...waiting);
  for (const delivery of waiting) {
    await waitFor(async () => (await jobOf(delivery.id))?.due_at > new Date(Date.now() + 60_000));
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

test('a deactivated webhook loses what waits; reactivating it sends what comes', async () => {
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
    deactivation_reason: 'an admin deactivated it',
  });
  await publish(lost);
  await waitFor(async () => (await deliveryRow(sql, lost.id))?.status === 'failed');
  await expect(sql`select admin.resume_webhook(${id})`).rejects.toThrow('is deactivated');
  // A pause ends with it.
  await sql`select admin.pause_webhook(${id})`;
  await sql`select admin.reactivate_webhook(${id})`;
  expect(await rowOf(id)).toMatchObject({ active: true, paused_at: null, deactivated_at: null });
  const sent = await emitOne(sql, tenantId);
  await publish(sent);
  await waitFor(async () => (await deliveryRow(sql, sent.id))?.status === 'delivered');
  expect(received).toHaveLength(1);
});

test('what does not exist is refused', async () => {
  await expect(sql`select admin.pause_webhook(${NOBODY})`).rejects.toThrow(/no webhook/);
  await expect(sql`select admin.resume_webhook(${NOBODY})`).rejects.toThrow(/no webhook/);
  await expect(sql`select admin.deactivate_webhook(${NOBODY})`).rejects.toThrow(/no webhook/);
});
