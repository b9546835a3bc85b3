// Rejected token requests: the conditions, the errors and the log rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../../shared/platform/request/body.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import {
  basic,
  type Client,
  createOAuthClient,
  grant,
  requestToken,
  type TokenCall,
} from '../../support/oauth.ts';
import { createPerson, exchange } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const newClient = async () => createOAuthClient(sql, (await createTenant(sql)).id);

/** Sends a request and checks that the error has the form of RFC 6749. Returns the status, the error and the log row. */
async function refusal(body: unknown, options: TokenCall = {}) {
  const requestId = crypto.randomUUID();
  const headers = { 'X-Request-Id': requestId, ...options.headers };
  const reply = await requestToken(body, { ...options, headers });
  expectRefusal(reply);
  const row = await waitFor(async () => {
    const rows =
      await sql`select reason, client_id, tenant_id from request_log where request_id = ${requestId}`;
    return rows[0];
  });
  return { reply, said: [reply.status, reply.body.error], row };
}

function expectRefusal({ status, body, headers }: Reply) {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(Object.keys(body)).toEqual(['error', 'error_description']);
  // The characters that RFC 6749, section 5.2 allows.
  expect(body.error).toMatch(/^[a-z_]+$/);
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('x-request-id')).toBeTruthy();
}

describe('invalid_request', () => {
  const form = 'application/x-www-form-urlencoded';

  test.each<[string, unknown, TokenCall?]>([
    ['no body', undefined],
    ['an empty body', ''],
    ['no grant_type', { client_id: 'a', client_secret: 'b' }],
    ['an empty grant_type', { grant_type: '' }],
    ['malformed JSON', '{"grant_type":'],
    ['an array', '[]'],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['JSON nested too deep', '['.repeat(10_000)],
    ['a grant_type that is no text', grant({}, { grant_type: ['client_credentials'] })],
    ['a client_id that is no text', grant({}, { client_id: 5 })],
    ['a client_secret that is no text', grant({}, { client_secret: { $ne: '' } })],
    ['a scope that is no text', grant({ client_id: 'a', client_secret: 'b' }, { scope: ['admin'] })],
    ['an audience that is no text', grant({ client_id: 'a', client_secret: 'b' }, { audience: true })],
    [
      'a repeated parameter',
      'grant_type=client_credentials&client_id=a&client_id=a&client_secret=b',
      { headers: { 'Content-Type': form } },
    ],
    [
      'a repeated scope',
      'grant_type=client_credentials&client_id=a&client_secret=b&scope=x&scope=y',
      { headers: { 'Content-Type': form } },
    ],
    ['parameters in the query', {}, { path: '/token?grant_type=client_credentials' }],
    [
      'credentials in both places',
      grant({ client_id: 'a', client_secret: 'b' }),
      { headers: basic('a', 'b') },
    ],
    ['a secret in the body beside Basic', grant({ client_secret: 'b' }), { headers: basic('a', 'b') }],
    ['another client_id in the body than in Basic', grant({ client_id: 'c' }), { headers: basic('a', 'b') }],
  ])('%s', async (_, body, options) => {
    const { said, reply } = await refusal(body, options);
    expect(said).toEqual([400, 'invalid_request']);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('pragma')).toBe('no-cache');
  });
});

test('a repeated parameter is named; an unknown one is ignored, even if repeated', async () => {
  const { client_id, client_secret } = await newClient();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const asked = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const { reply, said, row } = await refusal(`${asked}&audience=x&scope=a&audience=x&scope=b`, { headers });
  expect([...said, row.reason]).toEqual([400, 'invalid_request', 'repeated_parameter']);
  expect(reply.body.error_description).toBe('Send each of these parameters only once: audience, scope.');
  expect((await requestToken(`${asked}&x=1&x=2`, { headers })).status).toBe(200);
});

