// POST /token with the grant token-exchange: persons get tokens for the session of their account.
import { createRemoteJWKSet, decodeJwt, jwtVerify, SignJWT } from 'jose';
import { URI } from 'otpauth';
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { basic, createOAuthClient, grant, requestToken } from '../../support/oauth.ts';
import {
  ACCESS_TOKEN,
  auth,
  createAccount,
  createPerson,
  exchange,
  signInToAuth,
  TOKEN_EXCHANGE,
} from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const functionsUrl = () => `${inject('stack').base_url}/functions/v1`;
const meStatus = async (token: string) => (await records(token, 'GET', '/standings')).status;

test('answers by form and by JSON with a token of 15 minutes that names nobody', async () => {
  const { id: tenantId } = await createTenant(sql);
  const person = await createPerson(sql, tenantId);
  const [tenant] = await sql`select slug, name from tenants where id = ${tenantId}`;
  const form = new URLSearchParams({
    grant_type: TOKEN_EXCHANGE,
    subject_token: person.authToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    requested_token_type: ACCESS_TOKEN,
  });
  for (const reply of [await exchange(person.authToken), await requestToken(form)]) {
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(reply.body).toEqual({
      access_token: expect.any(String),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'self read:standings',
      tenant: { id: tenantId, slug: tenant?.slug, name: tenant?.name },
    });
    const keys = createRemoteJWKSet(new URL(`${functionsUrl()}/oauth/.well-known/jwks.json`));
    const { payload } = await jwtVerify(reply.body.access_token, keys, { typ: 'at+jwt' });
    expect(payload).toMatchObject({
      sub: person.userId,
      kind: 'person',
      aal: 'aal1',
      sid: expect.any(String),
    });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(900);
    expect(Object.keys(payload)).not.toContain('client_id');
    expect(JSON.stringify(payload)).not.toMatch(/Ana|people\.example/);
    expect(await meStatus(reply.body.access_token)).toBe(200);
  }
});

test('the metadata name the grant and the scopes', async () => {
  const reply = await fetch(`${functionsUrl()}/oauth/.well-known/oauth-authorization-server`);
  const metadata = await reply.json();
  expect(metadata.grant_types_supported).toEqual(['client_credentials', TOKEN_EXCHANGE]);
  expect(metadata.scopes_supported).toEqual(expect.arrayContaining(['self', 'read:standings']));
});

