// Which tokens are valid. The verifier has no network, and no clock except the system's.
import { base64url, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSigningKey } from '../../../../scripts/signing-key.ts';
import { createTokenIssuer, createTokenVerifier } from '../../../../shared/platform/access/access-tokens.ts';
import type { Env } from '../../../../shared/platform/env.ts';

type SigningKey = Env<'oauth'>['OAUTH_SIGNING_KEY'];
const FUNCTIONS_URL = 'https://project.example/functions/v1';
const key: SigningKey = JSON.parse(createSigningKey());
const env = { FUNCTIONS_URL, OAUTH_SIGNING_KEY: key };
const issuer = createTokenIssuer(env);
const { verify } = createTokenVerifier(env, 'v1');
const subject = {
  clientId: 'client_1',
  tenantId: '00000000-0000-4000-8000-000000000001',
  scopes: ['read:leads', 'admin'],
  plan: 'starter',
  requestsPerMinute: 100,
  variant: 'b' as const,
};
const goodClaims = {
  client_id: 'client_1',
  tenant_id: subject.tenantId,
  scope: 'admin',
  plan: 'starter',
  variant: 'a',
};

afterEach(() => void vi.useRealTimers());

interface Forgery {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  issuer?: string;
  audience?: string;
  /** Seconds from now. */
  expiresIn?: number | null;
  with?: SigningKey;
}

/** A token created by the test. Valid unless specified otherwise. */
async function forge(options: Forgery = {}): Promise<string> {
  const { claims = goodClaims, header = {}, audience = FUNCTIONS_URL, expiresIn = 60 } = options;
  const now = Math.floor(Date.now() / 1000);
  const jwt = new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header })
    .setIssuer(options.issuer ?? `${FUNCTIONS_URL}/oauth`)
    .setAudience(audience);
  if (expiresIn !== null) jwt.setExpirationTime(now + expiresIn);
  const { kid: _, ...jwk } = options.with ?? key;
  return jwt.sign(await importJWK(jwk, 'ES256'));
}

const encode = (value: unknown) => base64url.encode(JSON.stringify(value));

describe('a valid token', () => {
  test('has the values it was issued with, until it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00.400Z') });
    const token = await issuer.issue(subject, FUNCTIONS_URL);
    const tokenId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(await verify(token)).toEqual({
      ...subject,
      tokenId,
      expiresAt: new Date('2026-03-01T13:00:00.000Z'),
    });
    vi.setSystemTime('2026-03-01T12:59:59.900Z');
    expect(await verify(token)).toBeDefined();
    vi.setSystemTime('2026-03-01T13:00:00.000Z');
    expect(await verify(token)).toBeUndefined();
  });

  test('every forged token below is rejected for its single defect: without it, it is valid', async () => {
    expect(await verify(await forge())).toMatchObject({
      clientId: 'client_1',
      scopes: ['admin'],
      variant: 'a',
    });
  });

  test('is verified while the key is still loading, and by a verifier with only the public key', async () => {
    const { d: _, ...publicKey } = key;
    const other = createTokenVerifier({ FUNCTIONS_URL, OAUTH_SIGNING_KEY: publicKey as SigningKey }, 'v1');
    expect(await other.verify(await issuer.issue(subject, FUNCTIONS_URL))).toMatchObject(subject);
  });

  test('has the kid of the key, or its thumbprint', async () => {
    const named = createTokenIssuer({ ...env, OAUTH_SIGNING_KEY: { ...key, kid: 'mine' } });
    const headerOf = (token: string) => JSON.parse(atob(token.split('.')[0] ?? ''));
    expect(headerOf(await named.issue(subject, FUNCTIONS_URL))).toEqual({
      alg: 'ES256',
      kid: 'mine',
      typ: 'at+jwt',
    });
    const [published] = await issuer.publicKeys();
    expect(published?.kid).toMatch(/^[\w-]{43}$/);
    expect(headerOf(await issuer.issue(subject, FUNCTIONS_URL)).kid).toBe(published?.kid);
    expect(Object.keys(published ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });
});

