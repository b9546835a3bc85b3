// The emulator of Auth: signing in with a password, access tokens, refresh tokens, signing out, and administering accounts.
import { createHmac } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import {
  claimsOf,
  clientOf,
  createPerson,
  dataOf,
  JWT_SECRET,
  PASSWORD,
  post,
  refresh,
  SECRET_KEY,
  signIn,
  useAuthServer,
} from './auth-server.ts';

const server = useAuthServer();
const admin = () => clientOf(server, SECRET_KEY).auth.admin;
const password = (email: string, given: string) =>
  post(server, '/token?grant_type=password', { email, password: given });
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

test('a session is stored, with the caller', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const rows = await server.sql`select *, host(ip) as ip from auth.sessions where user_id = ${person.id}`;
  expect(rows).toEqual([
    expect.objectContaining({
      id: claimsOf(session).session_id,
      aal: 'aal1',
      not_after: null,
      ip: '127.0.0.1',
      user_agent: expect.stringMatching(/./),
    }),
  ]);
  const [stored] =
    await server.sql`select encrypted_password as hash from auth.users where id = ${person.id}`;
  expect(stored?.hash).toMatch(/^\$2[aby]\$10\$/);
});

test('a wrong password, an unknown address and an account without a password get the same error', async () => {
  const person = await createPerson(server);
  const { user } = dataOf(await admin().inviteUserByEmail('invited@example.com'));
  expect(user.email).toBe('invited@example.com');
  for (const [email, given] of [
    [person.email, 'wrong horse'],
    ['unknown@example.com', PASSWORD],
    ['invited@example.com', ''],
  ] as const) {
    const { status, body } = await password(email, given);
    expect([status, body]).toEqual([
      400,
      { code: 400, error_code: 'invalid_credentials', msg: 'Invalid login credentials' },
    ]);
  }
  const { error } = await clientOf(server).auth.signInWithPassword({ email: person.email, password: 'x' });
  expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' });
});

test('a banned account and one with an unconfirmed address cannot sign in', async () => {
  const person = await createPerson(server);
  const { client, session } = await signIn(server, person.email);
  dataOf(await admin().updateUserById(person.id, { ban_duration: '1h' }));
  expect((await password(person.email, PASSWORD)).body).toMatchObject({
    code: 400,
    error_code: 'user_banned',
  });
  expect((await readUser(session.access_token)).error).toMatchObject({ status: 403, code: 'user_banned' });
  expect((await client.auth.refreshSession()).error).toMatchObject({ status: 400, code: 'user_banned' });

  const email = 'unconfirmed@example.com';
  dataOf(await admin().createUser({ email, password: PASSWORD }));
  expect((await password(email, PASSWORD)).body).toMatchObject({ error_code: 'email_not_confirmed' });
});

test('nobody can register', async () => {
  const { error } = await clientOf(server).auth.signUp({ email: 'new@example.com', password: PASSWORD });
  expect(error).toMatchObject({ status: 422, code: 'signup_disabled' });
  const response = await fetch(`${server.url}/auth/v1/settings`, { headers: { apikey: SECRET_KEY } });
  expect(await response.json()).toMatchObject({
    external: { email: true, google: false, phone: false },
    disable_signup: true,
    mailer_autoconfirm: false,
    saml_enabled: false,
  });
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

test.each([
  ['local', [false, true]],
  ['others', [true, false]],
  ['global', [false, false]],
] as const)('signing out with scope %s', async (scope, remaining) => {
  const person = await createPerson(server);
  const one = await signIn(server, person.email);
  const other = await signIn(server, person.email);
  expect((await one.client.auth.signOut({ scope })).error).toBeNull();
  const answers = await Promise.all([one, other].map(({ session }) => readUser(session.access_token)));
  expect(answers.map(({ error }) => error === null)).toEqual(remaining);
  const ended = answers.filter(({ error }) => error !== null);
  for (const { error } of ended) expect(error?.message).toMatch(/session/i);
  const refreshed = await Promise.all(
    [one, other].map(({ session }) => refresh(server, session.refresh_token)),
  );
  expect(refreshed.map(({ status }) => status === 200)).toEqual(remaining);
});

test('signing out without a token, and with an unknown scope', async () => {
  const person = await createPerson(server);
  const { session } = await signIn(server, person.email);
  const signOut = (token?: string, scope = 'all') =>
    post(server, `/logout?scope=${scope}`, {}, token ? { authorization: `Bearer ${token}` } : {});
  expect(await signOut()).toMatchObject({ status: 401, body: { error_code: 'no_authorization' } });
  expect(await signOut(session.access_token)).toMatchObject({
    status: 400,
    body: { error_code: 'validation_failed' },
  });
  expect((await signOut(session.access_token, 'local')).status).toBe(204);
  expect(await signOut(session.access_token, 'local')).toMatchObject({
    status: 403,
    body: { error_code: 'session_not_found' },
  });
});

test('a person changes the password, which ends the other sessions', async () => {
  const person = await createPerson(server);
  const { client } = await signIn(server, person.email);
  const other = await signIn(server, person.email);
  expect((await client.auth.updateUser({ password: PASSWORD })).error).toMatchObject({
    status: 422,
    code: 'same_password',
  });
  const weak = await client.auth.updateUser({ password: '12345' });
  expect(weak.error).toMatchObject({ status: 422, code: 'weak_password', reasons: ['length'] });
  expect((await client.auth.updateUser({ password: 'x'.repeat(73) })).error).toMatchObject({
    status: 400,
    code: 'validation_failed',
  });

  dataOf(await client.auth.updateUser({ password: 'another horse', data: { theme: 'dark' } }));
  expect((await client.auth.getUser()).data.user?.user_metadata).toEqual({
    email_verified: true,
    theme: 'dark',
  });
  expect((await readUser(other.session.access_token)).error).not.toBeNull();
  expect((await password(person.email, PASSWORD)).status).toBe(400);
  expect((await password(person.email, 'another horse')).status).toBe(200);
});

test('a program with the secret key creates and changes accounts', async () => {
  const person = await createPerson(server);
  expect(person).toMatchObject({ app_metadata: { provider: 'email' }, identities: [{ provider: 'email' }] });
  expect(person.email_confirmed_at).toBeTruthy();
  const taken = await admin().createUser({ email: person.email, password: PASSWORD });
  expect(taken.error).toMatchObject({ status: 422, code: 'email_exists' });

  const { session } = await signIn(server, person.email);
  const email = `moved-${person.email}`;
  const changed = dataOf(
    await admin().updateUserById(person.id, { email, password: 'another horse', email_confirm: true }),
  );
  expect(changed.user).toMatchObject({ email, identities: [{ identity_data: { email } }] });
  expect((await readUser(session.access_token)).error).not.toBeNull();
  expect((await password(email, 'another horse')).status).toBe(200);
  expect((await admin().getUserById(person.id)).data.user?.email).toBe(email);

  const stranger = await clientOf(server).auth.admin.createUser({
    email: 'x@example.com',
    password: PASSWORD,
  });
  expect(stranger.error).toMatchObject({ status: 403, code: 'not_admin' });
});

test('clients of the current version get errors in its format', async () => {
  const headers = { 'x-supabase-api-version': '2024-01-01' };
  const { status, body, headers: answered } = await post(server, '/token?grant_type=other', {}, headers);
  expect([status, body]).toEqual([400, { code: 'invalid_credentials', message: 'unsupported_grant_type' }]);
  expect(answered.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(answered.get('x-sb-error-code')).toBe('invalid_credentials');
});