describe('the workspace', () => {
  test('is chosen by slug or id; of several one must be named; foreign and unknown ones look alike', async () => {
    const account = await createAccount();
    const tenants = [await createTenant(sql), await createTenant(sql)];
    const people = await Promise.all(tenants.map(({ id }) => createPerson(sql, id, { account })));
    const foreign = await createTenant(sql);
    const rows =
      await sql`select id, slug, name from tenants where id = any (${tenants.map(({ id }) => id)}) order by name`;
    const workspaces = rows.map(({ slug, name }) => ({ slug, name }));
    const token = people[0]?.authToken ?? '';
    for (const { id, slug } of rows) {
      for (const tenant of [id, slug]) {
        const reply = await exchange(token, { tenant });
        expect([reply.status, reply.body.tenant.id]).toEqual([200, id]);
      }
    }
    expect((await exchange(token)).body).toEqual({
      error: 'invalid_target',
      error_description: expect.any(String),
      reason: 'workspace_needed',
      workspaces,
    });
    const [unknown, other] = [
      await exchange(token, { tenant: 'nobody' }),
      await exchange(token, { tenant: foreign.id }),
    ];
    expect([unknown.status, unknown.body.reason, unknown.body.workspaces]).toEqual([
      400,
      'workspace_unknown',
      workspaces,
    ]);
    expect(other.body).toEqual(unknown.body);
  });

  test('needs an active user who is linked to the account', async () => {
    const account = await createAccount();
    const { id: tenantId } = await createTenant(sql);
    const token = await signInToAuth(account.email);
    const nobody = async () => {
      const { status, body } = await exchange(token, { tenant: tenantId });
      return [status, body.error, body.reason, body.workspaces];
    };
    expect(await nobody()).toEqual([400, 'invalid_request', 'not_a_member', undefined]);
    // The address alone is no link.
    await sql`insert into users (tenant_id, name, email) values (${tenantId}, 'Ana', ${account.email})`;
    await sql`delete from private.user_accounts where tenant_id = ${tenantId}`;
    expect(await nobody()).toEqual([400, 'invalid_request', 'not_a_member', undefined]);
  });

  test('the link follows the account, not its address; another address in users ends it', async () => {
    const { id: tenantId } = await createTenant(sql);
    const person = await createPerson(sql, tenantId);
    await sql`update auth.users set email = ${`moved-${person.email}`} where id = ${person.id}`;
    expect((await exchange(person.authToken)).status).toBe(200);
    await sql`update users set email = ${`other-${person.email}`} where id = ${person.userId}`;
    expect((await exchange(person.authToken)).body.reason).toBe('not_a_member');
    expect(await meStatus(person.token)).toBe(401);
  });

  test('is one, whose first user the person stays, when the account has the address of a second one', async () => {
    const { id: tenantId } = await createTenant(sql);
    const person = await createPerson(sql, tenantId);
    const moved = `moved-${person.email}`;
    await sql`update auth.users set email = ${moved} where id = ${person.id}`;
    await sql`insert into users (tenant_id, name, email, role) values (${tenantId}, 'Bia', ${moved}, 'admin')`;
    const { status, body } = await exchange(person.authToken);
    expect([status, body.scope]).toEqual([200, 'self read:standings']);
  });

  test('the account of another address is not linked when users get that address', async () => {
    const { id: tenantId } = await createTenant(sql);
    const [person, stranger] = [await createPerson(sql, tenantId, { role: 'admin' }), await createAccount()];
    await sql`update users set email = ${stranger.email} where id = ${person.userId}`;
    expect((await exchange(await signInToAuth(stranger.email))).body.reason).toBe('not_a_member');
    expect((await exchange(person.authToken)).body.reason).toBe('not_a_member');
  });
});

test('scopes: a subset, all, those that read for MCP; a scope that the person lacks is refused', async () => {
  const { id: tenantId } = await createTenant(sql);
  const { authToken } = await createPerson(sql, tenantId, { access: 'manager' });
  const scopeOf = async (more: Record<string, unknown>) => {
    const { body } = await exchange(authToken, more);
    return body.scope ?? body.error;
  };
  const mcp = `${functionsUrl()}/mcp`;
  expect(await scopeOf({ scope: 'self read:leads' })).toBe('self read:leads');
  expect(await scopeOf({})).toBe(
    'self read:standings read:leads write:leads read:deals write:deals read:users read:teams read:settings read:payments request:payouts',
  );
  expect(await scopeOf({ resource: mcp })).toBe(
    'read:leads read:deals read:users read:teams read:standings read:settings read:payments',
  );
  expect(await scopeOf({ scope: 'admin' })).toBe('invalid_scope');
  expect(await scopeOf({ audience: 'https://elsewhere.example' })).toBe('invalid_target');
  const { body } = await exchange(authToken, { resource: mcp });
  expect(await meStatus(body.access_token)).toBe(401);
});

