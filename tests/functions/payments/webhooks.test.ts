// Webhooks of payments that integrations manage: as those of records, with the conventions of payments.
import { expect, test } from 'vitest';
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.ts';
import {
  keySetOf,
  paySignature,
  standardSignature,
} from '../../../shared/webhooks/delivery/signed-request.ts';
import { connectDatabase, createApiKey } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { bodyOf, createPayTenant, get, untilStatus } from '../../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const NOWHERE = 'https://hooks.example.invalid/x';
const fieldsOf = ({ body }: Reply): string[] =>
  (body.errors ?? []).map(({ field }: { field: string }) => field);
const secretsOf = async (id: string) =>
  (
    await sql`
      select secret, expires_at is null as present from private.webhook_secrets where endpoint_id = ${id} order by id`
  ).map((row) => [row.secret, row.present]);
const send = async (apiKey: string, path: string, status: number, body: unknown = {}, key?: string) =>
  bodyOf(await pay(apiKey, path, body, key === undefined ? {} : { key }), status);

test('one is created with a secret that is shown once, and receives its subscribed events', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { url, received } = await startEndpoint();
  const key = crypto.randomUUID();
  const body = { url, events: ['invoice.paid', 'invoice.paid'], description: 'Books' };
  const { secret, ...webhook } = await send(apiKey, '/webhooks', 201, body, key);
  expect(webhook).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    url,
    events: ['invoice.paid'],
    filters: [],
    changed: [],
    header_names: [],
    fold_seconds: null,
    ordered: false,
    description: 'Books',
    active: true,
    status: 'active',
    public_key: expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/),
    created_at: expect.stringMatching(/\.\d{3}Z$/),
    updated_at: expect.stringMatching(/\.\d{3}Z$/),
  });
  expect(await secretsOf(webhook.id)).toEqual([[secret, true]]);
  // Repeated with its key, the request returns the same webhook without the secret, which is stored nowhere else.
  const replayed = await pay(apiKey, '/webhooks', body, { key });
  expect([replayed.status, replayed.body]).toEqual([201, webhook]);
  expect(replayed.headers.get('idempotent-replay')).toBe('true');
  expect(await get(apiKey, `/webhooks/${webhook.id}`)).toEqual(webhook);
  expect(await sql`select from idempotency_keys k where k::text like ${`%${secret}%`}`).toHaveLength(0);

  const { id } = await send(apiKey, '/invoices', 201, invoice());
  await send(apiKey, `/sandbox/invoices/${id}/pay`, 200);
  await untilStatus(apiKey, `/invoices/${id}`, 'paid');
  const [sent] = await waitFor(() => received.length > 0 && received);
  const bytes = new TextEncoder().encode(sent?.body ?? '');
  const time = Number(sent?.headers['webhook-timestamp']);
  expect(sent?.headers['x-pay-signature']).toBe(paySignature([secret], time, bytes));
  const request = { headers: { ...sent?.headers }, body: sent?.body ?? '' };
  expect(await verifyWebhook(request, [secret, webhook.public_key])).toMatchObject({ type: 'invoice.paid' });
  const { keys } = await get(apiKey, `/webhooks/${webhook.id}/keys`);
  expect(keys).toEqual(keySetOf(webhook.public_key).keys);
  const { data, has_more: more } = await waitFor(async () => {
    const page = await get(apiKey, `/webhooks/${webhook.id}/deliveries?status=delivered`);
    return page.data.length > 0 && page;
  });
  expect(more).toBe(false);
  expect(data).toMatchObject([
    {
      id: sent?.headers['webhook-id'],
      payload: JSON.parse(sent?.body ?? ''),
      success: true,
      error: null,
      attempts: [{ status: 200 }],
    },
  ]);
  expect(await get(apiKey, `/webhooks/${webhook.id}/deliveries/${data[0].id}`)).toEqual(data[0]);
  await send(apiKey, `/webhooks/${webhook.id}/deliveries/${data[0].id}/replay`, 202);
  await waitFor(() => received.length === 2);
  expect(received[1]?.headers['webhook-id']).toBe(data[0].id);
});

test('after rotating its secret, both sign for a day', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { url, received } = await startEndpoint();
  const { id, secret: old } = await send(apiKey, '/webhooks', 201, { url });
  // Another webhook with all events does not receive the test event.
  const { id: other } = await send(apiKey, '/webhooks', 201, { url: `${url}/other` });
  const key = crypto.randomUUID();
  const { secret } = await send(apiKey, `/webhooks/${id}/rotate-secret`, 200, {}, key);
  expect(await send(apiKey, `/webhooks/${id}/rotate-secret`, 200, {}, key)).not.toHaveProperty('secret');
  expect(await secretsOf(id)).toEqual([
    [old, false],
    [secret, true],
  ]);
  const test = await send(apiKey, `/webhooks/${id}/test`, 202);
  const [sent] = await waitFor(() => received.length > 0 && received);
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    id: test.event_id,
    type: 'webhook.test',
    data: { webhook_id: id },
  });
  expect((await get(apiKey, `/webhooks/${other}/deliveries`)).data).toEqual([]);
  const bytes = new TextEncoder().encode(sent?.body ?? '');
  const time = Number(sent?.headers['webhook-timestamp']);
  expect(sent?.headers['webhook-signature']).toContain(
    standardSignature([secret, old], test.delivery_id, time, bytes),
  );
});

