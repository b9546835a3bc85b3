// Integers that a double cannot hold, such as ids of Meta and WhatsApp, keep every digit in each interface that has free-form JSON.
import { expect, inject, test } from 'vitest';
import { verifyWebhook } from '../../clients/typescript/src/webhooks.ts';
import { connect, createCredentials } from '../support/clients/client.ts';
import { connectDatabase, createTenant } from '../support/database.ts';
import { SYNC_PATH } from '../support/gamification/sync.ts';
import { createMcpTenant, MODERN, mcpUrl } from '../support/mcp/mcp.ts';
import { newEmail } from '../support/records/record-flows.ts';
import { createRecordsTenant } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';
import { startEndpoint } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const ID = '9007199254740993';
const SECRET = 'correct horse battery';
const LONG = '-12345678901234567890123';
/** A free-form object, as text: `JSON.stringify` of a test would change the digits, too. */
const FREE = `{"id": ${ID}, "list": [${LONG}, 1e3, 0.1], "text": "${ID}"}`;
const SHOWN = new RegExp(`"id": ?${ID}, ?"list": ?\\[${LONG}, ?1000, ?0\\.1\\], ?"text": ?"${ID}"`);

/** The text of a response with this status. */
async function call(
  token: string,
  method: string,
  path: string,
  status: number,
  body?: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const url = path.startsWith('http') ? path : `${inject('stack').base_url}/functions/v1${path}`;
  const response = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([status, text]);
  return text;
}

const lead = (free = FREE) => `{"name": "Ana", "email": "${newEmail()}", "custom_fields": ${free}}`;

test('records: requests, responses, lists, replays, batches, the feed and webhooks', async () => {
  const { token } = await createRecordsTenant(sql);
  const endpoint = await startEndpoint();
  const filters = `[{"field": "custom_fields.id", "op": "eq", "value": ${ID}}]`;
  const webhook = `{"url": "${endpoint.url}", "secret": "${SECRET}", "events": ["lead.created"], "filters": ${filters}}`;
  const subscribed = await call(token, 'POST', '/v1/webhooks', 201, webhook);
  expect(subscribed).toContain(`"value":${ID}`);

  const key = { 'Idempotency-Key': crypto.randomUUID() };
  const body = lead();
  // A neighbor that rounds to the same double does not match the filter.
  await call(token, 'POST', '/v1/leads', 201, lead(`{"id": 9007199254740992}`));
  const created = await call(token, 'POST', '/v1/leads', 201, body, key);
  expect(created).toMatch(SHOWN);
  expect(await call(token, 'POST', '/v1/leads', 201, body, key)).toMatch(SHOWN);
  await call(token, 'POST', '/v1/leads', 422, body.replace(ID, '9007199254740992'), key);
  const { id } = JSON.parse(created).data;

  for (const path of [`/v1/leads/${id}`, '/v1/leads', '/v1/events'])
    expect(await call(token, 'GET', path, 200)).toMatch(SHOWN);
  const changed = await call(token, 'PATCH', `/v1/leads/${id}`, 200, `{"custom_fields": {"wa": ${LONG}}}`);
  expect(changed).toContain(`"custom_fields":{"wa":${LONG}}`);
  const batch = `{"operations": [{"method": "create", "data": ${lead()}}, {"method": "upsert", "external_id": "x", "data": ${lead()}}]}`;
  const { length } =
    (await call(token, 'POST', '/v1/leads/batch', 200, batch)).match(new RegExp(SHOWN, 'g')) ?? [];
  expect(length).toBe(2);

  const received = await waitFor(() => endpoint.received.length === 3 && endpoint.received);
  const { headers, body: sent } = received.find((one) => one.body.includes(id)) ?? { headers: {}, body: '' };
  expect(sent).toMatch(SHOWN);
  const event = await verifyWebhook({ headers, body: sent }, SECRET);
  expect(event.data).toMatchObject({ custom_fields: { id: BigInt(ID), list: [BigInt(LONG), 1000, 0.1] } });
});

test.each(['b', 'c'])('records: opportunities of variant %s', async (variant) => {
  const { token } = await createRecordsTenant(sql, { variant });
  const opportunity = `{"name": "Deal", "value": 1, "stage": "Prospecting", "custom_fields": ${FREE}, "products": [${FREE}]}`;
  const created = await call(token, 'POST', '/v1/opportunities', 201, opportunity);
  const { length } = created.match(new RegExp(SHOWN, 'g')) ?? [];
  expect(length).toBe(variant === 'c' ? 2 : 1);
});

test('fields with rules of their own reject such numbers by these rules', async () => {
  const { token } = await createRecordsTenant(sql);
  const deal = `{"name": "Deal", "value": ${ID}, "custom_fields": ${ID}, "tags": [${ID}]}`;
  const { error } = JSON.parse(await call(token, 'POST', '/v1/deals', 400, deal));
  expect(error.details).toEqual([
    { field: 'value', message: 'must be at most 10000000000000' },
    { field: 'custom_fields', message: 'must be an object' },
    { field: 'tags.0', message: 'must be a string' },
  ]);
});

test('activity sync', async () => {
  const { id, apiKey } = await createTenant(sql);
  const person = `{"external_id": "1", "name": "Ana", "email": "ana@x.co", "metadata": ${FREE}}`;
  await call(
    apiKey,
    'POST',
    SYNC_PATH,
    200,
    `{"action": "sync_collaborators", "collaborators": [${person}]}`,
  );
  const activity = `{"activity_code": "001", "external_id": "1", "collaborator_email": "ana@x.co", "data": ${FREE}}`;
  await call(apiKey, 'POST', SYNC_PATH, 200, `{"action": "sync_activities", "activities": [${activity}]}`);
  const [row] = await sql`
    select c.metadata::text as metadata, a.data::text as data from collaborators c
    join activities a on a.collaborator_id = c.id where c.tenant_id = ${id}`;
  expect([row?.metadata, row?.data]).toEqual([expect.stringMatching(SHOWN), expect.stringMatching(SHOWN)]);
});

test('administration: conditions of automations', async () => {
  const { token } = await createRecordsTenant(sql);
  const automation = `{"name": "A", "event": "lead.created", "conditions": [{"field": "custom_fields.id", "op": "eq", "value": ${ID}}],
    "actions": [{"type": "add_tag", "tag": "meta"}]}`;
  const created = await call(token, 'POST', '/v1/admin/automations', 201, automation);
  expect(created).toMatch(new RegExp(`"value": ?${ID}`));
  await call(token, 'POST', '/v1/leads', 201, lead());
  await waitFor(async () => (await call(token, 'GET', '/v1/leads', 200)).includes('"meta"'));
});

test('MCP', async () => {
  const { mcpToken, token } = await createMcpTenant(sql);
  const { data } = JSON.parse(await call(token, 'POST', '/v1/leads', 201, lead()));
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'get_record', arguments: { kind: 'lead', id: data.id }, _meta: meta };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'get_record' };
  expect(await call(mcpToken, 'POST', mcpUrl(), 200, message, headers)).toMatch(SHOWN);
});

test('the TypeScript client', async () => {
  const placar = connect(await createCredentials(sql));
  const custom_fields = { id: BigInt(ID), small: 1n, list: [BigInt(LONG), 2 ** 53], text: `${ID}n` };
  const created = await placar.leads.create({ name: 'Ana', email: newEmail(), custom_fields });
  const shown = { ...custom_fields, small: 1, list: [BigInt(LONG), 2n ** 53n] };
  expect(created.custom_fields).toEqual(shown);
  expect((await placar.leads.get(created.id)).custom_fields).toEqual(shown);
});
