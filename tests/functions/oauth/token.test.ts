// Access tokens: who can get one, and its content.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, inject, test } from 'vitest';
import { allows, recordsScopes } from '../../../shared/platform/access/scopes.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { basic, createOAuthClient, grant, requestToken, type TokenCall } from '../../support/oauth.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const { base_url: baseUrl, auth_url: authUrl } = inject('stack');
const functionsUrl = `${baseUrl}/functions/v1`;
const keySet = createRemoteJWKSet(new URL(`${authUrl}/oauth/.well-known/jwks.json`));

/** Verifies a token with the published keys, as a third-party program does. */
async function read(token: string, audience = functionsUrl) {
  return jwtVerify(token, keySet, { algorithms: ['ES256'], issuer: `${functionsUrl}/oauth`, audience });
}

const client = async (options?: Parameters<typeof createOAuthClient>[2]) => {
  const { id } = await createTenant(sql);
  return { tenantId: id, client: await createOAuthClient(sql, id, options) };
};

describe('a token', () => {
  test('is a JWT that the published keys verify, with all its claims', async () => {
    const { tenantId, client: own } = await client({ variant: 'c' });
    await sql`update tenants set plan = 'professional' where id = ${tenantId}`;
    const requestId = crypto.randomUUID();
    const before = Math.floor(Date.now() / 1000);
    const reply = await requestToken(grant(own), { headers: { 'X-Request-Id': requestId } });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read:leads write:leads',
    });
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('pragma')).toBe('no-cache');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();

    const { payload, protectedHeader } = await read(reply.body.access_token);
    expect(payload).toEqual({
      iss: `${functionsUrl}/oauth`,
      aud: functionsUrl,
      sub: own.client_id,
      client_id: own.client_id,
      tenant_id: tenantId,
      scope: 'read:leads write:leads',
      plan: 'professional',
      requests_per_minute: 500,
      variant: 'c',
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
    expect(payload.iat).toBeLessThanOrEqual(Date.now() / 1000);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });

    const row = await waitFor(async () => (await logRows(requestId))[0]);
    const { client_id } = own;
    expect(row).toEqual({ tenant_id: tenantId, client_id, path: '/oauth/token', status: 200, reason: null });
  });

  test('is a different one each time', async () => {
    const { client: own } = await client();
    const replies = await Promise.all([requestToken(grant(own)), requestToken(grant(own))]);
    expect(replies[0]?.body.access_token).not.toBe(replies[1]?.body.access_token);
  });
});

const logRows = (requestId: string) => sql`
  select tenant_id, client_id, path, status, reason from request_log where request_id = ${requestId}`;

