import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Hono } from 'hono';
import { verify } from 'hono/jwt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuth } from '../../local/parts/auth.ts';
import {
  createSupabaseClient,
  type PlatformDatabase,
  serveApp,
  startPlatformDatabase,
} from './platform-database.ts';

const SECRET_KEY = 'sb_secret_of_the_test';
const PUBLISHABLE_KEY = 'sb_publishable_of_the_test';
const JWT_SECRET = 'a secret that signs tokens, 32 bytes at least';
const REDIRECT = 'https://app.example.com/welcome';

let database: PlatformDatabase;
let server: Awaited<ReturnType<typeof serveApp>>;
let mails: { to: string; subject: string; text: string }[];
let admin: SupabaseClient['auth']['admin'];

const newClient = (key: string) => createSupabaseClient(server.url, key);
const newEmail = () => `${randomUUID()}@example.com`;

beforeAll(async () => {
  database = await startPlatformDatabase();
  mails = [];
  const gateway = new Hono();
  server = await serveApp(gateway);
  const auth = createAuth({
    sql: database.sql,
    publicUrl: server.url,
    secretKeys: [SECRET_KEY],
    publishableKeys: [PUBLISHABLE_KEY],
    jwtSecret: JWT_SECRET,
    onMail: (mail) => void mails.push(mail),
  });
  gateway.route('/auth/v1', auth);
  admin = newClient(SECRET_KEY).auth.admin;
}, 60_000);
afterAll(async () => {
  await server?.close();
  await database?.stop();
});

async function createUser(attributes: Parameters<typeof admin.createUser>[0] = {}) {
  const { data, error } = await admin.createUser({ email: newEmail(), email_confirm: true, ...attributes });
  if (error) throw error;
  return data.user;
}

function readMailedLink(email: string): URL {
  const text = mails.findLast((mail) => mail.to === email)?.text ?? '';
  return new URL(/https?:\S+/.exec(text)?.[0] ?? '');
}

const follow = (link: URL | string) => fetch(link, { redirect: 'manual' });

const readFragment = (response: Response) =>
  Object.fromEntries(new URLSearchParams(new URL(response.headers.get('location') ?? '').hash.slice(1)));

test('an invitation is mailed, and its link accepts it once', async () => {
  const email = newEmail();
  const options = { data: { name: 'José' }, redirectTo: REDIRECT };
  const { data, error } = await admin.inviteUserByEmail(email.toUpperCase(), options);
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, user_metadata: { name: 'José' }, role: 'authenticated' });
  expect(data.user?.invited_at).toBeTruthy();
  expect(data.user?.confirmed_at).toBeUndefined();

  const link = readMailedLink(email);
  expect(link.href).toMatch(`${server.url}/auth/v1/verify?token=`);
  expect(Object.fromEntries(link.searchParams)).toMatchObject({ type: 'invite', redirect_to: REDIRECT });
  const accepted = await follow(link);
  expect(accepted.status).toBe(303);
  expect(accepted.headers.get('location')).toMatch(`${REDIRECT}#`);
  expect(readFragment(accepted)).toMatchObject({ type: 'invite', token_type: 'bearer' });

  const { data: after } = await admin.getUserById(data.user?.id ?? '');
  expect(after.user?.email_confirmed_at).toBeTruthy();
  expect(readFragment(await follow(link))).toMatchObject({ error_code: 'otp_expired' });
});

test('a link without an address to go to answers a page', async () => {
  const email = newEmail();
  await admin.inviteUserByEmail(email);
  const link = readMailedLink(email);
  link.searchParams.set('redirect_to', 'javascript:alert(1)');
  const accepted = await follow(link);
  expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining('Confirmed')]);
  expect((await follow(link)).status).toBe(403);
});

test('inviting a confirmed address again is 422; one that did not accept yet gets a new link', async () => {
  const email = newEmail();
  const first = await admin.inviteUserByEmail(email);
  const oldLink = readMailedLink(email);
  const second = await admin.inviteUserByEmail(email);
  expect(second.error).toBeNull();
  expect(second.data.user?.id).toBe(first.data.user?.id);
  expect((await follow(readMailedLink(email))).status).toBe(303);
  expect(readFragment(await follow(oldLink))).toMatchObject({ error_code: 'otp_expired' });

  const third = await admin.inviteUserByEmail(email);
  expect(third.error).toMatchObject({ status: 422, code: 'email_exists' });
});

test('a link older than a day is refused', async () => {
  const email = newEmail();
  await admin.inviteUserByEmail(email, { redirectTo: REDIRECT });
  await database.sql`
    update auth.users set confirmation_sent_at = now() - interval '25 hours' where email = ${email}`;
  expect(readFragment(await follow(readMailedLink(email)))).toMatchObject({ error_code: 'otp_expired' });
});