test.each(['authorization_code', 'password', 'refresh_token', 'CLIENT_CREDENTIALS', 'client_credentials '])(
  'grant_type %s returns unsupported_grant_type',
  async (grantType) => {
    const { said, row } = await refusal(grant(await newClient(), { grant_type: grantType }));
    expect([...said, row.reason]).toEqual([400, 'unsupported_grant_type', 'unsupported_grant_type']);
  },
);

describe('invalid_client: one response, with its reason in the log', () => {
  const answers = new Set<string>();

  test.each<[string, (own: Client) => Promise<[unknown, TokenCall?]> | [unknown, TokenCall?]]>([
    ['missing', () => [grant({})]],
    ['missing', ({ client_id }) => [grant({ client_id })]],
    ['missing', ({ client_id }) => [grant({ client_id, client_secret: '' })]],
    ['missing', ({ client_secret }) => [grant({ client_secret })]],
    ['malformed', () => [grant({}), { headers: { Authorization: 'Bearer x' } }]],
    ['malformed', () => [grant({}), { headers: { Authorization: '' } }]],
    ['malformed', () => [grant({}), { headers: { Authorization: 'Basic' } }]],
    ['malformed', () => [grant({}), { headers: { Authorization: 'Basic !!!' } }]],
    ['malformed', () => [grant({}), { headers: { Authorization: 'Basic YQ' } }]],
    ['malformed', () => [grant({}), { headers: basic('a', '') }]],
    ['malformed', () => [grant({}), { headers: basic('a', '%zz') }]],
    ['malformed', () => [grant({}), { headers: { Authorization: `Basic ${btoa('a:\xff')}` } }]],
    ['unknown_client', ({ client_secret }) => [grant({ client_id: 'client_x', client_secret })]],
    ['unknown_client', (own) => [grant({ ...own, client_id: `${own.client_id} ` })]],
    ['unknown_client', (own) => [grant({ ...own, client_id: `${own.client_id}\u0000` })]],
    ['unknown_client', (own) => [grant({ ...own, client_id: own.client_id.toUpperCase() })]],
    ['unknown_client', (own) => [grant({ ...own, client_id: 'x'.repeat(10_000) })]],
    ['unknown_client', (own) => [grant({ client_id: own.client_secret, client_secret: own.client_id })]],
    ['wrong_secret', (own) => [grant({ ...own, client_secret: own.client_secret.slice(0, -1) })]],
    ['wrong_secret', (own) => [grant({ ...own, client_secret: `${own.client_secret}\u0000` })]],
    ['wrong_secret', (own) => [grant({ ...own, client_secret: own.client_secret.toLowerCase() })]],
    ['wrong_secret', async (own) => [grant({ ...own, client_secret: (await newClient()).client_secret })]],
    ['wrong_secret', (own) => [grant({}), { headers: basic(own.client_id, 'wrong') }]],
    ['revoked', async (own) => [grant(await revoked(own))]],
    ['revoked', async (own) => [grant({ ...(await revoked(own)), client_secret: 'wrong' })]],
  ])('%s %#', async (reason, make) => {
    const own = await newClient();
    const [body, options] = await make(own);
    const { reply, said, row } = await refusal(body, options);
    expect(said).toEqual([401, 'invalid_client']);
    const known = reason === 'wrong_secret' || reason === 'revoked';
    expect([row.reason, row.client_id, row.tenant_id]).toEqual([
      reason,
      known ? own.client_id : null,
      known ? expect.any(String) : null,
    ]);
    expect(reply.headers.get('www-authenticate')).toBe('Basic realm="placar"');
    answers.add(JSON.stringify(reply.body));
    expect(answers.size).toBe(1);
  });

  async function revoked(own: Client): Promise<Client> {
    expect((await requestToken(grant(own))).status).toBe(200);
    await sql`select admin.revoke_oauth_client(${own.client_id})`;
    return own;
  }

  test('scopes and audience are checked afterwards', async () => {
    const own = await newClient();
    const wrong = { ...own, client_secret: 'wrong' };
    const { said } = await refusal(grant(wrong, { scope: 'none', audience: 'none' }));
    expect(said).toEqual([401, 'invalid_client']);
    const { row } = await refusal(grant(own, { scope: 'none' }));
    expect([row.reason, row.client_id]).toEqual(['invalid_scope', own.client_id]);
  });
});

