// Deliveries to an endpoint, and their retries.
import { randomInt } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.ts';
import { jitter } from '../../../shared/platform/jobs/retry-schedule.ts';
import type { Network } from '../../../shared/webhooks/delivery/network.ts';
import { paySignature, serviceSignature } from '../../../shared/webhooks/delivery/signed-request.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  answer,
  asTheyAre,
  attemptsOf,
  createWebhook,
  deliveryRow,
  type EmittedDelivery,
  emit,
  emitOne,
  nodeNetwork,
  type Received,
  replay,
  startDeliverer,
  startDenoDeliverer,
  startEndpoint,
} from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const NEVER_AGAIN: number[] = [];

const settled = (id: string, status: string) =>
  waitFor(async () => (await deliveryRow(sql, id))?.status === status);

const bytes = (text: string) => new TextEncoder().encode(text);
const verify = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describe('a delivery', () => {
  test('has the event and the headers of payments, and both signatures verify', async () => {
    const tenant = await createTenant(sql);
    const { url, received } = await startEndpoint();
    const { id: endpointId, secret } = await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer();
    const data = { id: 'inv_1', description: 'Consulta – José \u{1F600}', amount: 99_999_999_999 };
    const delivery = await emitOne(sql, tenant.id, { type: 'invoice.paid', data });
    await publish(delivery);
    await settled(delivery.id, 'delivered');

    const [event] = await sql`select * from events where tenant_id = ${tenant.id}`;
    const [request] = received;
    if (!request) throw new Error('nothing came');
    expect(JSON.parse(request.body)).toEqual({
      id: event?.id,
      type: 'invoice.paid',
      created_at: event?.created_at.toISOString(),
      data,
    });
    const { headers } = request;
    const timestamp = Number(headers['webhook-timestamp']);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Placar/),
      'x-pay-event': 'invoice.paid',
      'x-pay-delivery': delivery.id,
      'x-pay-signature': paySignature([secret], timestamp, bytes(request.body)),
      'webhook-id': delivery.id,
    });
    expect(verify(secret, request)).toEqual(JSON.parse(request.body));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({
      endpoint_id: endpointId,
      attempts: 1,
      next_at: null,
      last_status: 200,
      last_error: null,
    });
  });

  test('of a webhook made by SQL is signed with a key that its first deliveries create', async () => {
    const tenant = await createTenant(sql);
    const { url, received } = await startEndpoint();
    const { id } = await createWebhook(sql, tenant.id, url);
    const publicKey = async () =>
      (await sql`select public_key from webhook_endpoints where id = ${id}`)[0]?.public_key;
    expect(await publicKey()).toBeNull();
    const { publish } = await startDeliverer();
    const deliveries = await Promise.all([1, 2, 3, 4, 5, 6].map(() => emitOne(sql, tenant.id)));
    // Each message has its own worker, and each worker creates a key.
    await Promise.all(deliveries.map((delivery) => publish(delivery)));
    await waitFor(() => received.length === 6);
    const key = await publicKey();
    for (const { headers, body } of received) {
      expect(await verifyWebhook({ headers, body }, key)).toHaveProperty('id');
    }
    const shown = await sql`select to_jsonb(w)::text as all from webhook_endpoints w where id = ${id}`;
    const [kept] = await sql`select private_key from private.webhook_keys where endpoint_id = ${id}`;
    expect(shown[0]?.all).not.toContain(kept?.private_key);
  });

  test('of records has the headers of records, and secret-based ones only with a secret', async () => {
    const tenant = await createTenant(sql);
    const signed = await startEndpoint();
    const unsigned = await startEndpoint();
    const insert = async (url: string) => {
      const [row] = await sql`
        insert into webhook_endpoints (tenant_id, interface, url, variant) values (${tenant.id}, 'records', ${url}, 'b')
        returning id`;
      return row?.id;
    };
    const [signedId] = [await insert(signed.url), await insert(unsigned.url)];
    await sql`insert into private.webhook_secrets (endpoint_id, secret) values (${signedId}, 'their own secret')`;
    const { publish } = await startDeliverer({
      renderers: {
        ...asTheyAre,
        records: ({ id, createdAt, variant, type, data }) => ({
          id,
          type,
          created_at: createdAt,
          data: { variant, type, data },
        }),
      },
    });
    const deliveries = await emit(sql, tenant.id, {
      interface: 'records',
      type: 'lead.created',
      data: { a: 1 },
    });
    await publish(...deliveries);
    await waitFor(() => signed.received.length === 1 && unsigned.received.length === 1);

    const [request] = signed.received;
    expect(JSON.parse(request?.body ?? '').data).toEqual({
      variant: 'b',
      type: 'lead.created',
      data: { a: 1 },
    });
    expect(request?.headers).toMatchObject({
      'x-service-event': 'lead.created',
      'x-service-delivery': request?.headers['webhook-id'],
      'x-service-signature': serviceSignature('their own secret', bytes(request?.body ?? '')),
      'webhook-signature': expect.stringMatching(/^v1,[^ ]+ v1a,[^ ]+$/),
    });
    const names = Object.keys(unsigned.received[0]?.headers ?? {});
    expect(names).toContain('webhook-id');
    expect(names.filter((name) => name.endsWith('-signature') || name.startsWith('x-pay'))).toEqual([
      'webhook-signature',
    ]);
    expect(unsigned.received[0]?.headers['webhook-signature']).toMatch(/^v1a,[^ ]+$/);
  });

  test('goes to active endpoints of that tenant and interface that subscribe to the type', async () => {
    const [tenant, other] = [await createTenant(sql), await createTenant(sql)];
    const all = await createWebhook(sql, tenant.id, 'https://example.com/all');
    const paid = await createWebhook(sql, tenant.id, 'https://example.com/paid', [
      'invoice.paid',
      'payout.paid',
    ]);
    await createWebhook(sql, tenant.id, 'https://example.com/failed', ['invoice.failed']);
    await createWebhook(sql, other.id, 'https://example.com/other');
    const off = await createWebhook(sql, tenant.id, 'https://example.com/off');
    await sql`update webhook_endpoints set active = false where id = ${off.id}`;
    await sql`
      insert into webhook_endpoints (tenant_id, interface, url) values (${tenant.id}, 'records', 'https://example.com/r')`;
    const deliveries = await emit(sql, tenant.id);
    const rows = await sql`
      select d.endpoint_id, j.lane, j.payload from webhook_deliveries d join jobs j on j.key = d.id
      where d.id in ${sql(deliveries.map(({ id }) => id))}`;
    expect(rows.map((row) => row.endpoint_id).sort()).toEqual([all.id, paid.id].sort());
    for (const { lane, endpoint_id: id } of rows) expect(lane).toBe(`webhook-${id}`);
  });
});

