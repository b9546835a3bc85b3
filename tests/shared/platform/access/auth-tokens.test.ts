// Access tokens of Auth, verified with keys that a server on loopback publishes as Auth does.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, expect, test, vi } from 'vitest';
import { createAuthTokens } from '../../../../shared/platform/access/auth-tokens.ts';

type Key = Awaited<ReturnType<typeof createKey>>;

async function createKey(kid: string, alg: 'ES256' | 'RS256' = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.restoreAllMocks();
});

/** A project whose Auth has these keys and settings. */
async function startAuth(settings: object = { disable_signup: true, mailer_autoconfirm: false }) {
  const key = await createKey('first');
  const state = { keys: [key], isAway: false, reads: [] as string[], settings };
  const server = createServer((request, reply) => {
    state.reads.push(request.url ?? '');
    reply.statusCode = state.isAway ? 503 : 200;
    const keys = state.keys.map(({ jwk }) => jwk);
    reply.end(JSON.stringify(request.url?.endsWith('jwks.json') ? { keys } : state.settings));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secret = 'a secret of at least thirty-two characters';
  const env = { SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}' };
  return { state, key, url, secret, env, tokens: createAuthTokens({ ...env }) };
}

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

const claimsAt = (url: string) => ({
  iss: `${url}/auth/v1`,
  aud: 'authenticated',
  role: 'authenticated',
  sub: crypto.randomUUID(),
  session_id: crypto.randomUUID(),
  is_anonymous: false,
  aal: 'aal1',
  iat: seconds(-5),
  exp: seconds(3600),
});

const sign = (claims: object, { alg, kid, privateKey }: Key, header: object = {}) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey);

const unsigned = (header: object, claims: object) =>
  `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`;

test('a token of a session is accepted, signed with ES256 or RS256, for one audience or several', async () => {
  const { tokens, key, url, state } = await startAuth();
  const rsa = await createKey('second', 'RS256');
  state.keys.push(rsa);
  const claims = claimsAt(url);
  const session = { accountId: claims.sub, sessionId: claims.session_id, assurance: 'aal1' };
  expect(await tokens.verify(await sign(claims, key))).toEqual(session);
  expect(await tokens.verify(await sign({ ...claims, aud: ['x', 'authenticated'] }, rsa))).toEqual(session);
  expect(await tokens.verify(await sign({ ...claims, aal: 'aal2' }, key))).toEqual({
    ...session,
    assurance: 'aal2',
  });
});

test('faults of claims are told apart only in the log', async () => {
  const { tokens, key, url } = await startAuth();
  const claims = claimsAt(url);
  const faults: [string, object][] = [
    ['iss', { iss: 'https://elsewhere.example/auth/v1' }],
    ['aud', { aud: 'anon' }],
    ['role', { role: 'service_role' }],
    ['role', { role: 'anon' }],
    ['anonymous', { is_anonymous: true }],
    ['client', { client_id: 'someone' }],
    ['sub', { sub: 'not-a-uuid' }],
    ['session', { session_id: undefined }],
    ['iat', { iat: seconds(86_400) }],
    ['exp', { exp: undefined }],
  ];
  for (const [fault, change] of faults) {
    await expect(tokens.verify(await sign({ ...claims, ...change }, key))).rejects.toMatchObject({
      code: 'validation',
      reason: `subject_token_${fault}`,
      extra: { reason: 'subject_token_invalid' },
      message: 'The subject token is not a valid access token of a session of Auth.',
    });
  }
  await expect(tokens.verify(await sign({ ...claims, exp: seconds(-1) }, key))).rejects.toMatchObject({
    extra: { reason: 'subject_token_expired' },
  });
  // Expired and wrong otherwise: only wrong.
  await expect(
    tokens.verify(await sign({ ...claims, exp: seconds(-1), role: 'anon' }, key)),
  ).rejects.toMatchObject({ extra: { reason: 'subject_token_invalid' } });
});

test('forged signatures and headers are refused, and no address of a header is asked', async () => {
  const { tokens, key, url, env, secret, state } = await startAuth();
  const claims = claimsAt(url);
  const asked: string[] = [];
  const receiver = createServer((request) => asked.push(request.url ?? ''));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  stops.push(() => receiver.close());
  const jku = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/jwks.json`;
  const impostor = { ...(await createKey('first')), kid: 'first' };
  const hmac = (text: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'first', typ: 'JWT' })
      .sign(new TextEncoder().encode(text));
  const forged = [
    unsigned({ alg: 'none', typ: 'JWT' }, claims),
    await sign(claims, impostor),
    await sign(claims, impostor, { jku, x5u: jku }),
    await sign(claims, { ...key, kid: 'unknown' }),
    await sign(claims, key, { typ: 'at+jwt' }),
    await hmac(JSON.stringify(key.jwk)),
    await hmac(secret),
    unsigned({ alg: 'ES256', kid: 'first', typ: 'JWT', crit: ['x'], x: 1 }, claims),
    'not.a.token',
    'x',
    'x'.repeat(20_000),
  ];
  for (const token of forged)
    await expect(tokens.verify(token)).rejects.toMatchObject({ extra: { reason: 'subject_token_invalid' } });
  expect(asked).toEqual([]);
  // With the secret set, HS256 is accepted, and only with it.
  const withSecret = createAuthTokens({ ...env, AUTH_JWT_SECRET: secret });
  expect(await withSecret.verify(await hmac(secret))).toMatchObject({ accountId: claims.sub });
  await expect(withSecret.verify(await hmac(`${secret}x`))).rejects.toMatchObject({ code: 'validation' });
  await expect(withSecret.verify(await hmac(JSON.stringify(key.jwk)))).rejects.toMatchObject({
    code: 'validation',
  });
  expect(state.reads.filter((path) => path.includes('jwks'))).not.toHaveLength(0);
});

test('keys are kept: read once, read again for an unknown id at most once a minute, used while Auth is away', async () => {
  const clock = vi.spyOn(performance, 'now');
  clock.mockReturnValue(1_000_000);
  const { tokens, key, url, state } = await startAuth();
  const claims = claimsAt(url);
  const keyReads = () => state.reads.filter((path) => path.includes('jwks')).length;
  const first = await sign(claims, key);
  for (let i = 0; i < 3; i++) await tokens.verify(first);
  expect(keyReads()).toBe(1);
  const rotated = await createKey('rotated');
  state.keys.push(rotated);
  const second = await sign(claims, rotated);
  await expect(tokens.verify(second)).rejects.toMatchObject({ code: 'validation' });
  expect(keyReads()).toBe(1);
  clock.mockReturnValue(1_000_000 + 60_000);
  expect(await tokens.verify(second)).toMatchObject({ accountId: claims.sub });
  expect(keyReads()).toBe(2);
  state.isAway = true;
  clock.mockReturnValue(1_000_000 + 3_600_000);
  expect(await tokens.verify(second)).toMatchObject({ accountId: claims.sub });
  // Unknown ids do not make us ask an Auth that is away more often either.
  const readsBefore = keyReads();
  const unknown = await sign(claims, await createKey('unknown'));
  for (let i = 0; i < 3; i++)
    await expect(tokens.verify(unknown)).rejects.toMatchObject({ code: 'validation' });
  expect(keyReads()).toBe(readsBefore);
  // A project whose Auth never answered.
  await expect(
    createAuthTokens({ SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEYS: '{}' }).verify(second),
  ).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'auth_unreachable',
  });
});

test('while anyone can sign up with an address that is not checked, nobody gets a token', async () => {
  const { tokens, key, url, state } = await startAuth({ disable_signup: false, mailer_autoconfirm: true });
  const token = await sign(claimsAt(url), key);
  await expect(tokens.verify(token)).rejects.toMatchObject({
    code: 'unavailable',
    reason: 'addresses_unchecked',
  });
  for (const settings of [
    { disable_signup: true, mailer_autoconfirm: true },
    { disable_signup: false, mailer_autoconfirm: false },
  ]) {
    state.settings = settings;
    const fresh = createAuthTokens({ SUPABASE_URL: url, SUPABASE_PUBLISHABLE_KEYS: '{}' });
    expect(await fresh.verify(token)).toMatchObject({ assurance: 'aal1' });
  }
});
