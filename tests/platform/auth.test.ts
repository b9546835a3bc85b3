import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Hono } from 'hono';
import { verify } from 'hono/jwt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuth } from '../../local/emulators/auth/index.ts';
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
let mails: { to: string[]; subject: string; text: string }[];
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
});
afterAll(async () => {
  await server?.close();
  await database?.stop();
});

/** Creates a person who accepted an invitation. Returns the id. */
async function createUser(): Promise<{ id: string; email: string }> {
  const email = newEmail();
  const { data, error } = await admin.inviteUserByEmail(email);
  if (error) throw error;
  await follow(readMailedLink(email));
  return { id: data.user.id, email };
}

async function readUser(id: string) {
  const [row] = await database.sql`select * from auth.users where id = ${id}`;
  return row;
}

function readMailedLink(email: string): URL {
  const text = mails.findLast((mail) => mail.to.includes(email))?.text ?? '';
  return new URL(/https?:\S+/.exec(text)?.[0] ?? '');
}

const follow = (link: URL | string) => fetch(link, { redirect: 'manual' });

const readFragment = (response: Response) =>
  Object.fromEntries(new URLSearchParams(new URL(response.headers.get('location') ?? '').hash.slice(1)));

test('an invitation is emailed, and its link accepts it once', async () => {
  const email = newEmail();
  const { data, error } = await admin.inviteUserByEmail(email.toUpperCase(), { redirectTo: REDIRECT });
  expect(error).toBeNull();
  expect(data.user).toMatchObject({ email, role: 'authenticated' });
  expect(data.user?.invited_at).toBeTruthy();
  expect(data.user?.confirmed_at).toBeUndefined();

  const link = readMailedLink(email);
  expect(link.href).toMatch(`${server.url}/auth/v1/verify?token=`);
  expect(Object.fromEntries(link.searchParams)).toMatchObject({ type: 'invite', redirect_to: REDIRECT });
  const accepted = await follow(link);
  expect(accepted.status).toBe(303);
  expect(accepted.headers.get('location')).toMatch(`${REDIRECT}#`);
  const fragment = readFragment(accepted);
  expect(fragment).toMatchObject({ type: 'invite', token_type: 'bearer' });
  expect(await verify(fragment.access_token ?? '', JWT_SECRET, 'HS256')).toMatchObject({
    sub: data.user?.id,
    role: 'authenticated',
    aud: 'authenticated',
    email,
  });

  expect(await readUser(data.user?.id ?? '')).toMatchObject({ email_confirmed_at: expect.any(Date) });
  expect(readFragment(await follow(link))).toMatchObject({ error_code: 'otp_expired' });
});

test('a link without a redirect URL leads to the site URL', async () => {
  const email = newEmail();
  await admin.inviteUserByEmail(email);
  const link = readMailedLink(email);
  link.searchParams.set('redirect_to', 'javascript:alert(1)');
  const accepted = await follow(link);
  expect(accepted.status).toBe(303);
  expect(accepted.headers.get('location')).toMatch(`${server.url}/#access_token=`);
});

test('a page with the token of the email verifies it with the publishable key', async () => {
  const email = newEmail();
  await admin.inviteUserByEmail(email);
  const token = {
    type: 'invite' as const,
    token_hash: readMailedLink(email).searchParams.get('token') ?? '',
  };
  const { data, error } = await newClient(PUBLISHABLE_KEY).auth.verifyOtp(token);
  expect(error).toBeNull();
  expect(data.user?.email_confirmed_at).toBeTruthy();
  expect(data.session?.access_token).toBeTruthy();
  const again = await newClient(PUBLISHABLE_KEY).auth.verifyOtp(token);
  expect(again.error).toMatchObject({ status: 403, code: 'otp_expired' });
});

test('inviting a confirmed address again returns 422; an unconfirmed one gets a new link', async () => {
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

test('rejects a link that is older than a day', async () => {
  const email = newEmail();
  await admin.inviteUserByEmail(email, { redirectTo: REDIRECT });
  await database.sql`
    update auth.users set confirmation_sent_at = now() - interval '25 hours' where email = ${email}`;
  expect(readFragment(await follow(readMailedLink(email)))).toMatchObject({ error_code: 'otp_expired' });
});

test('a user is deleted once', async () => {
  const { id, email } = await createUser();
  expect((await admin.deleteUser(id)).error).toBeNull();
  expect(await readUser(id)).toBeUndefined();
  expect((await admin.deleteUser(id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
  expect((await admin.inviteUserByEmail(email)).error).toBeNull();
});

test('a deleted user stays while another row references it', async () => {
  const user = await createUser();
  const table = database.sql(`points_at_users_${Date.now()}`);
  await database.sql`create table ${table} (user_id uuid references auth.users)`;
  await database.sql`insert into ${table} values (${user.id})`;
  expect((await admin.deleteUser(user.id)).error).toMatchObject({ status: 500 });
  await database.sql`drop table ${table}`;
  expect((await admin.deleteUser(user.id)).error).toBeNull();
});

test('a banned user cannot accept an invitation until the ban is lifted', async () => {
  const email = newEmail();
  const { data } = await admin.inviteUserByEmail(email, { redirectTo: REDIRECT });
  const id = data.user?.id ?? '';
  const banned = await admin.updateUserById(id, { ban_duration: '876000h' });
  expect(new Date(banned.data.user?.banned_until ?? 0).getFullYear()).toBeGreaterThan(2100);
  expect(readFragment(await follow(readMailedLink(email)))).toMatchObject({ error_code: 'user_banned' });

  const lifted = await admin.updateUserById(id, { ban_duration: 'none' });
  expect(lifted.data.user?.banned_until).toBeUndefined();
  expect(readFragment(await follow(readMailedLink(email)))).toMatchObject({ token_type: 'bearer' });
  const wrong = await admin.updateUserById(id, { ban_duration: 'forever' });
  expect(wrong.error).toMatchObject({ status: 400, code: 'validation_failed' });
  const nobody = await admin.updateUserById(randomUUID(), { ban_duration: 'none' });
  expect(nobody.error).toMatchObject({ status: 404, code: 'user_not_found' });
});

test('only a secret key can administer users', async () => {
  const user = await createUser();
  const stranger = newClient(PUBLISHABLE_KEY).auth.admin;
  expect((await stranger.inviteUserByEmail(newEmail())).error).toMatchObject({
    status: 403,
    code: 'not_admin',
  });
  expect((await stranger.updateUserById(user.id, { ban_duration: '1h' })).error).toMatchObject({
    status: 403,
  });
  expect((await stranger.deleteUser(user.id)).error).toMatchObject({ status: 403 });
  const unknown = newClient('sb_secret_wrong').auth.admin;
  expect((await unknown.deleteUser(user.id)).error).toMatchObject({ status: 401 });
  const invite = (headers: Record<string, string>) =>
    fetch(`${server.url}/auth/v1/invite`, { method: 'POST', headers });
  expect((await invite({})).status).toBe(401);
  expect((await invite({ apikey: SECRET_KEY, authorization: 'Bearer a.user.token' })).status).toBe(403);
});

test('explains invalid requests', async () => {
  expect((await admin.inviteUserByEmail('not an address')).error).toMatchObject({
    code: 'validation_failed',
  });
  const response = await fetch(`${server.url}/auth/v1/invite`, {
    method: 'POST',
    headers: { apikey: SECRET_KEY, authorization: `Bearer ${SECRET_KEY}` },
    body: '{',
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    { code: 400, error_code: 'bad_json', msg: expect.any(String) },
  ]);
});

test('postgres can create a trigger on auth.users, but anon and authenticated cannot read it', async () => {
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