describe('retries', () => {
  test('follow the schedule with the same id and new timestamps, then it fails once', async () => {
    const tenant = await createTenant(sql);
    const { url, received } = await startEndpoint(answer(500));
    const { secret } = await createWebhook(sql, tenant.id, url);
    const { publish } = await startDenoDeliverer({ WEBHOOK_RETRY_SCHEDULE: '1,1,2,1,1' });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await settled(delivery.id, 'failed');

    expect(received).toHaveLength(6);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery.id]));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const timestamps = received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(new Set(timestamps).size).toBe(6);
    for (const request of received) verify(secret, request);
    const gaps = received.slice(1).map(({ atMs }, i) => atMs - (received[i]?.atMs ?? 0));
    expect(gaps[2]).toBeGreaterThanOrEqual(2000);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);

    const attempts = await attemptsOf(sql, delivery.id);
    expect(attempts).toHaveLength(6);
    expect(attempts[0]).toMatchObject({ response_status: 500, error: 'the receiver responded with 500' });
    // The job ends in a separate transaction, after that of the attempt.
    const job = await waitFor(
      async () => (await sql`select * from jobs where id = ${delivery.jobId} and finished_at is not null`)[0],
    );
    expect(job).toMatchObject({ attempts: 6, failed_at: null });
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({
      attempts: 6,
      next_at: null,
      last_status: 500,
    });
  });

  test('end with the first success', async () => {
    const tenant = await createTenant(sql);
    const { url, received } = await startEndpoint((response, n) =>
      response.writeHead(n === 2 ? 204 : 503).end(),
    );
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer({ schedule: [0, 0, 0] });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await settled(delivery.id, 'delivered');
    expect(received).toHaveLength(3);
  });

  test('follow the documented schedule', async () => {
    const tenant = await createTenant(sql);
    const { url } = await startEndpoint(answer(500));
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDenoDeliverer();
    const delivery = await emitOne(sql, tenant.id);
    for (const [n, seconds] of [60, 300, 1800, 7200, 43_200].entries()) {
      await publish(delivery);
      const row = await waitFor(async () => {
        const now = await deliveryRow(sql, delivery.id);
        const [job] = await sql`select * from jobs where id = ${delivery.jobId}`;
        return now?.attempts === n + 1 && job?.due_at.getTime() === now?.next_at?.getTime() ? now : undefined;
      });
      expect(Math.round((row.next_at - row.updated_at) / 1000)).toBe(
        jitter(seconds, { id: delivery.id, failures: n }),
      );
      await sql`update webhook_deliveries set next_at = now() where id = ${delivery.id}`;
      await sql`update jobs set due_at = now() where id = ${delivery.jobId}`;
    }
    // The fifth failure suspended the endpoint, for less time than until the sixth attempt.
    await sql`update webhook_endpoints set suspended_until = now() where tenant_id = ${tenant.id}`;
    await publish(delivery);
    await settled(delivery.id, 'failed');
  });

  test.each([
    [429, '7200', 7200],
    [503, '7200', 7200],
    [503, '1', undefined],
    [500, '7200', undefined],
  ])('%i with Retry-After: %s waits for %s s, otherwise by the schedule', async (status, after, seconds) => {
    const tenant = await createTenant(sql);
    const { url } = await startEndpoint(answer(status, { 'Retry-After': after }));
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer({ schedule: [60] });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    const row = await waitFor(async () => {
      const now = await deliveryRow(sql, delivery.id);
      return now?.attempts === 1 ? now : undefined;
    });
    expect(Math.round((row.next_at - row.updated_at) / 1000)).toBe(
      seconds ?? jitter(60, { id: delivery.id, failures: 0 }),
    );
  });

  test('redirects are not followed, and a large response is stored truncated', async () => {
    const tenant = await createTenant(sql);
    const target = await startEndpoint();
    const { url } = await startEndpoint((response) => {
      response.writeHead(302, { Location: target.url }).end(Buffer.alloc(10 * 1024 * 1024, 'x'));
    });
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDenoDeliverer();
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    const [attempt] = await waitFor(async () => {
      const rows = await attemptsOf(sql, delivery.id);
      return rows.length > 0 && rows;
    });
    expect(attempt).toMatchObject({ response_status: 302, response_excerpt: 'x'.repeat(2048) });
    expect(target.received).toEqual([]);
  });

  test('a receiver that never ends its response is aborted', async () => {
    const tenant = await createTenant(sql);
    const { url } = await startEndpoint((response) => void response.writeHead(200).write('and so on'));
    await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer({ timeoutMs: 300, schedule: NEVER_AGAIN });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await settled(delivery.id, 'failed');
    expect((await deliveryRow(sql, delivery.id))?.last_error).toBe('no complete response within 300 ms');
  });

  test('a forbidden address counts as a failed attempt', async () => {
    const tenant = await createTenant(sql);
    // Host names are resolved when something is sent. This one is the local machine, which is allowed only in local use.
    await createWebhook(sql, tenant.id, 'https://localhost/latest/meta-data');
    const { publish } = await startDenoDeliverer({
      WEBHOOK_RETRY_SCHEDULE: '0',
      ALLOW_INSECURE_WEBHOOKS: 'false',
    });
    const delivery = await emitOne(sql, tenant.id);
    await publish(delivery);
    await settled(delivery.id, 'failed');
    expect(await deliveryRow(sql, delivery.id)).toMatchObject({
      attempts: 2,
      last_status: null,
      last_error: expect.stringContaining('reserved address'),
    });
  });
});

