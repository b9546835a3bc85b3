// Authentication and authorization, which are the same on every route: a new route is covered if the service lists it.
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTokenIssuer } from '../../../shared/platform/access/access-tokens.ts';
import { recordsScopes } from '../../../shared/platform/access/scopes.ts';
import { connectDatabase } from '../../support/database.ts';
import { untilMinuteHas } from '../../support/limits/windows.ts';
import { createToken, records } from '../../support/records/records.ts';
import { expectError, expectNoLimit, limitOf, logRow } from '../../support/records/records-answers.ts';
import {
  createPlan,
  type Furnished,
  furnish,
  sendExample,
  stateOf,
} from '../../support/records/records-furnish.ts';
import { fillPath, routes, sampleFor } from '../../support/records/records-routes.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

let mine: Furnished;
beforeAll(async () => {
  mine = await furnish(sql, await createPlan(sql));
});

const made = new Map<string, ReturnType<typeof createToken>>();
/** A token of the tenant with these scopes. */
function tokenWith(scopes: string[]) {
  const key = scopes.join(' ');
  const known = made.get(key) ?? createToken(sql, mine.tenant.id, { scopes });
  made.set(key, known);
  return known;
}

test.each(routes)('$name has an example body if it accepts one', ({ takesBody, example }) => {
  expect(example !== undefined).toBe(takesBody !== 'none');
});

/** Asserts at the end that the tests of this block changed nothing. */
function expectNothingDone(): void {
  let before: unknown;
  beforeAll(async () => {
    before = await stateOf(sql, mine.tenant.id);
  });
  afterAll(async () => expect(await stateOf(sql, mine.tenant.id), 'nothing was done').toEqual(before));
}

describe('a token', () => {
  expectNothingDone();
  const env = inject('env');
  const signingKey = JSON.parse(env.OAUTH_SIGNING_KEY ?? '');
  const functionsUrl = env.FUNCTIONS_URL ?? '';
  const hourFromNow = Math.floor(Date.now() / 1000) + 3600;

  /** Signed with the service's own key, as valid tokens are, except for this change. */
  async function forged(claims: JWTPayload = {}, header: Record<string, string> = {}): Promise<string> {
    const { id, clientId } = mine.tenant;
    return await new SignJWT({
      client_id: clientId,
      tenant_id: id,
      scope: 'admin',
      plan: 'enterprise',
      variant: 'a',
      iss: `${functionsUrl}/oauth`,
      aud: functionsUrl,
      sub: clientId,
      exp: hourFromNow,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header })
      .sign(await importJWK(signingKey, 'ES256'));
  }

  test('created like the service creates them is valid, so the following ones fail only by their defect', async () => {
    for (const aud of [functionsUrl, `${functionsUrl}/v1`]) {
      expect((await records(await forged({ aud }), 'GET', '/leads')).status).toBe(200);
    }
    const { id: tenantId, clientId } = mine.tenant;
    const subject = { clientId, tenantId, scopes: ['read:leads'], plan: 'starter', variant: 'a' } as const;
    const issuer = createTokenIssuer({ OAUTH_SIGNING_KEY: signingKey, FUNCTIONS_URL: functionsUrl });
    const token = await issuer.issue({ ...subject, scopes: ['read:leads'] }, functionsUrl);
    expect((await records(token, 'GET', '/leads')).status).toBe(200);
  });

  test.each(routes)('$name returns 401 for an invalid token', async (route) => {
    const [head = '', payload = '', signature = ''] = mine.tenant.token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const other = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('admin', 'Admin'));
    type Case = [reason: string, authorization: string | null];
    const defects: Case[] = [
      ['bad_token', `Bearer ${head}.${other.toString('base64url')}.${signature}`],
      ['malformed', 'Bearer'],
      ['malformed', `Basic ${mine.tenant.token}`],
      ['malformed', mine.tenant.token],
      ['malformed', `Bearer ${mine.tenant.token} x`],
      ['bad_token', 'Bearer garbage'],
      ['bad_token', `Bearer ${head}.${payload}.`],
      ['bad_token', `Bearer ${none}.${payload}.`],
      ['bad_token', `Bearer ${await forged({ exp: Math.floor(Date.now() / 1000) - 1 })}`],
      ['bad_token', `Bearer ${await forged({ aud: 'https://elsewhere.example' })}`],
      ['bad_token', `Bearer ${await forged({ iss: 'https://elsewhere.example' })}`],
      ['bad_token', `Bearer ${await forged({}, { typ: 'JWT' })}`],
    ];
    const cases: Case[] = [['missing', null], ...sampleFor(route, defects)];
    const attempts = cases.map(async ([reason, authorization]) => {
      const headers = authorization === null ? undefined : { Authorization: authorization };
      const reply = await sendExample(null, route, mine, headers);
      expectError(reply, 401, 'UNAUTHORIZED');
      expect(reply.headers.get('www-authenticate')).toBe(
        `Bearer realm="placar"${reason === 'bad_token' ? ', error="invalid_token"' : ''}`,
      );
      expectNoLimit(reply);
      const row = await logRow(sql, reply);
      expect(row).toMatchObject({ tenant_id: null, client_id: null, status: 401, reason });
    });
    await Promise.all(attempts);
  });

  // A read and a write check the client in different ways; which routes do either is tested below.
  const some = routes.filter(({ path }) => /^\/(leads|events|batch|stages)/.test(path));
  test.each(some)('$name returns 401 immediately after the client is revoked', async (route) => {
    await untilMinuteHas(2);
    const { id } = mine.tenant;
    const { token, clientId } = await createToken(sql, id);
    const before = limitOf(await records(token, 'GET', '/leads'));
    await sql`select admin.revoke_oauth_client(${clientId})`;
    const reply = await sendExample(token, route, mine);
    expectError(reply, 401, 'UNAUTHORIZED');
    expect(limitOf(reply)).toEqual(before);
    const row = { tenant_id: id, client_id: clientId, status: 401, reason: 'revoked' };
    expect(await logRow(sql, reply)).toMatchObject(row);
    // It was not counted, or the count is reverted.
    const left = async () => limitOf(await records(token, 'GET', '/nothing')).remaining;
    await waitFor(async () => (await left()) === before.remaining);
  });
});