describe('audiences', () => {
  test.each([
    [undefined, FUNCTIONS_URL],
    ['', FUNCTIONS_URL],
    [FUNCTIONS_URL, FUNCTIONS_URL],
    [`${FUNCTIONS_URL}/`, FUNCTIONS_URL],
    [`${FUNCTIONS_URL}/v1`, `${FUNCTIONS_URL}/v1`],
    ['https://project.example', 'https://project.example'],
    ['https://project.example/', 'https://project.example'],
    ['https://project.example/v1/', 'https://project.example/v1'],
    ['https://project.example//', undefined],
    ['https://project.example/functions', undefined],
    ['https://other.example', undefined],
    ['HTTPS://PROJECT.EXAMPLE', undefined],
    ['/'.repeat(1_000_000).concat('x'), undefined],
  ])('%.60s is %s, and its token is valid', async (asked, audience) => {
    expect(issuer.audienceOf(asked)).toBe(audience);
    if (audience) expect(await verify(await issuer.issue(subject, audience))).toMatchObject(subject);
  });

  test('without /functions/v1 there is nothing before it', () => {
    const own = createTokenIssuer({ ...env, FUNCTIONS_URL: 'https://api.example' });
    expect(own.audienceOf('https://api.example/v1')).toBe('https://api.example/v1');
    expect(own.audienceOf('https://api.example/functions/v1')).toBeUndefined();
  });
});

describe('returns undefined without throwing for', () => {
  test.each<[string, Forgery]>([
    ['an expired token', { expiresIn: -1 }],
    ['a token that never expires', { expiresIn: null }],
    ['another issuer', { issuer: 'https://evil.example/oauth' }],
    ['an issuer that only begins like ours', { issuer: `${FUNCTIONS_URL}/oauth/` }],
    ['another audience', { audience: 'https://evil.example' }],
    ['another type of token', { header: { typ: 'JWT' } }],
    ['no type', { header: { typ: undefined } }],
    ['a token for later', { claims: { ...goodClaims, nbf: Math.floor(Date.now() / 1000) + 600 } }],
    ['no tenant', { claims: { ...goodClaims, tenant_id: undefined } }],
    ['a tenant that is no text', { claims: { ...goodClaims, tenant_id: 5 } }],
    ['no client', { claims: { ...goodClaims, client_id: undefined } }],
    ['scopes as a list', { claims: { ...goodClaims, scope: ['admin'] } }],
    ['no plan', { claims: { ...goodClaims, plan: undefined } }],
    ['an unknown variant', { claims: { ...goodClaims, variant: 'd' } }],
    ['another key', { with: JSON.parse(createSigningKey()) }],
  ])('%s', async (_, forgery) => {
    expect(await verify(await forge(forgery))).toBeUndefined();
  });

  test('another key under our kid, or with its own key in the header', async () => {
    const foreign: SigningKey = JSON.parse(createSigningKey());
    const [published] = await issuer.publicKeys();
    expect(await verify(await forge({ with: foreign, header: { kid: published?.kid } }))).toBeUndefined();
    const { d: _, ...jwk } = foreign;
    expect(await verify(await forge({ with: foreign, header: { jwk } }))).toBeUndefined();
  });

  test('alg none, in any spelling, with and without a signature', async () => {
    const [, payload, signature] = (await forge()).split('.');
    for (const alg of ['none', 'None', 'NONE', '', null]) {
      const header = encode({ alg, typ: 'at+jwt' });
      expect(await verify(`${header}.${payload}.`)).toBeUndefined();
      expect(await verify(`${header}.${payload}.${signature}`)).toBeUndefined();
    }
  });

  test('HS256 with any text of the public key as the secret, and ES384', async () => {
    const { d: _, ...publicKey } = key;
    const [published] = await issuer.publicKeys();
    for (const text of [JSON.stringify(publicKey), JSON.stringify(published), key.x, key.y]) {
      const token = await new SignJWT(goodClaims)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .setIssuer(`${FUNCTIONS_URL}/oauth`)
        .setAudience(FUNCTIONS_URL)
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(text));
      expect(await verify(token)).toBeUndefined();
    }
    const { privateKey } = await generateKeyPair('ES384', { extractable: true });
    expect((await exportJWK(privateKey)).crv).toBe('P-384');
    const token = await new SignJWT(goodClaims)
      .setProtectedHeader({ alg: 'ES384', typ: 'at+jwt' })
      .setIssuer(`${FUNCTIONS_URL}/oauth`)
      .setAudience(FUNCTIONS_URL)
      .setExpirationTime('1h')
      .sign(privateKey);
    expect(await verify(token)).toBeUndefined();
  });

  test('a token with one character of any part changed or missing', async () => {
    const token = await issuer.issue(subject, FUNCTIONS_URL);
    const [header = '', payload = ''] = token.split('.');
    const other = (char: string | undefined) => (char === 'A' ? 'B' : 'A');
    const places = [3, header.length + 5, header.length + payload.length + 12, token.length - 20];
    for (const at of places) {
      expect(await verify(token.slice(0, at) + other(token[at]) + token.slice(at + 1))).toBeUndefined();
    }
    expect(await verify(token.slice(0, -1))).toBeUndefined();
    expect(await verify(`${token}A`)).toBeUndefined();
    expect(await verify(` ${token}`)).toBeUndefined();
  });

  test('extended claims with the old signature', async () => {
    const narrow = await forge({ claims: { ...goodClaims, scope: 'read:leads' } });
    const [header, , signature] = narrow.split('.');
    const exp = Math.floor(Date.now() / 1000) + 60;
    const claims = { ...goodClaims, iss: `${FUNCTIONS_URL}/oauth`, aud: FUNCTIONS_URL, exp };
    expect(await verify(`${header}.${encode(claims)}.${signature}`)).toBeUndefined();
    expect(await verify(`${header}.${encode(claims)}.`)).toBeUndefined();
    expect(
      await verify(`${header}.${encode(claims)}.${base64url.encode(new Uint8Array(64))}`),
    ).toBeUndefined();
  });

  test.each([
    [''],
    ['.'],
    ['..'],
    ['...'],
    ['....'],
    ['a.b.c'],
    ['null.null.null'],
    ['bnVsbA.bnVsbA.bnVsbA'],
    ['W10.W10.W10'],
    ['{}'],
    ['undefined'],
    ['\u0000'],
    ['é.\u{1F600}.\ud800'],
    ['x'.repeat(10_000)],
    [`${'x'.repeat(5_000)}.${'y'.repeat(5_000)}.z`],
    ['.'.repeat(10_000)],
  ])('garbage: %.20s', async (text) => {
    expect(await verify(text)).toBeUndefined();
  });

  test('a valid signature over 10 000 characters', async () => {
    const token = await forge({ claims: { ...goodClaims, more: 'x'.repeat(10_000) } });
    expect(await verify(token)).toBeUndefined();
  });
});