describe('request formats', () => {
  const form = (parameters: Record<string, string>) => new URLSearchParams(parameters);

  test.each<[string, (own: Awaited<ReturnType<typeof createOAuthClient>>) => [unknown, TokenCall]]>([
    ['JSON', (own) => [grant(own), {}]],
    ['JSON with what is unknown or null', (own) => [grant(own, { x: 1, scope: null, audience: null }), {}]],
    ['a form', (own) => [form({ grant_type: 'client_credentials', ...own }), {}]],
    [
      'a form with empty and unknown parameters',
      (own) => [form({ grant_type: 'client_credentials', ...own, scope: '', audience: '', x: '1' }), {}],
    ],
    ['Basic and JSON', (own) => [grant({}), { headers: basic(own.client_id, own.client_secret) }]],
    [
      'Basic and a form',
      (own) => [
        form({ grant_type: 'client_credentials' }),
        { headers: basic(own.client_id, own.client_secret) },
      ],
    ],
    [
      'Basic with the same client_id in the body',
      (own) => [grant({ client_id: own.client_id }), { headers: basic(own.client_id, own.client_secret) }],
    ],
    [
      'Basic with every character form-encoded',
      (own) => [grant({}), { headers: basic(encoded(own.client_id), encoded(own.client_secret)) }],
    ],
    [
      'basic in lower case',
      (own) => {
        const { Authorization } = basic(own.client_id, own.client_secret);
        return [grant({}), { headers: { Authorization: Authorization.replace('Basic', 'basic  ') } }];
      },
    ],
    ['the path with the prefix', (own) => [grant(own), { baseUrl: functionsUrl }]],
    [
      'parameters of a media type',
      (own) => [grant(own), { headers: { 'Content-Type': 'Application/JSON; charset=utf-8' } }],
    ],
  ])('%s', async (_, ask) => {
    const { client: own } = await client();
    const { status, body } = await requestToken(...ask(own));
    expect([status, body.error]).toEqual([200, undefined]);
    expect((await read(body.access_token)).payload.sub).toBe(own.client_id);
  });

  const encoded = (text: string) =>
    [...text].map((char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`).join('');
});

describe('scopes', () => {
  test.each([
    ['read:leads', 'read:leads'],
    ['write:leads read:leads', 'write:leads read:leads'],
    [' read:leads  read:leads ', 'read:leads'],
    ['   ', 'read:leads write:leads'],
  ])('"%s" grants "%s"', async (scope, granted) => {
    const { client: own } = await client();
    const { body } = await requestToken(grant(own, { scope }));
    expect(body.scope).toBe(granted);
    expect((await read(body.access_token)).payload.scope).toBe(granted);
  });

  test.each([
    'read:deals',
    'admin',
    'read:leads read:deals',
    'READ:LEADS',
    'read:leads,write:leads',
    '\u0000',
    'constructor',
  ])('"%s" exceeds the scopes of the client', async (scope) => {
    const { client: own } = await client();
    const { status, body } = await requestToken(grant(own, { scope }));
    expect([status, body.error]).toEqual([400, 'invalid_scope']);
  });

  test('the description names a scope that the client lacks, but does not repeat unknown text', async () => {
    const { client: own } = await client();
    const described = async (scope: string) =>
      (await requestToken(grant(own, { scope }))).body.error_description;
    expect(await described('read:leads write:deals')).toBe(
      'This client does not have the scope write:deals.',
    );
    expect(await described('write:"everything"')).toBe(
      'A requested scope is unknown. Separate scopes by spaces.',
    );
  });

  test('an admin client can request what admin includes, gets admin by default, and no unknown scopes', async () => {
    const { client: own } = await client({ scopes: ['admin'] });
    expect((await requestToken(grant(own))).body.scope).toBe('admin');
    expect((await requestToken(grant(own, { scope: 'write:users' }))).body.scope).toBe('write:users');
    const all = recordsScopes.filter((scope) => allows(['admin'], [scope])).join(' ');
    expect((await requestToken(grant(own, { scope: all }))).body.scope).toBe(all);
    expect((await requestToken(grant(own, { scope: 'write:everything' }))).body.error).toBe('invalid_scope');
  });

  test('the known scopes are those that a client can have', async () => {
    await expect(client({ scopes: [...recordsScopes] })).resolves.toBeDefined();
    const [{ scopes } = {}] = await sql`select private.oauth_scopes() as scopes`;
    expect(scopes).toEqual([...recordsScopes]);
  });
});

describe('audiences', () => {
  test.each([
    [functionsUrl, functionsUrl],
    [`${functionsUrl}/`, functionsUrl],
    [`${functionsUrl}/v1`, `${functionsUrl}/v1`],
    [baseUrl, baseUrl],
    [`${baseUrl}/v1/`, `${baseUrl}/v1`],
  ])('%s', async (audience, aud) => {
    const { client: own } = await client();
    const { body } = await requestToken(grant(own, { audience }));
    expect((await read(body.access_token, aud)).payload.aud).toBe(aud);
  });

  test.each(['https://example.com', `${functionsUrl}/payments`, '/', 'x', '\u0000'])(
    'rejects %j',
    async (audience) => {
      const { client: own } = await client();
      const { status, body } = await requestToken(grant(own, { audience }));
      expect([status, body.error]).toEqual([400, 'invalid_target']);
    },
  );
});

describe('the published keys', () => {
  test('are public, cacheable for an hour, and contain no private part', async () => {
    const response = await fetch(`${authUrl}/oauth/.well-known/jwks.json`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const text = await response.text();
    const { keys } = JSON.parse(text);
    const kid = expect.stringMatching(/^[\w-]{43}$/);
    const { x, y, d } = JSON.parse(inject('env').OAUTH_SIGNING_KEY ?? '');
    expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' }]);
    expect(text).not.toContain(d);
  });

  test('health needs no credentials', async () => {
    const { status, body } = await requestToken(undefined, { method: 'GET', path: '/health' });
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });
});

test('the old secret stays valid for a day after a rotation', async () => {
  const { client: own } = await client();
  const status = async (secret: string) =>
    (await requestToken(grant({ client_id: own.client_id, client_secret: secret }))).status;
  const rotate = async () => {
    const [row] = await sql`select admin.rotate_client_secret(client_id => ${own.client_id}) as secret`;
    return row?.secret as string;
  };
  const second = await rotate();
  expect([await status(own.client_secret), await status(second)]).toEqual([200, 200]);
  await sql`
    update private.oauth_client_secrets s set expires_at = now()
    from oauth_clients c where c.id = s.oauth_client_id and c.client_id = ${own.client_id} and s.expires_at is not null`;
  expect([await status(own.client_secret), await status(second)]).toEqual([401, 200]);
  const third = await rotate();
  expect([await status(own.client_secret), await status(second), await status(third)]).toEqual([
    401, 200, 200,
  ]);
  await sql`select admin.revoke_oauth_client(${own.client_id})`;
  expect([await status(second), await status(third)]).toEqual([401, 401]);
  await expect(rotate()).rejects.toThrow(/^client_id: .* is revoked/);
});
