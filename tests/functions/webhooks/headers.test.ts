// Custom headers of a webhook: its deliveries contain them, and their values are never shown.
import { expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { get } from '../../support/payments/payment-flows.ts';
import { PAYMENT_SCOPES, pay } from '../../support/payments/payments.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const TOKEN = 'tkn-4f9d1c77aa20';
const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Team': 'crm' };

/** All rows of all tables that the roles of the functions may read, as text. */
async function shownAnywhere(text: string): Promise<string[]> {
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select from ${name} t where t::text like '%${text}%' limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

test('deliveries have them, and they appear nowhere else, even if the receiver returns them', async () => {
  const { token } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint((response, _, { headers: sent }) =>
    response.writeHead(500, { 'X-Echo': 'x' }).end(JSON.stringify({ sent, token: TOKEN })),
  );
  const webhook = await expectData(token, 'POST', '/webhooks', 201, {
    url,
    events: ['lead.created'],
    headers,
  });
  expect(webhook).toMatchObject({ header_names: ['Authorization', 'X-Team'] });
  expect(webhook).not.toHaveProperty('headers');
  const path = `/webhooks/${webhook.id}`;
  const reply = await records(token, 'GET', path);
  expect(reply.body.data).toEqual(webhook);
  await createLead(token);
  const [request] = await waitFor(() => received.length > 0 && received);
  expect(request?.headers).toMatchObject({
    authorization: headers.Authorization,
    'x-team': 'crm',
    'content-type': 'application/json',
    'webhook-signature': expect.stringMatching(/^v1a,/),
  });
  const [delivery] = await waitFor(async () => {
    const log = await expectData(token, 'GET', `${path}/deliveries`, 200);
    return log[0]?.attempts.length > 0 && log;
  });
  expect(delivery.response_excerpt).toContain('***');
  expect(delivery.response_excerpt).not.toContain(TOKEN);
  expect(await shownAnywhere(TOKEN)).toEqual(['private.webhook_headers']);

  // All are replaced. null removes them.
  const changed = await expectData(token, 'PATCH', path, 200, { headers: { 'X-Other': 'y' } });
  expect(changed.header_names).toEqual(['X-Other']);
  expect(await expectData(token, 'GET', path, 200)).toEqual(changed);
  expect(await shownAnywhere(TOKEN)).toEqual([]);
  expect(await expectData(token, 'PATCH', path, 200, { description: 'x' })).toMatchObject({
    header_names: ['X-Other'],
  });
  expect(await expectData(token, 'PATCH', path, 200, { headers: null })).toMatchObject({ header_names: [] });
});

test('moving the webhook to another URL removes them, by the API and by SQL', async () => {
  const { token } = await createRecordsTenant(sql);
  const [old, other] = [await startEndpoint(), await startEndpoint()];
  const { id } = await expectData(token, 'POST', '/webhooks', 201, {
    ...{ url: old.url, events: ['lead.created'] },
    headers,
  });
  const path = `/webhooks/${id}`;
  // The same URL does not count as another one.
  expect(await expectData(token, 'PATCH', path, 200, { url: old.url })).toMatchObject({
    header_names: ['Authorization', 'X-Team'],
  });
  expect(await expectData(token, 'PATCH', path, 200, { url: other.url })).toMatchObject({ header_names: [] });
  await createLead(token);
  const [request] = await waitFor(() => other.received.length > 0 && other.received);
  expect(request?.headers).not.toHaveProperty('authorization');
  const again = await expectData(token, 'PATCH', path, 200, { url: old.url, headers });
  expect(again.header_names).toEqual(['Authorization', 'X-Team']);
  await sql`update webhook_endpoints set url = ${other.url} where id = ${id}`;
  expect(await sql`select from private.webhook_headers where endpoint_id = ${id}`).toHaveLength(0);
});

test('names and values that would change the request are rejected, without the value in the response', async () => {
  const { token } = await createRecordsTenant(sql);
  const refused = async (given: unknown) => {
    const url = 'https://hooks.example.invalid/x';
    const { status, body } = await records(token, 'POST', '/webhooks', {
      url,
      events: ['lead.created'],
      headers: given,
    });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    return [status, ...body.error.details.map(({ field }: { field: string }) => field)];
  };
  for (const name of [
    ...['Host', 'content-length', 'Content-Type', 'Transfer-Encoding', 'Connection', 'User-Agent', 'accept'],
    ...[
      'webhook-id',
      'Webhook-Signature',
      'X-Pay-Event',
      'x-service-delivery',
      'X-Forwarded-For',
      'Expect',
      'Content-Digest',
      'Date',
      'Traceparent',
      'tracestate',
      'Baggage',
    ],
  ]) {
    expect(await refused({ [name]: TOKEN })).toEqual([400, `headers.${name}`]);
  }
  for (const value of [
    `${TOKEN}\r\nHost: x`,
    `${TOKEN}\n`,
    ` ${TOKEN}`,
    '',
    'é',
    5,
    null,
    'x'.repeat(1025),
    '\0',
  ]) {
    expect(await refused({ 'X-Token': value })).toEqual([400, 'headers.X-Token']);
  }
  expect((await refused({ 'X Token': TOKEN }))[0]).toBe(400);
  expect((await refused({ '': TOKEN }))[0]).toBe(400);
  expect(await refused({ 'X-A': TOKEN, 'x-a': TOKEN })).toEqual([400, 'headers.x-a']);
  expect(await refused(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`X-${n}`, TOKEN])))).toEqual([
    400,
    'headers',
  ]);
  expect(await refused('x')).toEqual([400, 'headers']);
  expect(await refused([TOKEN])).toEqual([400, 'headers']);
});

test('the same for payments, also if the request is repeated with its key', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { apiKey } = await createApiKey(sql, tenantId, { scopes: PAYMENT_SCOPES });
  const { url, received } = await startEndpoint();
  const key = crypto.randomUUID();
  const own = `pay-${crypto.randomUUID()}`;
  const body = { url, headers: { 'X-Token': own } };
  const made = await pay(apiKey, '/webhooks', body, { key });
  expect([made.status, made.body.header_names]).toEqual([201, ['X-Token']]);
  expect((await pay(apiKey, '/webhooks', body, { key })).body.header_names).toEqual(['X-Token']);
  await pay(apiKey, `/webhooks/${made.body.id}/test`, {});
  await waitFor(() => received.length === 1);
  expect(received[0]?.headers['x-token']).toBe(own);
  expect(await get(apiKey, `/webhooks/${made.body.id}`)).not.toHaveProperty('headers');
  expect(await shownAnywhere(own)).toEqual(['private.webhook_headers']);
  for (const [name, shown] of [
    ['X-\0', 'X-\\u0000'],
    ['X-\ud800', 'X-\\ud800'],
  ] as const) {
    const wrong = crypto.randomUUID();
    const send = () => pay(apiKey, '/webhooks', { url, headers: { [name]: own } }, { key: wrong });
    for (const reply of [await send(), await send()])
      expect([reply.status, reply.body.errors?.[0].field]).toEqual([422, `headers.${shown}`]);
  }
  const moved = await pay(apiKey, `/webhooks/${made.body.id}`, { headers: {} }, { method: 'PATCH' });
  expect([moved.status, moved.body.header_names]).toEqual([200, []]);
});
