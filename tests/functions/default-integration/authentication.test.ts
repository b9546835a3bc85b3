import { describe, expect, inject, test } from 'vitest';
import { signRequest } from '../../../shared/platform/access/api-keys.ts';
import { connectDatabase, createApiKey, createTenant } from '../../support/database.ts';
import { SYNC_PATH, signedSync, sync } from '../../support/gamification/sync.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const body = '{"action":"sync_activities","activities":[]}';
const bytes = new TextEncoder().encode(body);
const now = () => Math.floor(Date.now() / 1000);

/** Sends an Authorization header. Returns the status and the reason in the log. */
async function attempt(
  authorization: string | undefined,
  target = SYNC_PATH,
): Promise<[number, string | null]> {
  const requestId = crypto.randomUUID();
  const response = await fetch(`${inject('stack').base_url}/functions/v1${target}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body,
  });
  const answer = await response.json();
  if (response.status === 401) {
    expect(answer).toEqual({ error: { code: 'UNAUTHORIZED', message: expect.any(String) } });
    expect(response.headers.get('www-authenticate')).toBe(
      'SVC-SIGN-V1 realm="placar", Bearer realm="placar"',
    );
  }
  const row = await waitFor(
    async () => (await sql`select reason from request_log where request_id = ${requestId}`)[0],
  );
  return [response.status, row?.reason];
}

function header(
  apiKey: string,
  options: { timestamp?: string; signature?: string; target?: string; method?: string } = {},
) {
  const { timestamp = String(now()), target = SYNC_PATH, method = 'POST' } = options;
  const signature = options.signature ?? signRequest(apiKey, { timestamp, method, target, body: bytes });
  return `SVC-SIGN-V1 ${apiKey}:${timestamp}:${signature}`;
}

describe('both schemes', () => {
  test('accept a signed request and a Bearer request, with Bearer in any case', async () => {
    const { apiKey } = await createTenant(sql);
    expect((await signedSync(apiKey, body)).status).toBe(200);
    expect((await sync(apiKey, body)).status).toBe(200);
    expect(await attempt(`bearer ${apiKey}`)).toEqual([200, null]);
  });

  test('the signature covers the query exactly as sent', async () => {
    const { apiKey } = await createTenant(sql);
    const target = `${SYNC_PATH}?a[gte]=1&b=%20c&d=x|y&e=%C3%A9`;
    expect((await signedSync(apiKey, body, { target })).status).toBe(200);
    expect(await attempt(header(apiKey, { target }), `${SYNC_PATH}?a=1`)).toEqual([401, 'bad_signature']);
  });
});

describe('one 401 for every failure, with its reason in the log', () => {
  const unknown = `sk_test_${'a'.repeat(32)}`;

  test.each([
    ['missing', undefined],
    ['missing', ''],
    ['malformed', 'Basic dXNlcjpwYXNz'],
    ['malformed', 'SVC-SIGN-V1 key'],
    ['malformed', 'SVC-SIGN-V1 key:1'],
    ['malformed', `SVC-SIGN-V1 ${unknown}:1767225600:${'a'.repeat(64)}:extra`],
    ['malformed', `svc-sign-v1 ${unknown}:1767225600:${'a'.repeat(64)}`],
    ['malformed', `SVC-SIGN-V1 ${unknown}:now:${'a'.repeat(64)}`],
    ['malformed', `SVC-SIGN-V1 ${unknown}:-5:${'a'.repeat(64)}`],
    ['malformed', `SVC-SIGN-V1 ${unknown}:1.5:${'a'.repeat(64)}`],
    ['malformed', 'Bearer'],
    ['unknown_key', `Bearer ${unknown}`],
    ['unknown_key', 'Bearer nonsense'],
    ['wrong_environment', `Bearer sk_live_${'a'.repeat(32)}`],
  ])('%s: %s', async (reason, authorization) => {
    expect(await attempt(authorization)).toEqual([401, reason]);
  });

  test('an empty, short, upper-case, multibyte or altered signature', async () => {
    const { apiKey } = await createTenant(sql);
    const timestamp = String(now());
    const right = signRequest(apiKey, { timestamp, method: 'POST', target: SYNC_PATH, body: bytes });
    const flipped = `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`;
    const multibyte = Buffer.from('é'.repeat(32)).toString('latin1');
    for (const signature of ['', right.slice(0, 32), right.toUpperCase(), multibyte, flipped, `${right}0`]) {
      expect([signature, ...(await attempt(header(apiKey, { timestamp, signature })))]).toEqual([
        signature,
        401,
        'bad_signature',
      ]);
    }
    expect(await attempt(header(apiKey, { timestamp, signature: right }))).toEqual([200, null]);
  });

  test('another method, path or body than the signed one', async () => {
    const { apiKey } = await createTenant(sql);
    expect(await attempt(header(apiKey, { method: 'GET' }))).toEqual([401, 'bad_signature']);
    expect(await attempt(header(apiKey, { target: '/payments' }))).toEqual([401, 'bad_signature']);
    const timestamp = String(now());
    const other = signRequest(apiKey, {
      timestamp,
      method: 'POST',
      target: SYNC_PATH,
      body: new Uint8Array(),
    });
    expect(await attempt(header(apiKey, { timestamp, signature: other }))).toEqual([401, 'bad_signature']);
  });

  test('a timestamp that is 301 s off in either direction; 298 s is accepted', async () => {
    const { apiKey } = await createTenant(sql);
    for (const offset of [-302, 302]) {
      expect(await attempt(header(apiKey, { timestamp: String(now() + offset) }))).toEqual([
        401,
        'stale_timestamp',
      ]);
    }
    for (const offset of [-298, 298]) {
      expect(await attempt(header(apiKey, { timestamp: String(now() + offset) }))).toEqual([200, null]);
    }
  });

  test('an expired key, and a key that expires later', async () => {
    const { id } = await createTenant(sql);
    const old = await createApiKey(sql, id, { expiresAt: new Date(Date.now() - 1000) });
    const valid = await createApiKey(sql, id, { expiresAt: new Date(Date.now() + 60_000) });
    expect(await attempt(`Bearer ${old.apiKey}`)).toEqual([401, 'expired']);
    expect(await attempt(`Bearer ${valid.apiKey}`)).toEqual([200, null]);
  });

  test('a revoked key, from the next request', async () => {
    const { apiKey, apiKeyId } = await createTenant(sql);
    expect(await attempt(`Bearer ${apiKey}`)).toEqual([200, null]);
    await sql`select admin.revoke_api_key(${apiKeyId})`;
    expect(await attempt(`Bearer ${apiKey}`)).toEqual([401, 'revoked']);
  });

  test('an address that is not in the allowlist', async () => {
    const { id } = await createTenant(sql);
    const elsewhere = await createApiKey(sql, id, { ipAllowlist: ['203.0.113.0/24', '2001:db8::/32'] });
    const here = await createApiKey(sql, id, { ipAllowlist: ['203.0.113.7/32', '127.0.0.0/8'] });
    expect(await attempt(`Bearer ${elsewhere.apiKey}`)).toEqual([401, 'address_not_allowed']);
    expect(await attempt(`Bearer ${here.apiKey}`)).toEqual([200, null]);
  });
});

test('a key without the scope gets 403', async () => {
  const { id } = await createTenant(sql);
  const { apiKey } = await createApiKey(sql, id, { scopes: ['payments:read', 'payments:write'] });
  const reply = await sync(apiKey, body);
  expect(reply.status).toBe(403);
  expect(reply.body).toEqual({
    error: { code: 'FORBIDDEN', message: 'This API key lacks the scope default:sync.' },
  });
  expect(reply.headers.get('www-authenticate')).toContain(
    'SVC-SIGN-V1 realm="placar", error="insufficient_scope", scope="default:sync"',
  );
});