describe('a rotated secret', () => {
  test('also signs for 24 hours, and only the newest old one', async () => {
    const tenant = await createTenant(sql);
    const { url, received } = await startEndpoint();
    const { id, secret: first } = await createWebhook(sql, tenant.id, url);
    const { publish } = await startDeliverer();
    const rotate = async (): Promise<string> =>
      (await sql`select admin.rotate_webhook_secret(${id}) as secret`)[0]?.secret;
    const next = async () => {
      const delivery = await emitOne(sql, tenant.id);
      await publish(delivery);
      await settled(delivery.id, 'delivered');
      const request = received.at(-1);
      if (!request) throw new Error('nothing came');
      const timestamp = Number(request.headers['webhook-timestamp']);
      const expected = (secrets: string[]) => paySignature(secrets, timestamp, bytes(request.body));
      return { request, signature: request.headers['x-pay-signature'], expected };
    };

    const second = await rotate();
    const during = await next();
    expect(during.signature).toBe(during.expected([second, first]));
    expect(during.signature?.toString().match(/v1=/g)).toHaveLength(2);
    for (const secret of [first, second]) verify(secret, during.request);

    const third = await rotate();
    const again = await next();
    expect(again.signature).toBe(again.expected([third, second]));
    expect(() => verify(first, again.request)).toThrow();

    const [kept] = await sql`
      select expires_at - now() as rest from private.webhook_secrets where endpoint_id = ${id} and expires_at is not null`;
    expect(kept?.rest).toMatch(/^23:59:/);
    await sql`
      update private.webhook_secrets set expires_at = now() where endpoint_id = ${id} and expires_at is not null`;
    const after = await next();
    expect(after.signature).toBe(after.expected([third]));
  });
});