test('is paused, resumed, changed, listed and deleted', async () => {
  const { apiKey } = await createPayTenant(sql);
  const made: { id: string }[] = [];
  for (const n of [1, 2, 3]) made.push(await send(apiKey, '/webhooks', 201, { url: `${NOWHERE}${n}` }));
  const ids = made.map(({ id }) => id).reverse();
  const page = await get(apiKey, '/webhooks?limit=2');
  expect([page.data.map((one: { id: string }) => one.id), page.has_more]).toEqual([ids.slice(0, 2), true]);
  const rest = await get(apiKey, `/webhooks?starting_after=${ids[1]}`);
  expect([rest.data.map((one: { id: string }) => one.id), rest.has_more]).toEqual([ids.slice(2), false]);
  const before = await get(apiKey, `/webhooks?ending_before=${ids[2]}&limit=1`);
  expect([before.data.map((one: { id: string }) => one.id), before.has_more]).toEqual([
    ids.slice(1, 2),
    true,
  ]);
  expect(fieldsOf(await pay(apiKey, '/webhooks?starting_after=x'))).toEqual(['starting_after']);

  const path = `/webhooks/${ids[0]}`;
  expect(await send(apiKey, `${path}/pause`, 200)).toMatchObject({ status: 'paused' });
  expect(await send(apiKey, `${path}/resume`, 200)).toMatchObject({ status: 'active' });
  const change = { events: ['payout.paid'], active: false, description: null };
  expect(bodyOf(await pay(apiKey, path, change, { method: 'PATCH' }), 200)).toMatchObject({
    ...change,
    status: 'deactivated',
  });
  for (const action of ['pause', 'test']) {
    expect((await pay(apiKey, `${path}/${action}`, {})).body).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  }
  expect(
    bodyOf(await pay(apiKey, path, { events: null, active: true }, { method: 'PATCH' }), 200),
  ).toMatchObject({
    events: null,
    status: 'active',
  });
  expect((await pay(apiKey, path, undefined, { method: 'DELETE' })).status).toBe(204);
  expect((await pay(apiKey, path)).status).toBe(404);
});

test.each([
  [{}, ['url']],
  [{ url: NOWHERE, events: ['lead.created'] }, ['events']],
  [{ url: NOWHERE, events: [], active: 'yes' }, ['active', 'events']],
  [{ url: 'https://10.0.0.1/' }, ['url']],
  [{ url: 'https://metadata.google.internal/' }, ['url']],
  [{ url: 'https://user:pw@example.com/' }, ['url']],
])('rejects %j', async (body, fields) => {
  const { apiKey } = await createPayTenant(sql);
  const reply = await pay(apiKey, '/webhooks', body);
  expect(reply.status).toBe(422);
  expect(fieldsOf(reply).sort()).toEqual(fields);
  const { id } = await send(apiKey, '/webhooks', 201, { url: `${NOWHERE}/own` });
  if ('url' in body && fields[0] === 'url') {
    const change = await pay(apiKey, `/webhooks/${id}`, body, { method: 'PATCH' });
    expect([change.status, fieldsOf(change)]).toEqual([422, ['url']]);
  }
});

test("the same URL twice returns 409, also for one made by SQL, and one beyond the plan's limit 422", async () => {
  const { id, apiKey } = await createPayTenant(sql);
  await sql`select admin.create_payment_webhook(${id}, ${NOWHERE})`;
  expect((await pay(apiKey, '/webhooks', { url: NOWHERE })).body).toMatchObject({
    status: 409,
    code: 'conflict',
  });
  for (const n of [1, 2, 3, 4]) await send(apiKey, '/webhooks', 201, { url: `${NOWHERE}${n}` });
  expect(fieldsOf(await pay(apiKey, '/webhooks', { url: `${NOWHERE}5` }))).toEqual(['url']);
});

test('each interface accesses only its own', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { apiKey } = await createApiKey(sql, tenantId, { scopes: PAYMENT_SCOPES });
  const mine = await send(apiKey, '/webhooks', 201, { url: NOWHERE });
  const theirs = await records(token, 'POST', '/webhooks', { url: `${NOWHERE}/r`, events: ['lead.created'] });
  const id = theirs.body.data.id;
  expect((await get(apiKey, '/webhooks')).data.map((one: { id: string }) => one.id)).toEqual([mine.id]);
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { active: false }],
    ['DELETE', ''],
    ['POST', '/pause', {}],
    ['POST', '/resume', {}],
    ['POST', '/rotate-secret', {}],
    ['POST', '/test', {}],
    ['GET', '/deliveries'],
  ] as const) {
    expect([path, (await pay(apiKey, `/webhooks/${id}${path}`, body, { method })).status]).toEqual([
      path,
      404,
    ]);
    if (path === '/rotate-secret') continue;
    const other = await records(token, method, `/webhooks/${mine.id}${path}`, body);
    expect([path, other.status]).toEqual([path, 404]);
  }
  // Nor can the role of records write webhooks of payments.
  const write = sql.begin(async (tx) => {
    await tx`set local role api`;
    await tx`select set_config('app.tenant_id', ${tenantId}, true)`;
    return await tx`update webhook_endpoints set description = 'mine' where id = ${mine.id} returning id`;
  });
  expect(await write).toHaveLength(0);
});