describe('a rotated signing key', () => {
  const fresh: SigningKey = JSON.parse(createSigningKey());
  const replaced = { FUNCTIONS_URL, OAUTH_SIGNING_KEY: fresh, OAUTH_SIGNING_KEY_PREVIOUS: key };

  test('its tokens stay valid until they expire; new ones use the new key', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
    const verifier = createTokenVerifier(replaced, 'v1');
    const old = await issuer.issue(subject, FUNCTIONS_URL);
    expect(await verifier.verify(old)).toMatchObject(subject);
    const made = await createTokenIssuer(replaced).issue(subject, FUNCTIONS_URL);
    expect(await verifier.verify(made)).toMatchObject(subject);
    expect(await verify(made)).toBeUndefined();
    vi.setSystemTime(new Date('2026-03-01T13:00:01Z'));
    expect(await createTokenVerifier(replaced, 'v1').verify(old)).toBeUndefined();
  });

  test('both keys are public, each with its own kid, the new one first', async () => {
    const [current, previous, ...others] = await createTokenIssuer(replaced).publicKeys();
    expect(others).toEqual([]);
    expect(current).toMatchObject({ x: fresh.x, use: 'sig', alg: 'ES256' });
    expect(previous).toEqual((await issuer.publicKeys())[0]);
    expect(JSON.stringify([current, previous])).not.toContain(key.d);
  });

  test('a token of a third key is rejected', async () => {
    const third: SigningKey = JSON.parse(createSigningKey());
    const { verify: verifyBoth } = createTokenVerifier(replaced, 'v1');
    expect(await verifyBoth(await forge({ with: third }))).toBeUndefined();
  });
});