test('pending deliveries are dropped unsent once the webhook no longer has their event; a replay is rejected', async () => {
  const tenant = await createTenant(sql);
  const { url, received } = await startEndpoint(answer(500));
  const { id } = await createWebhook(sql, tenant.id, url, ['payout.paid', 'invoice.paid']);
  const { publish } = await startDeliverer({ schedule: [0, 3600] });
  const [waiting, other] = [
    await emitOne(sql, tenant.id),
    await emitOne(sql, tenant.id, { type: 'invoice.paid' }),
  ];
  await sql`update webhook_endpoints set events = '{invoice.paid}' where id = ${id}`;
  await publish(waiting, other);
  await settled(waiting.id, 'failed');
  await waitFor(() => received.length === 2);
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([other.id, other.id]);
  expect(await deliveryRow(sql, waiting.id)).toMatchObject({
    attempts: 0,
    last_error: 'the webhook does not subscribe to payout.paid',
  });
  expect(await sql`select from private.webhook_requests where delivery_id = ${waiting.id}`).toHaveLength(0);
  await expect(replay(sql, waiting.id)).rejects.toThrow('does not subscribe to payout.paid');
  await sql`update webhook_endpoints set events = null where id = ${id}`;
  await publish(await replay(sql, waiting.id));
  await waitFor(() => received.length > 2);
});