test('users are created, read, listed, updated and deleted', async () => {
  const user = await createUser({ user_metadata: { a: 1, b: 2 }, app_metadata: { tenant: 't' } });
  expect(user.email_confirmed_at).toBeTruthy();
  expect(user.app_metadata).toEqual({ provider: 'email', providers: ['email'], tenant: 't' });

  const email = newEmail();
  const updated = await admin.updateUserById(user.id, { email, user_metadata: { a: null, c: 'ção' } });
  expect(updated.data.user).toMatchObject({ id: user.id, email, user_metadata: { b: 2, c: 'ção' } });
  expect((await admin.getUserById(user.id)).data).toEqual(updated.data);

  const other = await createUser();
  const page = await admin.listUsers({ page: 1, perPage: 1 });
  expect(page.data.users.map(({ id }) => id)).toEqual([other.id]);
  const [row] = await database.sql`select count(*)::int as total from auth.users`;
  expect(page.data).toMatchObject({ total: row?.total, nextPage: 2 });

  expect((await admin.deleteUser(user.id)).error).toBeNull();
  expect((await admin.getUserById(user.id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
  expect((await admin.deleteUser(user.id)).error).toMatchObject({ status: 404 });
});

test('an address belongs to one user', async () => {
  const [one, two] = [await createUser(), await createUser()];
  const email = one.email ?? '';
  expect((await admin.createUser({ email })).error).toMatchObject({ status: 422, code: 'email_exists' });
  expect((await admin.updateUserById(two.id, { email })).error).toMatchObject({ code: 'email_exists' });
});

test('a deleted user whom a row still needs stays', async () => {
  const user = await createUser();
  const table = database.sql(`points_at_users_${Date.now()}`);
  await database.sql`create table ${table} (user_id uuid references auth.users)`;
  await database.sql`insert into ${table} values (${user.id})`;
  expect((await admin.deleteUser(user.id)).error).toMatchObject({ status: 500 });
  await database.sql`drop table ${table}`;
  expect((await admin.deleteUser(user.id)).error).toBeNull();
});

test('a softly deleted user keeps the row and frees the address', async () => {
  const user = await createUser();
  expect((await admin.deleteUser(user.id, true)).error).toBeNull();
  const [row] = await database.sql`select email, deleted_at from auth.users where id = ${user.id}`;
  expect(row).toEqual({ email: expect.not.stringContaining('@'), deleted_at: expect.any(Date) });
  expect((await admin.createUser({ email: user.email ?? '' })).error).toBeNull();
});

test('a ban keeps a user from signing in until it is lifted', async () => {
  const password = randomUUID();
  const user = await createUser({ password });
  const credentials = { email: user.email ?? '', password };
  const banned = await admin.updateUserById(user.id, { ban_duration: '876000h' });
  expect(new Date(banned.data.user?.banned_until ?? 0).getFullYear()).toBeGreaterThan(2100);
  const refused = await newClient(PUBLISHABLE_KEY).auth.signInWithPassword(credentials);
  expect(refused.error).toMatchObject({ code: 'user_banned' });

  const lifted = await admin.updateUserById(user.id, { ban_duration: 'none' });
  expect(lifted.data.user?.banned_until).toBeUndefined();
  expect((await newClient(PUBLISHABLE_KEY).auth.signInWithPassword(credentials)).error).toBeNull();
  const wrong = await admin.updateUserById(user.id, { ban_duration: 'forever' });
  expect(wrong.error).toMatchObject({ status: 400, code: 'validation_failed' });
});

test('signing in with a password gives a token of the role authenticated', async () => {
  const user = await createUser();
  const credentials = { email: user.email ?? '', password: 'senha é longa' };
  const client = newClient(PUBLISHABLE_KEY);
  expect((await client.auth.signInWithPassword(credentials)).error).toMatchObject({
    status: 400,
    code: 'invalid_credentials',
  });
  await admin.updateUserById(user.id, { password: credentials.password });
  const { data } = await client.auth.signInWithPassword(credentials);
  const claims = await verify(data.session?.access_token ?? '', JWT_SECRET, 'HS256');
  expect(claims).toMatchObject({
    sub: user.id,
    role: 'authenticated',
    aud: 'authenticated',
    email: user.email,
  });
  expect((await client.auth.getUser()).data.user?.id).toBe(user.id);
  expect((await client.auth.refreshSession()).data.user?.id).toBe(user.id);
  const [row] = await database.sql`select encrypted_password from auth.users where id = ${user.id}`;
  expect(row?.encrypted_password).toMatch(/^\$2a\$/);
});

test('an address that is not confirmed can not sign in', async () => {
  const credentials = { email: newEmail(), password: randomUUID() };
  await admin.createUser(credentials);
  const { error } = await newClient(PUBLISHABLE_KEY).auth.signInWithPassword(credentials);
  expect(error).toMatchObject({ code: 'email_not_confirmed' });
});

test.each(['invite', 'signup', 'magiclink', 'recovery'] as const)(
  'a generated link of type %s is verified once, by its hash',
  async (type) => {
    const email = type === 'recovery' ? ((await createUser()).email ?? '') : newEmail();
    const options = { redirectTo: REDIRECT };
    const { data, error } = await (type === 'signup'
      ? admin.generateLink({ type, email, password: randomUUID(), options })
      : admin.generateLink({ type, email, options }));
    if (error) throw error;
    expect(data.user.email).toBe(email);
    expect(data.properties.redirect_to).toBe(REDIRECT);
    expect(data.properties.action_link).toContain(`token=${data.properties.hashed_token}`);
    expect(mails.filter(({ to }) => to === email)).toEqual([]);

    const token = {
      type: data.properties.verification_type as typeof type,
      token_hash: data.properties.hashed_token,
    };
    const verified = await newClient(PUBLISHABLE_KEY).auth.verifyOtp(token);
    expect(verified.error).toBeNull();
    expect(verified.data.user?.email_confirmed_at).toBeTruthy();
    expect(verified.data.session?.access_token).toBeTruthy();
    const again = await newClient(PUBLISHABLE_KEY).auth.verifyOtp(token);
    expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' });
  },
);

test('a token is good for its own type, and for the code that stands for it', async () => {
  const email = newEmail();
  const { data } = await admin.generateLink({ type: 'invite', email });
  const { hashed_token: token_hash = '', email_otp: token = '' } = data.properties ?? {};
  const client = newClient(PUBLISHABLE_KEY);
  expect((await client.auth.verifyOtp({ type: 'recovery', token_hash })).error).toMatchObject({
    code: 'otp_expired',
  });
  expect((await client.auth.verifyOtp({ type: 'invite', email, token })).error).toBeNull();
  const recovery = await admin.generateLink({ type: 'recovery', email: newEmail() });
  expect(recovery.error).toMatchObject({ status: 404, code: 'user_not_found' });
});

test('only a secret key administers users', async () => {
  const user = await createUser();
  const stranger = newClient(PUBLISHABLE_KEY).auth.admin;
  expect((await stranger.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' });
  expect((await stranger.inviteUserByEmail(newEmail())).error).toMatchObject({ status: 403 });
  expect((await stranger.deleteUser(user.id)).error).toMatchObject({ status: 403 });
  expect((await newClient('sb_secret_wrong').auth.admin.listUsers()).error).toMatchObject({ status: 401 });
  expect((await fetch(`${server.url}/auth/v1/admin/users`)).status).toBe(401);
  const userToken = await fetch(`${server.url}/auth/v1/admin/users`, {
    headers: { apikey: SECRET_KEY, authorization: 'Bearer a.user.token' },
  });
  expect(userToken.status).toBe(403);
});

test('what is not right about a request is said', async () => {
  expect((await admin.createUser({ email: 'not an address' })).error).toMatchObject({
    code: 'validation_failed',
  });
  expect((await admin.createUser({})).error).toMatchObject({ status: 400, code: 'validation_failed' });
  const response = await fetch(`${server.url}/auth/v1/invite`, {
    method: 'POST',
    headers: { apikey: SECRET_KEY },
    body: '{',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { code: 400, error_code: 'bad_json', msg: expect.any(String) },
  ]);
});

test('postgres may put a trigger on auth.users, but anon and authenticated may not read it', async () => {
  const { sql } = database;
  await sql`create function public.trigger_of_the_test() returns trigger language plpgsql as 'begin return new; end'`;
  await sql`create trigger of_the_test after insert on auth.users
              for each row execute function public.trigger_of_the_test()`;
  await createUser();
  await sql`drop function public.trigger_of_the_test() cascade`;
  for (const role of ['anon', 'authenticated']) {
    const reading = sql.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true)`;
      return tx`select * from auth.users`;
    });
    await expect(reading).rejects.toThrow('permission denied');
  }
});

test('auth.uid, auth.role and auth.jwt read the claims of the session', async () => {
  const id = randomUUID();
  const claims = JSON.stringify({ sub: id, role: 'authenticated' });
  const [row] = await database.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${claims}, true)`;
    return tx`select auth.uid() as uid, auth.role() as role, auth.jwt() as jwt`;
  });
  expect(row).toEqual({ uid: id, role: 'authenticated', jwt: { sub: id, role: 'authenticated' } });
});
