// Revoking an access token before it expires (RFC 7009).
import { describe, expect, inject, test } from 'vitest';
import { audiencesOf, resourceServers } from '../../../shared/platform/access/access-tokens.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { ask } from '../../support/mcp/mcp.ts';
import {
  basic,
  type Client,
  createOAuthClient,
  grant,
  requestToken,
  type TokenCall,
} from '../../support/oauth.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();
const functionsUrl = () => `${inject('stack').base_url}/functions/v1`;

async function newClient(): Promise<Client> {
  return createOAuthClient(sql, (await createTenant(sql)).id);
}

async function tokenOf(client: Client): Promise<string> {
  const { status, body } = await requestToken(grant(client));
  expect(status).toBe(200);
  return body.access_token;
}

const revoke = (client: Partial<Client>, token: unknown, options: TokenCall = {}) =>
  requestToken({ ...client, token }, { path: '/revoke', ...options });
const use = async (token: string, method = 'GET') =>
  (await records(token, method, '/leads', method === 'POST' ? lead() : undefined)).status;
const lead = () => ({ name: 'Ana', email: `${crypto.randomUUID()}@example.com` });

describe('a token that its client revoked', () => {
  test('is rejected immediately like an invalid one, for reads, writes and missing scopes; other tokens of the client work', async () => {
    const client = await newClient();
    const [token, other] = [await tokenOf(client), await tokenOf(client)];
    expect([await use(token), await use(token, 'POST')]).toEqual([200, 201]);
    const reply = await revoke(client, token);
    expect([reply.status, reply.body, reply.headers.get('cache-control')]).toEqual([
      200,
      undefined,
      'no-store',
    ]);
    expect([await use(token), await use(token, 'POST')]).toEqual([401, 401]);
    const forbidden = await records(token, 'GET', '/users');
    expect([forbidden.status, forbidden.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="placar", error="invalid_token"',
    ]);
    expect([await use(other), await use(other, 'POST')]).toEqual([200, 201]);
    expect(await use(await tokenOf(client))).toBe(200);
  });

  test.each(
    resourceServers.flatMap((server) => audiencesOf(functionsUrl(), server).map((url) => [server, url])),
  )('is rejected by %s for the audience %s', async (server, audience) => {
    const client = await newClient();
    const { body } = await requestToken(grant(client, { audience }));
    const requestStatus = async () =>
      server === 'mcp' ? (await ask(body.access_token, 'tools/list')).status : await use(body.access_token);
    expect(await requestStatus()).toBe(200);
    expect((await revoke(client, body.access_token)).status).toBe(200);
    expect(await requestStatus()).toBe(401);
  });

  test('can be revoked again', async () => {
    const client = await newClient();
    const token = await tokenOf(client);
    for (let i = 0; i < 2; i++) expect((await revoke(client, token)).status).toBe(200);
    expect(await use(token)).toBe(401);
  });

  test('by a form with HTTP Basic and any hint', async () => {
    const client = await newClient();
    const token = await tokenOf(client);
    const form = new URLSearchParams({ token, token_type_hint: 'refresh_token' });
    const headers = basic(client.client_id, client.client_secret);
    const { status } = await requestToken(form, { path: '/revoke', headers });
    expect(status).toBe(200);
    expect(await use(token)).toBe(401);
  });

  test('is stored until it would have expired, and deleted with the next revocation', async () => {
    const client = await newClient();
    const ended = () => sql`
      select r.token_id from private.revoked_tokens r join oauth_clients c on c.id = r.oauth_client_id
      where c.client_id = ${client.client_id}`;
    await revoke(client, await tokenOf(client));
    const [first] = await ended();
    await sql`update private.revoked_tokens set expires_at = now() - interval '1 second' where token_id = ${first?.token_id}`;
    await revoke(client, await tokenOf(client));
    const rows = await ended();
    expect(rows.length).toBe(1);
    expect(rows[0]?.token_id).not.toBe(first?.token_id);
  });
});

describe('reveals nothing about', () => {
  test('a token of another client, which stays valid', async () => {
    const [mine, theirs] = [await newClient(), await newClient()];
    const token = await tokenOf(theirs);
    const reply = await revoke(mine, token);
    expect([reply.status, reply.body]).toEqual([200, undefined]);
    expect(await use(token)).toBe(200);
  });

  test.each(['nothing', 'a.b.c', 'x'.repeat(5000), 'é'])('text that is not a token: %s', async (token) => {
    const reply = await revoke(await newClient(), token);
    expect([reply.status, reply.body]).toEqual([200, undefined]);
  });

  test('a token, without valid credentials; the token stays valid', async () => {
    const client = await newClient();
    const token = await tokenOf(client);
    const wrong = { ...client, client_secret: 'wrong' };
    const unknown = { client_id: 'client_nobody', client_secret: 'wrong' };
    const replies = await Promise.all([wrong, unknown, {}].map((one) => revoke(one, token)));
    expect(replies.map(({ status, body }) => [status, body.error])).toEqual(
      Array(3).fill([401, 'invalid_client']),
    );
    expect(new Set(replies.map(({ body }) => body.error_description)).size).toBe(1);
    expect(replies.map(({ headers }) => headers.get('www-authenticate'))).toEqual(
      Array(3).fill('Basic realm="placar"'),
    );
    expect(await use(token)).toBe(200);
  });
});

test.each([
  ['no token', (client: Client) => ({ ...client })],
  ['a token that is no text', (client: Client) => ({ ...client, token: 5 })],
])('%s returns 400 invalid_request', async (_, body) => {
  const { status, body: said } = await requestToken(body(await newClient()), { path: '/revoke' });
  expect([status, said.error]).toEqual([400, 'invalid_request']);
});

test('guessing secrets here counts like guessing at the token endpoint', async () => {
  const client = await newClient();
  const headers = { 'CF-Connecting-IP': '203.0.113.77' };
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) {
    const { status } = await revoke({ ...client, client_secret: `wrong ${i}` }, 'x', { headers });
    statuses.push(status);
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
  const limited = await requestToken(grant(client), { headers });
  expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([
    429,
    expect.toSatisfy((n) => n > 0),
  ]);
});

test('GET /revoke returns 405', async () => {
  const reply = await requestToken(undefined, { path: '/revoke', method: 'GET' });
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
});