describe('at most 25 concurrent requests over all tenants; the others wait for a slot', () => {
  /** The endpoint by host name. */
  const at = (url: string, name: string) => url.replace(new URL(url).hostname, name);

  /** A receiver that holds requests, at an address that no other host name resolves to. */
  async function startSlow() {
    const held: (() => void)[] = [];
    const endpoint = await startEndpoint((response) => {
      if (held.length < 25) held.push(() => response.end());
      else response.end();
    });
    const address = `8.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
    const own = nodeNetwork();
    const { hostname } = new URL(endpoint.url);
    const network: Network = {
      resolve: async () => [address],
      connect: (_, port, serverName, signal) => own.connect(hostname, port, serverName, signal),
    };
    const release = () => {
      for (const one of held) one();
    };
    return { ...endpoint, address, network, release };
  }

  /** Four deliveries each to nine endpoints: more than the available slots. */
  async function emitMany(urlOf: (n: number) => string): Promise<EmittedDelivery[]> {
    const deliveries: EmittedDelivery[] = [];
    for (let n = 0; n < 9; n++) {
      const { id } = await createTenant(sql);
      await createWebhook(sql, id, urlOf(n));
      for (let i = 0; i < 4; i++) deliveries.push(await emitOne(sql, id));
    }
    return deliveries;
  }

  const claimed = (deliveries: EmittedDelivery[]) => sql`
    select from jobs where name = 'deliver-webhook' and key in ${sql(deliveries.map(({ id }) => id))} and attempts > 0`;
  const placesOf = (host: string) => sql`select from private.webhook_requests where host = ${host}`;
  const suffix = `${crypto.randomUUID()}.example`;

  test.each([
    ['to one host', () => `h.${suffix}`],
    ['to one address, by whatever names', (n: number) => `h${n}.${suffix}`],
  ])('%s', async (_, nameOf) => {
    const { url, received, mostAtOnce, network, address, release } = await startSlow();
    const { publish } = await startDeliverer({ network });
    const deliveries = await emitMany((n) => at(url, nameOf(n)));
    await publish(...deliveries);
    await waitFor(async () => received.length === 25 && (await claimed(deliveries)).length === 36);
    release();
    for (const { id } of deliveries) await settled(id, 'delivered');
    expect([received.length, mostAtOnce()]).toEqual([36, 25]);
    expect(await placesOf(nameOf(0))).toHaveLength(0);
    expect(await placesOf(address)).toHaveLength(0);
  });

  test('if a name resolves elsewhere than before, the slots of the new address', async () => {
    const { url, received, network, address, release } = await startSlow();
    const before = address.replace('8.', '9.');
    let current = before;
    const { publish } = await startDeliverer({ network: { ...network, resolve: async () => [current] } });
    const { id } = await createTenant(sql);
    const host = `moving.${suffix}`;
    await createWebhook(sql, id, at(url, host));
    const routes = () =>
      sql`select addresses from private.webhook_routes r join webhook_endpoints w on w.id = r.endpoint_id where w.tenant_id = ${id}`;
    for (const leadsTo of [before, address]) {
      current = leadsTo;
      const count = received.length + 1;
      const delivery = await emitOne(sql, id);
      await publish(delivery);
      await waitFor(() => received.length === count);
      for (const place of [host, leadsTo]) expect(await placesOf(place)).toHaveLength(1);
      expect(await routes()).toEqual([{ addresses: [leadsTo] }]);
      release();
      await settled(delivery.id, 'delivered');
    }
    expect(await placesOf(before)).toHaveLength(0);
  });

  test('if the previous address has no free slot: uses the address of the name at that time', async () => {
    const { url, received, network, address, release } = await startSlow();
    const before = address.replace('8.', '9.');
    let current = before;
    const { publish } = await startDeliverer({ network: { ...network, resolve: async () => [current] } });
    const { id } = await createTenant(sql);
    await createWebhook(sql, id, at(url, `full.${suffix}`));
    const first = await emitOne(sql, id);
    await publish(first);
    await waitFor(() => received.length === 1);
    release();
    await settled(first.id, 'delivered');
    current = address;
    const others = Array.from({ length: 25 }, (_, n) => ({
      delivery_id: `other-${before}-${n}`,
      host: before,
      ends_at: '2999-01-01',
    }));
    await sql`insert into private.webhook_requests ${sql(others)}`;
    const second = await emitOne(sql, id);
    await publish(second);
    await waitFor(() => received.length === 2);
    expect(await placesOf(address)).toHaveLength(1);
    release();
    await settled(second.id, 'delivered');
    await sql`delete from private.webhook_requests where host = ${before}`;
  });

  test('a suspended webhook whose host is busy is tried again once there is a slot, and not later', async () => {
    const { url, received } = await startEndpoint();
    const { publish } = await startDeliverer();
    const { id: tenantId } = await createTenant(sql);
    const { id } = await createWebhook(sql, tenantId, url);
    await sql`update webhook_endpoints set suspended_until = now() where id = ${id}`;
    const { hostname: host } = new URL(url);
    const others = Array.from({ length: 25 }, (_, n) => ({
      delivery_id: `other-${id}-${n}`,
      host,
      ends_at: '2999-01-01',
    }));
    await sql`insert into private.webhook_requests ${sql(others)}`;
    const delivery = await emitOne(sql, tenantId);
    await publish(delivery);
    await waitFor(async () => (await claimed([delivery])).length === 1);
    const [row] = await sql`
      select suspended_until < now() + interval '10 seconds' as soon from webhook_endpoints where id = ${id}`;
    expect(row).toEqual({ soon: true });
    await sql`delete from private.webhook_requests where host = ${host}`;
    await waitFor(() => received.length === 1);
    await settled(delivery.id, 'delivered');
  });
});