describe('invalid paths, methods, media types and sizes', () => {
  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s /token', async (method) => {
    const { reply, said } = await refusal(undefined, { method });
    expect(said).toEqual([405, 'method_not_allowed']);
    expect(reply.headers.get('allow')).toBe('POST');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('POST /.well-known/jwks.json', async () => {
    const { reply, said } = await refusal({}, { path: '/.well-known/jwks.json' });
    expect(said).toEqual([405, 'method_not_allowed']);
    expect(reply.headers.get('allow')).toBe('GET, HEAD');
  });

  test.each(['', '/', '/token/', '/tokens', '/.well-known', '/.well-known/jwks'])(
    '/oauth%s',
    async (path) => {
      expect((await refusal(grant({}), { path })).said).toEqual([404, 'not_found']);
    },
  );

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/xml'])('%s', async (type) => {
    const { said } = await refusal(grant({}), { headers: { 'Content-Type': type } });
    expect(said).toEqual([415, 'unsupported_media_type']);
  });

  test('a body of more than 6 MiB', async () => {
    const { said } = await refusal('x'.repeat(MAX_BODY_BYTES + 1));
    expect(said).toEqual([413, 'payload_too_large']);
  });

  test('a form of more than 16 KiB of separators, before it is parsed', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const fits = await refusal('a&'.repeat(8 * 1024), { headers });
    expect(fits.said).toEqual([400, 'invalid_request']);
    const over = await refusal('a&'.repeat(8 * 1024 + 1), { headers });
    expect(over.said).toEqual([413, 'payload_too_large']);
  });
});

test('no secret and no token appears in other responses, the request log or the function logs', async () => {
  const own = await newClient();
  const { body } = await requestToken(grant(own));
  const tries = [
    await refusal(grant({ client_id: own.client_secret, client_secret: own.client_secret })),
    await refusal(grant(own, { scope: own.client_secret })),
    await refusal(grant(own, { audience: own.client_secret })),
    await refusal(grant(own, { grant_type: own.client_secret })),
    await refusal(grant({}), { headers: basic(own.client_secret, 'x') }),
    await refusal(`{"client_secret":"${own.client_secret}`),
    await refusal(grant({}), { path: `/token?client_secret=${own.client_secret}` }),
  ];
  expect(JSON.stringify(tries.map(({ reply, row }) => [reply.body, [...reply.headers], row]))).not.toContain(
    own.client_secret,
  );
  const hash = await sql`
    select encode(s.secret_hash, 'hex') as hash from private.oauth_client_secrets s
    join oauth_clients c on c.id = s.oauth_client_id where c.client_id = ${own.client_id}`;
  const { id: tenantId } = await createTenant(sql);
  const person = await createPerson(sql, tenantId, { access: 'admin' });
  const headers = { 'X-Request-Id': crypto.randomUUID() };
  await exchange(person.token);
  await exchange(person.authToken, { tenant: person.authToken }, { headers });
  const board = await records(person.token, 'POST', '/admin/boards', { name: 'Wall' });
  await records(board.body.data.token, 'GET', '/board');
  await waitFor(
    async () => (await sql`select from request_log where request_id = ${headers['X-Request-Id']}`).length > 0,
  );
  const kept = JSON.stringify(
    await sql`select l::text from request_log l where l.function = 'oauth' or l.tenant_id = ${tenantId}`,
  );
  const written = readFileSync(join(inject('dir'), 'logs', 'functions.log'), 'utf8');
  expect(written).toContain('[oauth]');
  const { d } = JSON.parse(inject('env').OAUTH_SIGNING_KEY ?? '');
  const secrets = [own.client_secret, hash[0]?.hash, body.access_token, d];
  for (const secret of [...secrets, person.token, person.authToken, board.body.data.token]) {
    expect(kept.includes(secret) || written.includes(secret)).toBe(false);
  }
});
