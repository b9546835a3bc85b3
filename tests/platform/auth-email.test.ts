// The emulator of Auth: links and codes in emails, with and without PKCE.
import { expect, test } from 'vitest';
import {
  claimsOf,
  clientOf,
  createChallenge,
  createPerson,
  dataOf,
  follow,
  mailTo,
  post,
  SECRET_KEY,
  signIn,
  useAuthServer,
} from './auth-server.ts';

const server = useAuthServer();
const REDIRECT = 'http://127.0.0.1:4650/sign-in/callback';
const admin = () => clientOf(server, SECRET_KEY).auth.admin;
const byEmail = (email: string, more: Record<string, unknown> = {}) =>
  post(server, `/otp?redirect_to=${encodeURIComponent(REDIRECT)}`, { email, create_user: false, ...more });
const exchange = (code: string | undefined, verifier: string) =>
  post(server, '/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
const verify = (body: Record<string, string>) => post(server, '/verify', body);

test('the link of an email signs in once, in the fragment', async () => {
  const { email, id } = await createPerson(server);
  const { error } = await clientOf(server).auth.signInWithOtp({
    email: email.toUpperCase(),
    options: { shouldCreateUser: false, emailRedirectTo: REDIRECT },
  });
  expect(error).toBeNull();
  const { link } = mailTo(server, email);
  expect(Object.fromEntries(link.searchParams)).toMatchObject({ type: 'magiclink', redirect_to: REDIRECT });
  const { status, target, fragment } = await follow(link);
  expect([status, target.origin + target.pathname]).toEqual([303, REDIRECT]);
  expect(fragment).toMatchObject({ type: 'magiclink', token_type: 'bearer', sb: '' });
  expect(claimsOf(fragment as { access_token: string })).toMatchObject({ sub: id, amr: [{ method: 'otp' }] });
  expect((await follow(link)).fragment).toMatchObject({
    error: 'access_denied',
    error_code: 'otp_expired',
    error_description: 'Email link is invalid or has expired',
  });
});

test('with PKCE the link leads to a code, which the verifier exchanges once', async () => {
  const { email } = await createPerson(server);
  const { verifier, members } = createChallenge();
  expect((await byEmail(email, members)).status).toBe(200);
  const { link } = mailTo(server, email);
  const { target, query } = await follow(link);
  expect(target.hash).toBe('');
  expect(Object.keys(query)).toEqual(['code']);

  expect(await exchange(query.code, createChallenge().verifier)).toMatchObject({
    status: 400,
    body: { error_code: 'bad_code_verifier' },
  });
  const { status, body } = await exchange(query.code, verifier);
  expect(status).toBe(200);
  expect(claimsOf(body as { access_token: string })).toMatchObject({ email, amr: [{ method: 'magiclink' }] });
  expect(await exchange(query.code, verifier)).toMatchObject({
    status: 404,
    body: { error_code: 'flow_state_not_found' },
  });
  const second = await follow(link);
  expect(second.query).toMatchObject({ error_code: 'otp_expired', error: 'access_denied' });
  expect(second.fragment).toMatchObject({ error_code: 'otp_expired' });
});

test('a code of PKCE expires five minutes after the link was opened', async () => {
  const { email, id } = await createPerson(server);
  const { verifier, members } = createChallenge();
  await byEmail(email, members);
  await server.sql`update auth.flow_state set created_at = now() - interval '10 min' where user_id = ${id}`;
  const { query } = await follow(mailTo(server, email).link);
  await server.sql`
    update auth.flow_state set auth_code_issued_at = now() - interval '301 s' where user_id = ${id}`;
  expect((await exchange(query.code, verifier)).body).toMatchObject({
    code: 422,
    error_code: 'flow_state_expired',
  });
  await server.sql`update auth.flow_state set auth_code_issued_at = now() where user_id = ${id}`;
  expect((await exchange(query.code, verifier)).status).toBe(200);
});

test('the code of the email signs in on another device, with PKCE too', async () => {
  const { email } = await createPerson(server);
  await byEmail(email, createChallenge().members);
  const { code, link } = mailTo(server, email);
  expect(code).toMatch(/^\d{6}$/);
  const wrong = code === '000000' ? '000001' : '000000';
  expect(await verify({ type: 'email', email, token: wrong })).toMatchObject({
    status: 403,
    body: { error_code: 'otp_expired', msg: 'Token has expired or is invalid' },
  });
  const client = clientOf(server);
  const { session } = dataOf(await client.auth.verifyOtp({ type: 'email', email, token: code }));
  expect(claimsOf(session ?? { access_token: '' })).toMatchObject({
    email,
    aal: 'aal1',
    amr: [{ method: 'otp' }],
  });
  expect((await verify({ type: 'email', email, token: code })).status).toBe(403);
  expect((await follow(link)).query).toMatchObject({ error_code: 'otp_expired' });
  const rows = await server.sql`select from auth.one_time_tokens where relates_to = ${email}`;
  expect(rows).toEqual([]);
});

test('a code belongs to its address and type', async () => {
  const [one, other] = [await createPerson(server), await createPerson(server)];
  await byEmail(one.email);
  const { code } = mailTo(server, one.email);
  expect((await verify({ type: 'magiclink', email: other.email, token: code })).status).toBe(403);
  expect((await verify({ type: 'invite', email: one.email, token: code })).status).toBe(403);
  expect((await verify({ type: 'magiclink', email: one.email, token: code })).status).toBe(200);
});

test('links and codes end after a day, and when a newer email is sent', async () => {
  const { email, id } = await createPerson(server);
  await byEmail(email);
  const { link: old } = mailTo(server, email);
  expect(await byEmail(email)).toMatchObject({
    status: 429,
    body: { error_code: 'over_email_send_rate_limit' },
  });
  const sentBefore = (interval: string) => server.sql`
    update auth.users set recovery_sent_at = now() - ${interval}::interval where id = ${id}`;
  await sentBefore('2 s');
  await byEmail(email);
  expect((await follow(old)).fragment).toMatchObject({ error_code: 'otp_expired' });
  await sentBefore('25 hours');
  const { link, code } = mailTo(server, email);
  expect((await follow(link)).fragment).toMatchObject({ error_code: 'otp_expired' });
  expect((await verify({ type: 'email', email, token: code })).status).toBe(403);
});

test('an unknown address gets no account and no email', async () => {
  const email = 'unknown@example.com';
  expect(await byEmail(email)).toMatchObject({ status: 422, body: { error_code: 'otp_disabled' } });
  expect(await byEmail(email, { create_user: true })).toMatchObject({
    status: 422,
    body: { error_code: 'signup_disabled' },
  });
  // Recovery does not tell.
  expect(await post(server, '/recover', { email })).toMatchObject({ status: 200, body: {} });
  expect(server.mails.filter(({ to }) => to.includes(email))).toEqual([]);
  expect(await server.sql`select from auth.users where email = ${email}`).toEqual([]);
});

test('links lead only to pages on this machine', async () => {
  const { email } = await createPerson(server);
  const targets = [
    'https://evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://2130706433.evil/',
    'javascript:x',
  ];
  for (const target of targets) {
    await server.sql`update auth.users set recovery_sent_at = null where email = ${email}`;
    await post(server, `/otp?redirect_to=${encodeURIComponent(target)}`, { email, create_user: false });
    const { link } = mailTo(server, email);
    expect(link.searchParams.get('redirect_to')).toBe(server.url);
    link.searchParams.set('redirect_to', target);
    expect((await follow(link)).target.origin).toBe(server.url);
  }
});

test('a recovery leads to a page that uses its link by POST, and to a new password', async () => {
  const { email } = await createPerson(server);
  const page = 'http://localhost:4650/sign-in';
  const { error } = await clientOf(server).auth.resetPasswordForEmail(email, { redirectTo: page });
  expect(error).toBeNull();
  const { link, links } = mailTo(server, email);
  expect(links).toHaveLength(1);
  expect(link.href).toMatch(`${page}/confirm?token_hash=`);
  const { token_hash: tokenHash = '', type } = Object.fromEntries(link.searchParams);
  expect(type).toBe('recovery');

  const client = clientOf(server);
  dataOf(await client.auth.verifyOtp({ type: 'recovery', token_hash: tokenHash }));
  dataOf(await client.auth.updateUser({ password: 'another horse' }));
  expect((await signIn(server, email, 'another horse')).session.user.email).toBe(email);
  expect(await verify({ type: 'recovery', token_hash: tokenHash })).toMatchObject({
    body: { error_code: 'otp_expired' },
  });
});

test('a recovery with PKCE', async () => {
  const { email } = await createPerson(server);
  const { verifier, members } = createChallenge();
  await post(server, '/recover', { email, ...members });
  const { query } = await follow(mailTo(server, email).link);
  const { body } = await exchange(query.code, verifier);
  expect(claimsOf(body as { access_token: string })).toMatchObject({ email, amr: [{ method: 'recovery' }] });
});

test('an accepted invitation confirms the address; a password comes later', async () => {
  const email = `invited-${Date.now()}@example.com`;
  dataOf(
    await admin().inviteUserByEmail(email, {
      redirectTo: 'http://localhost:4650/sign-in',
      data: { language: 'pt-BR' },
    }),
  );
  const { link, text } = mailTo(server, email);
  expect(text).toContain('convite');
  const client = clientOf(server);
  const { session } = dataOf(
    await client.auth.verifyOtp({
      type: 'invite',
      token_hash: link.searchParams.get('token_hash') ?? '',
    }),
  );
  expect(session?.user.identities?.[0]?.identity_data).toMatchObject({ email, email_verified: true });
  dataOf(await client.auth.updateUser({ password: 'another horse' }));
  expect((await signIn(server, email, 'another horse')).session.user.email).toBe(email);
});

test('a banned person keeps the link until the ban ends', async () => {
  const { email, id } = await createPerson(server);
  await byEmail(email);
  const { code, link } = mailTo(server, email);
  dataOf(await admin().updateUserById(id, { ban_duration: '1h' }));
  expect((await verify({ type: 'email', email, token: code })).body).toMatchObject({
    error_code: 'user_banned',
  });
  expect((await follow(link)).fragment).toMatchObject({ error_code: 'user_banned' });
  dataOf(await admin().updateUserById(id, { ban_duration: 'none' }));
  expect((await follow(link)).fragment).toMatchObject({ token_type: 'bearer' });
});

test.each([
  ['/verify', { type: 'email' }],
  ['/verify', { token_hash: 'x' }],
  ['/verify', { type: 'email', token: '123456', token_hash: 'x' }],
  ['/verify', { type: 'email', token: '123456' }],
  ['/verify', { type: 'email', token_hash: 'x', email: 'a@example.com' }],
  ['/verify', { type: 'other', token_hash: 'x' }],
  ['/otp', { email: 'no address' }],
  ['/otp', { email: 'a@example.com', code_challenge: 'x'.repeat(43) }],
  ['/otp', { email: 'a@example.com', code_challenge: 'x', code_challenge_method: 's256' }],
  ['/otp', { email: 'a@example.com', code_challenge: 'x'.repeat(43), code_challenge_method: 'md5' }],
  ['/recover', { email: '' }],
  ['/token?grant_type=pkce', { auth_code: 'x' }],
  ['/token?grant_type=password', { password: 'x' }],
])('%s rejects %j', async (path, body) => {
  expect(await post(server, path, body)).toMatchObject({
    status: 400,
    body: { error_code: 'validation_failed' },
  });
});
