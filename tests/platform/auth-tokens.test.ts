// The emulator of Auth: access tokens and refresh tokens.
import { createHmac } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import {
  claimsOf,
  clientOf,
  createPerson,
  JWT_SECRET,
  refresh,
  signIn,
  useAuthServer,
} from './auth-server.ts';

const server = useAuthServer();
const readUser = (token: string) => clientOf(server).auth.getUser(token);

/** A token of a session that is signed with HS256. */
const signWithSecret = (claims: Record<string, unknown>, secret = JWT_SECRET) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(secret));

test('an access token is signed with the published key and has the claims of Auth', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email.toUpperCase());
  const keySet = createRemoteJWKSet(new URL(`${server.url}/auth/v1/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(session.access_token, keySet, {
    issuer: `${server.url}/auth/v1`,
    audience: 'authenticated',
  });
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: JSON.parse(server.signingKey).kid });
  const now = Math.floor(Date.now() / 1000);
  expect(payload).toEqual({
    iss: `${server.url}/auth/v1`,
    sub: person.id,
    aud: 'authenticated',
    iat: expect.closeTo(now, -1),
    exp: (payload.iat ?? 0) + 3600,
    email: person.email,
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { email_verified: true },
    role: 'authenticated',
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: expect.closeTo(now, -1) }],
    session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    is_anonymous: false,
  });
  expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600, expires_at: payload.exp });
  expect(session.refresh_token).toMatch(/^[a-z0-9]{12}$/);
});

test('the key set has the public key only', async () => {
  const response = await fetch(`${server.url}/auth/v1/.well-known/jwks.json`);
  expect(response.headers.get('cache-control')).toBe('public, max-age=600');
  const { keys } = (await response.json()) as { keys: Record<string, unknown>[] };
  expect(keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })]);
  expect(JSON.stringify(keys)).not.toContain(JSON.parse(server.signingKey).d);
});

test('a secret of HS256 is accepted, with a session; no other signature is', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const claims = claimsOf(session);
  expect((await readUser(await signWithSecret(claims))).data.user?.id).toBe(person.id);

  const [head = '', body = ''] = session.access_token.split('.');
  const keySet = await (await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)).text();
  const withPublicKey = `${Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')}.${body}`;
  const header = JSON.parse(Buffer.from(head, 'base64url').toString());
  const withKid = `${Buffer.from(JSON.stringify({ ...header, alg: 'HS256' })).toString('base64url')}.${body}`;
  const sign = (text: string, secret: string) =>
    `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  const none = `${Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')}.${body}.`;
  const past = await signWithSecret({ ...claims, exp: 1 });
  const tokens = [sign(withPublicKey, keySet), sign(withKid, JWT_SECRET), none, past];
  for (const token of [...tokens, await signWithSecret(claims, 'another secret of more than 32 bytes')]) {
    expect((await readUser(token)).error).toMatchObject({ status: 403, code: 'bad_jwt' });
  }
});

test('a refresh token is used once; the one that replaced it goes on', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const first = await refresh(server, session.refresh_token);
  expect(first.status).toBe(200);
  expect(claimsOf(first.body as never)).toMatchObject({
    session_id: claimsOf(session).session_id,
    amr: [{ method: 'password' }],
  });
  // The client did not get the response: it gets the active token again.
  const again = await refresh(server, session.refresh_token);
  expect(again.body.refresh_token).toBe(first.body.refresh_token);
  expect(first.body.refresh_token).not.toBe(session.refresh_token);
  const [row] = await server.sql`select refreshed_at from auth.sessions where user_id = ${person.id}`;
  expect(row?.refreshed_at).toBeInstanceOf(Date);
});

test('an older refresh token is accepted for ten seconds; later it is a theft, which ends the session', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const second = await refresh(server, session.refresh_token);
  const third = await refresh(server, `${second.body.refresh_token}`);
  await server.sql`
    update auth.refresh_tokens set updated_at = now() - interval '11 seconds'
     where token = ${session.refresh_token}`;
  const theft = await refresh(server, session.refresh_token);
  expect([theft.status, theft.body.error_code]).toEqual([400, 'refresh_token_already_used']);
  const rows = await server.sql`
    select revoked from auth.refresh_tokens where session_id = ${`${claimsOf(session).session_id}`}`;
  expect(rows.map(({ revoked }) => revoked)).toEqual([true, true, true]);
  expect(third.status).toBe(200);
});

test('an older refresh token within ten seconds', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const second = await refresh(server, session.refresh_token);
  await refresh(server, `${second.body.refresh_token}`);
  expect((await refresh(server, session.refresh_token)).status).toBe(200);
});

test('two requests at once get the same next token', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const both = await Promise.all([
    refresh(server, session.refresh_token),
    refresh(server, session.refresh_token),
  ]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(both[0]?.body.refresh_token).toBe(both[1]?.body.refresh_token);
});

test('rejects refresh tokens that are malformed, unknown, or of a session that is over', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  expect((await refresh(server, 'short')).body).toMatchObject({ code: 400, error_code: 'validation_failed' });
  expect((await refresh(server, 'aaaaaaaaaaaa')).body).toMatchObject({
    code: 400,
    error_code: 'refresh_token_not_found',
  });
  await server.sql`update auth.sessions set not_after = now() - interval '1 s' where user_id = ${person.id}`;
  expect((await refresh(server, session.refresh_token)).body).toMatchObject({
    error_code: 'session_expired',
  });
});
