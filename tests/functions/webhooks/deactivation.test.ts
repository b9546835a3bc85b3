// Endpoints that do not work are deactivated, and their owner is notified once. Missed events can be replayed.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  answer,
  createWebhook,
  type Deliverer,
  deliveryRow,
  emitOne,
  replay,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();

async function createOwnedTenant() {
  const { id } = await createTenant(sql);
  const owner = `owner-${id}@example.com`;
  await sql`update tenants set owner_email = ${owner} where id = ${id}`;
  return { id, owner };
}

const endpointRow = async (id: string) =>
  (await sql`select * from admin.webhook_endpoints where id = ${id}`)[0];

/** Attempts this many deliveries once each, one after the other, without delays. */
async function attemptMany(tenantId: string, count: number, { publish }: Pick<Deliverer, 'publish'>) {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    await sql`
      update webhook_endpoints set suspended_until = now()
      where tenant_id = ${tenantId} and suspended_until is not null`;
    const delivery = await emitOne(sql, tenantId);
    await publish(delivery);
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.attempts === 1);
    ids.push(delivery.id);
  }
  return ids;
}

describe('ten failures in a row', () => {
  test('deactivate the endpoint and send its owner one email', async () => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint(answer(500));
    const { id } = await createWebhook(sql, tenant.id, url);
    const worker = await startDenoDeliverer({ WEBHOOK_DEACTIVATION_MIN_SPAN_SECONDS: '0' });
    const [firstId = ''] = await attemptMany(tenant.id, 9, worker);
    const waiting = await emitOne(sql, tenant.id);
    const plan = (when: string) =>
      sql`update jobs set due_at = now() + ${when}::interval where id = ${waiting.jobId}`;
    await plan('1 hour');
    expect(await endpointRow(id)).toMatchObject({ active: true, consecutive_failures: 9 });
    const [tenth = ''] = await attemptMany(tenant.id, 1, worker);

    expect(await endpointRow(id)).toMatchObject({
      active: false,
      consecutive_failures: 10,
      deactivated_at: expect.any(Date),
      deactivation_reason: expect.stringContaining('10 consecutive attempts failed'),
    });
    expect(await deliveryRow(sql, tenth)).toMatchObject({ status: 'failed', attempts: 1 });
    expect(await deliveryRow(sql, firstId)).toMatchObject({ status: 'pending' });

    // A delivery in progress is dropped without being sent.
    await plan('0');
    await worker.publish(waiting);
    await waitFor(async () => (await deliveryRow(sql, waiting.id))?.status === 'failed');
    expect(received).toHaveLength(10);
    expect(await deliveryRow(sql, waiting.id)).toMatchObject({
      attempts: 0,
      last_error: 'the webhook is deactivated',
    });

    const mails = async () => {
      const list = (await (await fetch(inject('stack').mail_url)).json()) as { to: string[]; text: string }[];
      return list.filter(({ to }) => to.includes(tenant.owner));
    };
    // One when it was suspended, and one at the end.
    await waitFor(
      async () =>
        (
          await sql`select from jobs where tenant_id = ${tenant.id} and name = 'send-mail' and finished_at is not null`
        ).length === 2,
    );
    await waitFor(async () => (await mails()).length === 2);
    expect(await mails()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ subject: 'Webhook suspended', text: expect.stringContaining(url) }),
        expect.objectContaining({ subject: 'Webhook deactivated', text: expect.stringContaining(url) }),
      ]),
    );
  });

  test('counts over all deliveries, including retries', async () => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint(answer(500));
    const { id } = await createWebhook(sql, tenant.id, url);
    const { publish, mailsTo } = await startDeliverer({ minSpanSeconds: 0, schedule: [0, 0, 0, 0] });
    const deliveries = [await emitOne(sql, tenant.id), await emitOne(sql, tenant.id)];
    await publish(...deliveries);
    await waitFor(async () => (await endpointRow(id))?.active === false);
    await waitFor(async () => (await mailsTo(tenant.owner)).length === 2);
    expect(received).toHaveLength(10);
  });

  test('concurrently deactivate it once', async () => {
    const tenant = await createOwnedTenant();
    const { url } = await startEndpoint(answer(500));
    const { id } = await createWebhook(sql, tenant.id, url);
    await sql`
      update webhook_endpoints set consecutive_failures = 9, first_failure_at = now() - interval '1 hour' where id = ${id}`;
    const { publish, mailsTo } = await startDeliverer();
    const deliveries = await Promise.all(Array.from({ length: 8 }, () => emitOne(sql, tenant.id)));
    await publish(...deliveries);
    await waitFor(
      async () =>
        (await sql`select from webhook_deliveries where tenant_id = ${tenant.id} and status = 'failed'`)
          .length === 8,
    );
    await waitFor(async () => (await mailsTo(tenant.owner)).length === 1);
    expect(await sql`select from jobs where tenant_id = ${tenant.id} and name = 'send-mail'`).toHaveLength(1);
  });

  test('within less than the minimum time do not deactivate it; the next one after it does', async () => {
    const tenant = await createOwnedTenant();
    const { url } = await startEndpoint(answer(500));
    const { id } = await createWebhook(sql, tenant.id, url);
    const worker = await startDeliverer();
    const mailsSent = async () => (await worker.mailsTo(tenant.owner)).length;
    await attemptMany(tenant.id, 12, worker);
    expect(await endpointRow(id)).toMatchObject({ active: true, consecutive_failures: 12 });
    await sql`update webhook_endpoints set first_failure_at = now() - interval '60 seconds' where id = ${id}`;
    // It was suspended.
    await waitFor(async () => (await mailsSent()) === 1);
    await attemptMany(tenant.id, 1, worker);
    expect(await endpointRow(id)).toMatchObject({ active: false });
    await waitFor(async () => (await mailsSent()) === 2);
  });

  test('nine and a success reset the count', async () => {
    const tenant = await createOwnedTenant();
    const { url } = await startEndpoint((response, n) => response.writeHead(n === 9 ? 200 : 500).end());
    const { id } = await createWebhook(sql, tenant.id, url);
    const worker = await startDeliverer({ minSpanSeconds: 0 });
    await attemptMany(tenant.id, 9, worker);
    expect(await endpointRow(id)).toMatchObject({
      consecutive_failures: 9,
      first_failure_at: expect.any(Date),
    });
    await attemptMany(tenant.id, 1, worker);
    expect(await endpointRow(id)).toMatchObject({
      active: true,
      consecutive_failures: 0,
      first_failure_at: null,
    });
    await attemptMany(tenant.id, 1, worker);
    expect(await endpointRow(id)).toMatchObject({ active: true, consecutive_failures: 1 });
  });
});