describe('a scope', () => {
  expectNothingDone();

  test.each(routes)('$name returns 403 with every other scope', async (route) => {
    const others = recordsScopes.filter((scope) => scope !== 'admin' && !route.scopes.includes(scope));
    const { token, clientId } = await tokenWith(others);
    await untilMinuteHas(2);
    const before = limitOf(await records(token, 'GET', '/nothing'));
    const reply = await sendExample(token, route, mine);
    expectError(reply, 403, 'FORBIDDEN');
    expect(reply.headers.get('www-authenticate')).toBe(
      `Bearer realm="placar", error="insufficient_scope", scope="${route.scopes.join(' ')}"`,
    );
    expect(limitOf(reply)).toEqual(before);
    expect(await logRow(sql, reply)).toMatchObject({
      ...{ tenant_id: mine.tenant.id, client_id: clientId, status: 403, reason: 'insufficient_scope' },
    });
  });

  test.each(routes)(
    '$name returns 403 once the client lost the scope, although the token has it',
    async (route) => {
      const { token, clientId } = await createToken(sql, mine.tenant.id, { scopes: [...route.scopes] });
      const other = recordsScopes.find((scope) => scope !== 'admin' && !route.scopes.includes(scope)) ?? '';
      await sql`update oauth_clients set scopes = ${[other]} where client_id = ${clientId}`;
      const reply = await sendExample(token, route, mine);
      expectError(reply, 403, 'FORBIDDEN');
      expect(reply.headers.get('www-authenticate')).toBe(
        `Bearer realm="placar", error="insufficient_scope", scope="${route.scopes.join(' ')}"`,
      );
    },
  );

  test('that the client lost neither reads events nor silences a request', async () => {
    const scopes = ['read:leads', 'read:deals', 'write:leads', 'admin'];
    const { token, clientId } = await createToken(sql, mine.tenant.id, { scopes });
    await sql`update oauth_clients set scopes = '{read:leads,write:leads}' where client_id = ${clientId}`;
    const replies = [
      await records(token, 'GET', '/events'),
      await records(token, 'POST', '/leads', {}, { headers: { 'X-Silent': 'true' } }),
    ];
    const missing = replies.map(({ headers }) => headers.get('www-authenticate')?.split('scope=')[1]);
    expect([replies.map(({ status }) => status), missing]).toEqual([
      [403, 403],
      ['"read:deals read:users"', '"admin"'],
    ]);
    expect((await records(token, 'GET', '/leads')).status).toBe(200);
  });

  test.each(routes)('$name accepts each of its scopes', async (route) => {
    for (const scope of route.scopes) {
      const { token } = await tokenWith([scope]);
      // Rejected immediately, so that nothing is executed: only an endpoint that accepts the caller reads this header.
      const reply = await sendExample(token, route, mine, { 'X-Api-Variant': 'x' });
      expectError(reply, 400, 'VALIDATION_ERROR', ['X-Api-Variant']);
    }
  });

  test('for writing does not permit reading', () => {
    for (const { method, scopes, name } of routes) {
      const kind = method === 'GET' ? /^read:/ : /^write:/;
      expect([name, scopes.filter((scope) => !kind.test(scope))]).toEqual([name, []]);
    }
  });
});

describe.each(routes)('$name', (route) => {
  test('accepts admin; the response has the limit, and one log row has the caller and operation', async () => {
    // Requests that end a record need a separate tenant.
    const shares = route.method !== 'DELETE' && !/\/(close|convert|merge|pause)$/.test(route.path);
    const own = shares ? mine : await furnish(sql, await createPlan(sql));
    await untilMinuteHas(2);
    const before = limitOf(await records(own.tenant.token, 'GET', '/nothing'));
    const requestId = `mine-${crypto.randomUUID()}`;
    const reply = await sendExample(own.tenant.token, route, own, { 'X-Request-Id': requestId });
    const { successStatus } = route;
    expect([reply.status, reply.body]).toEqual([
      successStatus,
      successStatus === 204 ? '' : expect.any(Object),
    ]);
    expect(limitOf(reply)).toEqual({ ...before, remaining: before.remaining - 1 });
    expect(reply.headers.get('x-request-id')).toBe(requestId);
    if (reply.body.meta) expect(reply.body.meta.request_id).toBe(requestId);
    const { id, clientId } = own.tenant;
    expect(await logRow(sql, reply)).toEqual({
      ...{ tenant_id: id, client_id: clientId, function: 'v1', status: successStatus, reason: null },
      ...{ method: route.method, path: `/v1${fillPath(route.path, own.ids)}` },
    });
  });
});
