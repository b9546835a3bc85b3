// What ends the tokens of a person: from the next request on, at all functions that accept them, and there is no new one.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { ask, mcpUrl } from '../../support/mcp/mcp.ts';
import { requestToken } from '../../support/oauth.ts';
import { auth, createPerson, exchange, type Person } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';

const sql = connectDatabase();

interface Tokens {
  api: string;
  mcp: string;
}

/** Someone of finance, with a token for the API and one for MCP. */
async function signedIn(): Promise<{ person: Person; tokens: Tokens }> {
  const { id: tenantId } = await createTenant(sql);
  const person = await createPerson(sql, tenantId, { access: 'finance' });
  const { body } = await exchange(person.authToken, { resource: mcpUrl() });
  return { person, tokens: { api: person.token, mcp: body.access_token } };
}

/** Answers of `v1`, `payments` and `mcp`. */
async function statusesOf({ api, mcp }: Tokens): Promise<number[]> {
  const payments = `${inject('stack').base_url}/functions/v1/payments/invoices`;
  const replies = await Promise.all([
    records(api, 'GET', '/standings'),
    fetch(payments, { headers: { authorization: `Bearer ${api}` } }),
    ask(mcp, 'tools/list'),
  ]);
  return replies.map(({ status }) => status);
}

const ends: [string, (person: Person) => Promise<unknown>, string][] = [
  [
    'deactivated',
    ({ userId }) => sql`update users set status = 'deactivated' where id = ${userId}`,
    'not_a_member',
  ],
  ['removed', ({ userId }) => sql`delete from users where id = ${userId}`, 'not_a_member'],
  [
    'banned',
    ({ id }) => sql`update auth.users set banned_until = now() + interval '1 hour' where id = ${id}`,
    'subject_token_invalid',
  ],
  [
    'signed out',
    ({ authToken }) => auth('POST', '/logout?scope=local', undefined, { token: authToken }),
    'subject_token_invalid',
  ],
  [
    'in a session that is over',
    ({ id }) => sql`update auth.sessions set not_after = now() where user_id = ${id}`,
    'subject_token_invalid',
  ],
  ['without an account', ({ id }) => sql`delete from auth.users where id = ${id}`, 'subject_token_invalid'],
  [
    'without a confirmed address',
    ({ id }) => sql`update auth.users set email_confirmed_at = null where id = ${id}`,
    'subject_token_invalid',
  ],
  [
    'not linked to the account any more',
    ({ userId }) => sql`delete from private.user_accounts where user_id = ${userId}`,
    'not_a_member',
  ],
  [
    'of a workspace with sign-in off',
    ({ tenantId }) => sql`update tenants set sign_in = false where id = ${tenantId}`,
    'not_a_member',
  ],
  [
    'of a workspace that requires a second factor',
    ({ tenantId }) => sql`update tenants set require_mfa = true where id = ${tenantId}`,
    'mfa_required',
  ],
];

describe.each(ends)('a person who is %s', (_, end, reason) => {
  test('has no valid token from the next request on, and gets none', async () => {
    const { person, tokens } = await signedIn();
    expect(await statusesOf(tokens)).toEqual([200, 200, 200]);
    await end(person);
    expect(await statusesOf(tokens)).toEqual([401, 401, 401]);
    const reply = await exchange(person.authToken);
    expect([reply.status, reply.body.error, reply.body.reason]).toEqual([400, 'invalid_request', reason]);
  });
});

test.each([
  ['role', ({ userId }: Person) => sql`update users set role = 'viewer' where id = ${userId}`],
  [
    'access',
    ({ tenantId, email }: Person) =>
      sql`select admin.set_user_access(slug, ${email}, 'manager') from tenants where id = ${tenantId}`,
  ],
] as const)('another %s ends the tokens; the next exchange has the scopes of it', async (_, change) => {
  const { person, tokens } = await signedIn();
  await change(person);
  expect(await statusesOf(tokens)).toEqual([401, 401, 401]);
  const { status, body } = await exchange(person.authToken);
  const [row] =
    await sql`select private.scopes_of_user(tenant_id, id) as scopes from users where id = ${person.userId}`;
  expect([status, new Set(body.scope.split(' '))]).toEqual([200, new Set(row?.scopes)]);
  expect((await records(body.access_token, 'GET', '/standings')).status).toBe(200);
});

test('signing out everywhere ends the tokens of all sessions', async () => {
  const { person, tokens } = await signedIn();
  const other = await createPerson(sql, (await createTenant(sql)).id, { account: person });
  await auth('POST', '/logout?scope=global', undefined, { token: other.authToken });
  expect(await statusesOf(tokens)).toEqual([401, 401, 401]);
});

test('a person revokes tokens with nothing but the token; the others stay', async () => {
  const { person, tokens } = await signedIn();
  const { body: other } = await exchange(person.authToken);
  for (const token of [tokens.api, tokens.mcp, tokens.api])
    expect((await requestToken({ token }, { path: '/revoke' })).status).toBe(200);
  expect(await statusesOf(tokens)).toEqual([401, 401, 401]);
  expect((await records(other.access_token, 'GET', '/standings')).status).toBe(200);
});

test('revoking an invalid token of a person is 200 as well', async () => {
  const { tokens } = await signedIn();
  const forged = `${tokens.api.slice(0, -8)}AAAAAAAA`;
  expect((await requestToken({ token: forged }, { path: '/revoke' })).status).toBe(200);
  expect(await statusesOf(tokens)).toEqual([200, 200, 200]);
});