test.each([
  ['no subject token', { subject_token: undefined }],
  ['no type', { subject_token_type: undefined }],
  ['another type', { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }],
  ['another requested type', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
  ['an actor', { actor_token: 'x' }],
  ['a client', { client_id: 'client_x', client_secret: 'y' }],
  ['a secret', { client_secret: 'y' }],
  ['a number', { subject_token: 5 }],
])('%s is an invalid request', async (_, more) => {
  const { status, body } = await exchange('a.b.c', more);
  expect([status, body.error, body.reason]).toEqual([400, 'invalid_request', undefined]);
});

test('tokens that are not of a session of Auth get one answer, and the log says why', async () => {
  const { id } = await createTenant(sql);
  const person = await createPerson(sql, id, { access: 'admin' });
  const client = await createOAuthClient(sql, id, { scopes: ['admin'] });
  const { body: ofClient } = await requestToken(grant(client));
  const claims = decodeJwt(person.authToken);
  const anonKey = await new SignJWT({ iss: claims.iss ?? '', role: 'anon' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(inject('stack').jwt_secret));
  const { default: publishable } = JSON.parse(inject('env').SUPABASE_PUBLISHABLE_KEYS ?? '{}');
  const ended = await createPerson(sql, id);
  await sql`delete from auth.sessions where user_id = ${ended.id}`;
  const answers = new Set<string>();
  const reasons = new Set<string>();
  for (const token of [person.token, ofClient.access_token, anonKey, publishable, ended.authToken, 'x']) {
    const requestId = crypto.randomUUID();
    const { status, body } = await exchange(token, {}, { headers: { 'X-Request-Id': requestId } });
    answers.add(JSON.stringify([status, body]));
    const row = await waitFor(async () => {
      const rows = await sql`select reason, status from request_log where request_id = ${requestId}`;
      return rows[0];
    });
    reasons.add(row.reason);
  }
  expect([...answers]).toEqual([
    JSON.stringify([
      400,
      {
        error: 'invalid_request',
        error_description: 'The subject token is not a valid access token of a session of Auth.',
        reason: 'subject_token_invalid',
      },
    ]),
  ]);
  expect(reasons).toContain('subject_token_session');
  for (const reason of reasons) expect(reason).toMatch(/^subject_token_/);
});

test('a session with a second factor gets a token of a workspace that requires one, which lives on when it is required', async () => {
  const { id: tenantId } = await createTenant(sql);
  const person = await createPerson(sql, tenantId);
  const { body: factor } = await auth(
    'POST',
    '/factors',
    { factor_type: 'totp' },
    { token: person.authToken },
  );
  const path = `/factors/${factor.id}`;
  const { body: challenge } = await auth('POST', `${path}/challenge`, {}, { token: person.authToken });
  const { uri } = factor.totp as { uri: string };
  const { body: raised } = await auth(
    'POST',
    `${path}/verify`,
    { challenge_id: challenge.id, code: URI.parse(uri).generate() },
    { token: person.authToken },
  );
  const withFactor = await exchange(String(raised.access_token));
  expect(decodeJwt(withFactor.body.access_token).aal).toBe('aal2');
  await sql`update tenants set require_mfa = true where id = ${tenantId}`;
  expect([await meStatus(withFactor.body.access_token), await meStatus(person.token)]).toEqual([200, 401]);
  expect((await exchange(String(raised.access_token))).status).toBe(200);
  // The token from before the factor is of the same session.
  expect((await exchange(person.authToken)).body.reason).toBe('mfa_required');
});

test('credentials in the header are an invalid request', async () => {
  const { status, body } = await exchange('a.b.c', {}, { headers: basic('client_x', 'y') });
  expect([status, body.error]).toEqual([400, 'invalid_request']);
});

test('requests without the scope count to the burst of the person, whichever tokens, and to nobody else', async () => {
  const { id: tenantId } = await createTenant(sql);
  const [person, other] = [await createPerson(sql, tenantId), await createPerson(sql, tenantId)];
  const second = (await exchange(person.authToken)).body.access_token;
  const refused = async () => {
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, i) => records(i % 2 ? second : person.token, 'GET', '/leads')),
    );
    return replies.map(({ status }) => status);
  };
  // At most one window of ten seconds ends meanwhile.
  const statuses = [...(await refused()), ...(await refused())];
  expect(new Set(statuses)).toEqual(new Set([403, 429]));
  expect(await meStatus(other.token)).toBe(200);
});
