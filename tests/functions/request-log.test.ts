// Request log rows of rejected requests: enough to explain the rejection, no secrets, and limited in size.
import { expect, test } from 'vitest';
import { silentLogger } from '../../shared/platform/logger.ts';
import { createRequestLog, type RequestLogEntry } from '../../shared/platform/request-log/request-log.ts';
import { connectDatabase, createTenant, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { type Json, type Reply, sync } from '../support/gamification/sync.ts';
import { PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

const rowOf = ({ headers }: Reply): Promise<Json> =>
  waitFor(
    async () =>
      (await sql`select * from admin.request_log where request_id = ${headers.get('x-request-id')}`)[0],
  );

test("for unknown callers, stores the route's pattern, or that there is none", async () => {
  const secret = 'x'.repeat(2000);
  const nowhere = await rowOf(await records(null, 'GET', `/${secret}?token=${secret}`));
  expect(nowhere).toMatchObject({
    path: 'unknown route',
    reason: 'not_found',
    query: ['token'],
    tenant_id: null,
  });
  expect(JSON.stringify(nowhere)).not.toContain(secret);
  const refused = await rowOf(await records(null, 'GET', `/leads/${secret}`));
  expect(refused).toMatchObject({ path: '/v1/leads/:id', status: 401, reason: 'missing' });
  const file = await rowOf(await pay('sk_test_x', `/files/${secret}/a.pdf`));
  expect(file).toMatchObject({ path: '/payments/files/:token/:name', status: 404 });
});

test('404, 405 and 413 of known callers name them, with their path and the error', async () => {
  const { id, token, clientId } = await createRecordsTenant(sql);
  const client = { tenant_id: id, client_id: clientId };
  expect(await rowOf(await records(token, 'GET', '/nothing?a=1&b=2'))).toMatchObject({
    ...client,
    path: '/v1/nothing',
    reason: 'not_found',
    query: ['a', 'b'],
  });
  expect(await rowOf(await records(token, 'PATCH', '/stages'))).toMatchObject({
    ...client,
    reason: 'method_not_allowed',
  });
  const tenant = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  const key = { tenant_id: tenant.id, api_key_id: tenant.apiKeyId };
  expect(await rowOf(await pay(tenant.apiKey, '/nothing'))).toMatchObject({
    ...key,
    path: '/payments/nothing',
    reason: 'not_found',
  });
  const large = await sync(tenant.apiKey, 'x'.repeat(6 * 1024 * 1024 + 1));
  expect(await rowOf(large)).toMatchObject({ ...key, status: 413, reason: 'payload_too_large' });
});

test('a 400 names its fields, and no values', async () => {
  const { token } = await createRecordsTenant(sql);
  const reply = await records(token, 'POST', '/leads', { name: 'Ana', email: 'secret-word', phone: 5 });
  expect(reply.status).toBe(400);
  const row = await rowOf(reply);
  expect(row).toMatchObject({ reason: 'validation', fields: ['email', 'phone'] });
  expect(JSON.stringify(row)).not.toContain('secret-word');
});

test('above 60 a minute, calls from one address are aggregated', async () => {
  const { baseUrl } = await startOwnFunction('default-integration', { UNKNOWN_CALLER_ROWS: '60' });
  const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
  const target = '/default-integration/flood';
  const headers = { 'cf-connecting-ip': address };
  const replies = await Promise.all(
    Array.from({ length: 200 }, () => sync('', undefined, { baseUrl, target, headers })),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([404]));
  const [sum] = await waitFor(async () => {
    const rows = await sql`
      select requests from request_log
      where request_id = 'sum' and status = 404 and function = 'default-integration' and requests > 100`;
    return rows.length > 0 ? rows : undefined;
  });
  const [own] = await sql`select count(*)::integer as n from request_log where ip = ${address}`;
  expect(own?.n).toBeLessThanOrEqual(60);
  expect(own?.n + sum?.requests).toBe(200);
});

test('a revoked key has no more rows than an unknown caller', async () => {
  const { baseUrl } = await startOwnFunction('default-integration', { UNKNOWN_CALLER_ROWS: '20' });
  const { id, apiKey, apiKeyId } = await createTenant(sql);
  await sql`select admin.revoke_api_key(${apiKeyId})`;
  await Promise.all(Array.from({ length: 60 }, () => sync(apiKey, undefined, { baseUrl })));
  const counts = await waitFor(async () => {
    const rows = await sql`
      select count(*) filter (where request_id <> 'sum')::integer as own, sum(requests)::integer as all
      from request_log where tenant_id = ${id} and status = 401`;
    return rows[0]?.all === 60 ? rows[0] : undefined;
  });
  expect(counts.own).toBe(20);
});

test('an invalid row affects only itself', async () => {
  const database = openDatabase();
  const record = createRequestLog({ database, log: silentLogger, unknownCallerRows: 100 });
  const entry = (requestId: string, more: Partial<RequestLogEntry> = {}): RequestLogEntry => ({
    ...{ requestId, tenantId: undefined, apiKeyId: undefined, clientId: undefined, address: undefined },
    ...{ service: 'test', method: 'GET', path: '/', status: 404, reason: 'not_found', elapsedMs: 1, ...more },
  });
  const ids = Array.from({ length: 9 }, () => crypto.randomUUID());
  for (const [i, id] of ids.entries()) record(entry(id, i === 4 ? { reason: 'a\u0000b' } : {}));
  await waitFor(async () => {
    const [row] = await sql`select count(*)::integer as n from request_log where request_id = any (${ids})`;
    return row?.n === 8;
  });
});

test('an invalid address does not prevent writes, even on a new worker', async () => {
  const { token } = await createRecordsTenant(sql);
  const { baseUrl } = await startOwnFunction('v1');
  const headers = { 'CF-Connecting-IP': 'no address' };
  const reply = await records(token, 'POST', '/teams', { name: 'Sales' }, { baseUrl, headers });
  expect(reply.status).toBe(201);
  const [row] = await sql`select ip from request_log where request_id = ${reply.headers.get('x-request-id')}`;
  expect(row).toEqual({ ip: null });
});

test('stores how long a request waited for a connection, as part of its duration', async () => {
  const { token } = await createRecordsTenant(sql);
  const { baseUrl } = await startOwnFunction('v1');
  const write = async (name: string) => {
    const { headers, status } = await records(token, 'POST', '/teams', { name }, { baseUrl });
    expect(status).toBe(201);
    const [row] = await sql`
      select waited_ms, duration_ms from request_log where request_id = ${headers.get('x-request-id')}`;
    return row;
  };
  // The first request of a worker opens its connection.
  const first = await write('Sales');
  expect(first?.waited_ms).toBeGreaterThan(0);
  expect(first?.duration_ms).toBeGreaterThanOrEqual(first?.waited_ms);
  expect((await write('Support'))?.waited_ms).toBeNull();
});