test('410 deactivates immediately', async () => {
  const tenant = await createOwnedTenant();
  const { url } = await startEndpoint(answer(410));
  const { id } = await createWebhook(sql, tenant.id, url);
  const { publish, mailsTo } = await startDeliverer();
  const delivery = await emitOne(sql, tenant.id);
  await publish(delivery);
  await waitFor(async () => (await endpointRow(id))?.active === false);
  expect(await deliveryRow(sql, delivery.id)).toMatchObject({
    status: 'failed',
    last_status: 410,
    attempts: 1,
  });
  const [mail] = await waitFor(async () => {
    const mails = await mailsTo(tenant.owner);
    return mails.length === 1 && mails;
  });
  expect(mail?.text).toContain('410');
});

describe('emails to the owner are limited to', () => {
  const mailsOf = (tenantId: string) =>
    sql`select from jobs where tenant_id = ${tenantId} and name = 'send-mail' order by created_at`;
  /** As an attempt does whose response was 410. */
  const deactivate = (id: string) =>
    sql`select private.deactivate_webhook(${id}, 'the receiver responded with 410 Gone')`;

  test('one per webhook in 24 hours, regardless of reactivations', async () => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint(answer(410));
    const { id } = await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer();
    for (const round of [1, 2, 3]) {
      await publish(await emitOne(sql, tenant.id));
      await waitFor(async () => (await endpointRow(id))?.active === false);
      expect(received).toHaveLength(round);
      await sql`select admin.reactivate_webhook(${id})`;
    }
    expect(await mailsOf(tenant.id)).toHaveLength(1);
    await sql`update private.webhook_mails set sent_at = sent_at - interval '1 day' where tenant_id = ${tenant.id}`;
    await deactivate(id);
    expect(await mailsOf(tenant.id)).toHaveLength(2);
  });

  test('ten per tenant in 24 hours, including deleted webhooks and concurrent ones', async () => {
    const [tenant, other] = [await createOwnedTenant(), await createOwnedTenant()];
    const make = async (tenantId: string, n: number) =>
      (await createWebhook(sql, tenantId, `https://h${n}.example.invalid/`)).id;
    const first = await make(tenant.id, 0);
    await deactivate(first);
    await sql`delete from webhook_endpoints where id = ${first}`;
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => make(tenant.id, n)));
    await Promise.all(ids.map(deactivate));
    expect(await mailsOf(tenant.id)).toHaveLength(10);
    for (const id of ids) expect(await endpointRow(id)).toMatchObject({ active: false });
    await deactivate(await make(other.id, 0));
    expect(await mailsOf(other.id)).toHaveLength(1);
  });
});

