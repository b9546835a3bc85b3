// How a request is processed before its items are read.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { sync } from '../../support/gamification/sync.ts';
import { expectUntilWindowEnds } from '../../support/limits/windows.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const body = { action: 'sync_activities', activities: [] };

describe('the body', () => {
  test.each([
    ['', 'A JSON body is required.'],
    ['{', 'The body is not valid UTF-8 JSON.'],
    ['[]', 'The body must be a JSON object.'],
    ['"text"', 'The body must be a JSON object.'],
    ['null', 'The body must be a JSON object.'],
    [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 'JSON is nested deeper than 100 levels.'],
    ['['.repeat(1_000_000), 'JSON is nested deeper than 100 levels.'],
  ])('rejects %.20s without details', async (text, message) => {
    const { apiKey } = await createTenant(sql);
    const reply = await sync(apiKey, text);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ error: { code: 'VALIDATION_ERROR', message } });
  });

  test.each([
    [{}, 'action', 'is required: sync_collaborators or sync_activities'],
    [{ action: 'nothing' }, 'action', 'must be sync_collaborators or sync_activities'],
    [{ action: 5 }, 'action', 'must be sync_collaborators or sync_activities'],
    [{ action: 'constructor' }, 'action', 'must be sync_collaborators or sync_activities'],
    [{ action: 'sync_activities' }, 'activities', 'is required'],
    [{ action: 'sync_activities', activities: {} }, 'activities', 'must be an array'],
    [{ action: 'sync_collaborators', collaborators: 'x' }, 'collaborators', 'must be an array'],
  ])('%j names the member', async (sent, field, message) => {
    const { apiKey } = await createTenant(sql);
    const reply = await sync(apiKey, sent);
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field, message }] });
  });

  test('rejects bytes that are not UTF-8, but accepts a byte order mark', async () => {
    const { apiKey } = await createTenant(sql);
    expect((await sync(apiKey, `\ufeff${JSON.stringify(body)}`)).status).toBe(200);
    const reply = await sync(apiKey, new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect(reply.status).toBe(400);
  });

  test.each([
    ['text/plain', 415],
    ['', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    ['application/vnd.crm+json', 200],
  ])('media type %s returns %i', async (type, status) => {
    const { apiKey } = await createTenant(sql);
    const reply = await sync(apiKey, new TextEncoder().encode(JSON.stringify(body)), {
      headers: { 'Content-Type': type },
    });
    expect([type, reply.status]).toEqual([type, status]);
    if (status === 415) expect(reply.body.error.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

test.each([
  ['gzip', 415],
  ['identity', 200],
])('Content-Encoding %s returns %i', async (encoding, status) => {
  const { apiKey } = await createTenant(sql);
  const reply = await sync(apiKey, body, { headers: { 'Content-Encoding': encoding } });
  expect(reply.status).toBe(status);
});

describe('method and path', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s returns 405, before authentication',
    async (method) => {
      const reply = await sync('no-key', undefined, { method });
      expect(reply.status).toBe(405);
      expect(reply.body.error.code).toBe('METHOD_NOT_ALLOWED');
      expect(reply.headers.get('allow')).toBe('POST');
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test.each(['/default-integration/', '/default-integration/x'])('%s returns 404', async (target) => {
    const reply = await sync('no-key', body, { target });
    expect(reply.status).toBe(404);
    expect(reply.body.error.code).toBe('NOT_FOUND');
  });

  test('health needs no key and is not logged', async () => {
    const reply = await sync('', undefined, {
      method: 'GET',
      target: '/default-integration/health',
      headers: { 'X-Request-Id': 'health-1' },
    });
    expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }]);
    const post = await sync('', undefined, { target: '/default-integration/health' });
    expect(post.status).toBe(405);
    expect(await sql`select from request_log where request_id = 'health-1'`).toHaveLength(0);
  });
});

describe('the request id', () => {
  test("is the caller's own if it is visible ASCII, otherwise a generated one", async () => {
    const { apiKey } = await createTenant(sql);
    const id = `mine-${crypto.randomUUID()}`;
    const own = await sync(apiKey, body, { headers: { 'X-Request-Id': id } });
    expect([own.headers.get('x-request-id'), own.body.meta.request_id]).toEqual([id, id]);
    for (const bad of ['a b', 'x'.repeat(129)]) {
      const reply = await sync(apiKey, body, { headers: { 'X-Request-Id': bad } });
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(reply.body.meta.request_id).toBe(reply.headers.get('x-request-id'));
    }
    for (const status of [401, 405, 404] as const) {
      const options = { 401: {}, 405: { method: 'GET' }, 404: { target: '/default-integration/x' } }[status];
      const reply = await sync('no-key', status === 405 ? undefined : body, options);
      expect([reply.status, reply.headers.get('x-request-id')]).toEqual([
        status,
        expect.stringMatching(/.+/),
      ]);
    }
  });
});

describe('the rate limit', () => {
  test('counts accepted calls, and returns 429 with the seconds to wait', async () => {
    const { apiKey } = await createTenant(sql, { requestsPerHour: 3 });
    expect((await sync(apiKey, '{')).status).toBe(400);
    expect((await sync(apiKey, body, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect((await sync(apiKey, body)).status).toBe(200);
    const sentAtMs = Date.now();
    const limited = await sync(apiKey, body);
    expect(limited.status).toBe(429);
    const { retry_after: seconds, code } = limited.body.error;
    expect(code).toBe('RATE_LIMITED');
    expect(limited.headers.get('retry-after')).toBe(String(seconds));
    expectUntilWindowEnds(seconds, 3600, sentAtMs);
  });

  test('admits exactly the limit of concurrent calls', async () => {
    const { apiKey } = await createTenant(sql, { requestsPerHour: 10 });
    const replies = await Promise.all(Array.from({ length: 30 }, () => sync(apiKey, body)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('never counts a 401 or 403, even of a key that was accepted before', async () => {
    const { id, apiKey, apiKeyId } = await createTenant(sql, { requestsPerHour: 3 });
    expect((await sync(apiKey, body)).status).toBe(200);
    await sql`update api_keys set scopes = array['payments:read'] where id = ${apiKeyId}`;
    for (let i = 0; i < 5; i++) expect((await sync(apiKey, body)).status).toBe(403);
    await sql`update api_keys set scopes = array['default:sync'] where id = ${apiKeyId}`;
    await waitFor(async () => (await countedRequests(id)) >= 6);
    expect((await sync(apiKey, body)).status).toBe(200);
    expect((await sync(apiKey, body)).status).toBe(200);
    expect((await sync(apiKey, body)).status).toBe(429);
  });

  test('is not used up by concurrent calls with an invalid signature', async () => {
    const { apiKey } = await createTenant(sql, { requestsPerHour: 20 });
    expect((await sync(apiKey, body)).status).toBe(200);
    const bad = `SVC-SIGN-V1 ${apiKey}:${Math.floor(Date.now() / 1000)}:${'0'.repeat(64)}`;
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        i % 4 === 0 ? sync(apiKey, body) : sync(apiKey, body, { headers: { Authorization: bad } }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(15);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(45);
  });

  test('a changed limit applies from the next request', async () => {
    const { apiKey, apiKeyId } = await createTenant(sql, { requestsPerHour: 1 });
    expect((await sync(apiKey, body)).status).toBe(200);
    expect((await sync(apiKey, body)).status).toBe(429);
    await sql`update api_keys set requests_per_hour = 3 where id = ${apiKeyId}`;
    expect((await sync(apiKey, body)).status).toBe(200);
  });

  test('is separate for each key', async () => {
    const { id, apiKey } = await createTenant(sql, { requestsPerHour: 1 });
    const second = await createApiKey(sql, id, { requestsPerHour: 1 });
    expect((await sync(apiKey, body)).status).toBe(200);
    expect((await sync(second.apiKey, body)).status).toBe(200);
  });
});

async function countedRequests(tenantId: string): Promise<number> {
  const [row] = await sql`select count(*)::integer as n from request_log where tenant_id = ${tenantId}`;
  return row?.n as number;
}

describe('the request log', () => {
  test('has every outcome with its key, and never a body, a key or a signature', async () => {
    const { id, apiKey, apiKeyId } = await createTenant(sql);
    const outcomes = [
      { requestId: crypto.randomUUID(), sent: body, status: 200, reason: null },
      { requestId: crypto.randomUUID(), sent: { action: 'secret-word' }, status: 400, reason: 'validation' },
    ];
    for (const { requestId, sent } of outcomes) {
      await sync(apiKey, sent, {
        headers: { 'X-Request-Id': requestId },
        target: '/default-integration?q=secret-word',
      });
    }
    for (const { requestId, status, reason } of outcomes) {
      const row = await waitFor(
        async () => (await sql`select * from admin.request_log where request_id = ${requestId}`)[0],
      );
      expect(row).toMatchObject({
        tenant_id: id,
        api_key_id: apiKeyId,
        function: 'default-integration',
        method: 'POST',
        path: '/default-integration',
        status,
        reason,
        ip: '127.0.0.1',
      });
      expect(row?.duration_ms).toBeGreaterThanOrEqual(0);
      expect(JSON.stringify(row)).not.toContain('secret-word');
    }
    const [key] = await sql`select last_used_at from admin.api_keys where id = ${apiKeyId}`;
    expect(key?.last_used_at).toBeInstanceOf(Date);
  });

  test('a writing request is logged in its transaction: immediately and exactly once', async () => {
    const { apiKey } = await createTenant(sql);
    const requestId = crypto.randomUUID();
    await sync(apiKey, body, { headers: { 'X-Request-Id': requestId } });
    expect(await sql`select status from request_log where request_id = ${requestId}`).toEqual([
      { status: 200 },
    ]);
  });
});
