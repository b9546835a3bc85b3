// The emulator of Auth: signing in with a password, sessions, signing out, and administering accounts.
import { expect, test } from 'vitest';
import {
  claimsOf,
  clientOf,
  createPerson,
  dataOf,
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
  expect(stored?.hash).toMatch(/^\$2[aby]\$04\$/);
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