describe('a replay', () => {
  test('while a retry is pending makes one attempt immediately', async () => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint((response, n) => response.writeHead(n ? 200 : 500).end());
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer({ schedule: [3600, 3600] });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    const retry = await waitFor(async () => {
      const [planned] = await sql`select due_at, locked_until from jobs where id = ${delivery.jobId}`;
      return planned?.locked_until === null && planned.due_at > new Date() && (planned.due_at as Date);
    });
    const job = await replay(sql, delivery.id);
    await publish(job);
    await waitFor(() => received.length === 2);
    expect(received[1]?.atMs).toBeLessThan(retry.getTime());
    // The scheduled retry and its message become due, and find nothing to do.
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
    await sql`update jobs set due_at = now() where id = ${delivery.jobId} and finished_at is null`;
    await publish(delivery, job);
    await waitFor(
      async () =>
        (await sql`select from jobs where id = ${job.jobId} and finished_at is not null`).length === 1,
    );
    expect(received).toHaveLength(2);
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(received[1]?.headers['webhook-id']).toBe(delivery.id);
  });

  test('during an attempt is that attempt', async () => {
    const tenant = await createOwnedTenant();
    let finish = () => {};
    const { url, received } = await startEndpoint((response) => {
      finish = () => response.end();
    });
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer();
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await waitFor(() => received.length === 1);
    const job = await replay(sql, delivery.id);
    expect(job).toEqual(delivery);
    await publish(job);
    finish();
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
    expect(received).toHaveLength(1);
  });

  test.each([200, 500])('of one that ended with %i has the same id and a new schedule', async (status) => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint(answer(status));
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer({ schedule: [0] });
    const ended = status === 200 ? 'delivered' : 'failed';
    const attempts = status === 200 ? 1 : 2;
    let delivery = await emitOne(sql, tenant.id);
    for (const round of [1, 2, 3]) {
      if (round > 1) delivery = await replay(sql, delivery.id);
      expect(await deliveryRow(sql, delivery.id)).toMatchObject({ status: 'pending' });
      await publish(delivery);
      await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === ended);
      expect(received).toHaveLength(round * attempts);
      expect(await deliveryRow(sql, delivery.id)).toMatchObject({ attempts: round * attempts });
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.id]));
  });

  test('to a deactivated endpoint is rejected, and works once it is active again', async () => {
    const tenant = await createOwnedTenant();
    const { url, received } = await startEndpoint((response, n) => response.writeHead(n ? 200 : 410).end());
    const { id } = await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer();
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await waitFor(async () => (await endpointRow(id))?.active === false);
    await expect(replay(sql, delivery.id)).rejects.toThrow(/deactivated/);
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({ status: 'failed' });

    await sql`select admin.reactivate_webhook(${id})`;
    expect(await endpointRow(id)).toMatchObject({
      active: true,
      consecutive_failures: 0,
      first_failure_at: null,
      deactivated_at: null,
      deactivation_reason: null,
    });
    await publish(await replay(sql, delivery.id));
    await waitFor(async () => (await deliveryRow(sql, delivery.id))?.status === 'delivered');
    expect(received).toHaveLength(2);
  });

  test('of an unknown delivery is rejected', async () => {
    await expect(sql`select admin.replay_delivery('whd_none')`).rejects.toThrow(
      /delivery whd_none does not exist/,
    );
  });
});
