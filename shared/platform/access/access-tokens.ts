// Access tokens of the records interface: JWTs (RFC 9068) that one function signs and others check, each by itself, with
// the key in memory. The library loads while the function already listens, so that its start does not wait for it.
import QuickLRU from 'quick-lru';
import type { Env } from '../env.ts';
import { isUuid } from '../uuid.ts';
import { type NamingVariant, namingVariants } from './context.ts';

export const TOKEN_LIFETIME_SECONDS = 3600;
const ALGORITHM = 'ES256';
const TYPE = 'at+jwt';
/** What ES256 means to Web Crypto. */
const CURVE_AND_HASH = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** More than any token of ours: longer text is not even looked at. */
const MAX_TOKEN_LENGTH = 4096;
const MAX_REMEMBERED = 500;

/** Who a token is made for. */
export interface TokenSubject {
  clientId: string;
  tenantId: string;
  scopes: string[];
  plan: string;
  /** What the plan allows as the token is made; what holds is asked of the database. */
  requestsPerMinute?: number | undefined;
  variant: NamingVariant;
}

/** What a good token says. */
export interface AccessToken extends TokenSubject {
  /** Its own id, `jti`, by which it can be revoked; one without it ends with its time or its client. */
  tokenId: string | null;
  expiresAt: Date;
}

type PrivateJwk = Env<'oauth'>['OAUTH_SIGNING_KEY'];
type PublicJwk = Omit<PrivateJwk, 'd' | 'kid'>;

/** A public key as `/.well-known/jwks.json` has it. */
export type PublicKey = PublicJwk & { kid: string; use: 'sig'; alg: string };

export interface TokenIssuer {
  /** The audience as a token names it, for the one that was asked for, if any. Undefined when it is not one of ours. */
  audienceOf(asked: string | undefined): string | undefined;
  /** A signed token, valid for `TOKEN_LIFETIME_SECONDS` from now. */
  issue(subject: TokenSubject, audience: string): Promise<string>;
  publicKeys(): Promise<PublicKey[]>;
}

export interface TokenVerifier {
  /** What the token says; undefined for everything that is not a good token. */
  verify(token: string): Promise<AccessToken | undefined>;
}

export const issuerOf = (functionsUrl: string) => `${functionsUrl}/oauth`;

/** Addresses that a token can be for, the default first: what is before the functions, too, as integrators know it. */
function audiencesOf(functionsUrl: string): string[] {
  const suffix = '/functions/v1';
  const bases = [
    functionsUrl,
    ...(functionsUrl.endsWith(suffix) ? [functionsUrl.slice(0, -suffix.length)] : []),
  ];
  return bases.flatMap((base) => [base, `${base}/v1`]);
}

/** The key that signs, then the one before it, whose tokens are good until they end. */
const keysOf = ({ OAUTH_SIGNING_KEY: key, OAUTH_SIGNING_KEY_PREVIOUS: previous }: Env<'oauth'>) =>
  previous ? [key, previous] : [key];

const publicPart = ({ kty, crv, x, y }: PrivateJwk): PublicJwk => ({ kty, crv, x, y });

export function createTokenIssuer(env: Env<'oauth'>): TokenIssuer {
  const audiences = audiencesOf(env.FUNCTIONS_URL);
  const loading = loadSigner(env.OAUTH_SIGNING_KEY);
  return {
    audienceOf(asked) {
      if (!asked) return audiences[0];
      const bare = asked.endsWith('/') ? asked.slice(0, -1) : asked;
      return audiences.find((audience) => audience === bare);
    },
    async issue({ clientId, tenantId, scopes, plan, requestsPerMinute, variant }, audience) {
      const { SignJWT, key, kid } = await loading;
      const issuedAt = Math.floor(Date.now() / 1000);
      const claims = {
        client_id: clientId,
        tenant_id: tenantId,
        scope: scopes.join(' '),
        plan,
        requests_per_minute: requestsPerMinute,
        variant,
      };
      return await new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: TYPE })
        .setIssuer(issuerOf(env.FUNCTIONS_URL))
        .setAudience(audience)
        .setSubject(clientId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + TOKEN_LIFETIME_SECONDS)
        .setJti(crypto.randomUUID())
        .sign(key);
    },
    async publicKeys() {
      await loading;
      const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint');
      return await Promise.all(
        keysOf(env).map(async (key) => {
          const jwk = publicPart(key);
          const kid = key.kid ?? (await calculateJwkThumbprint(jwk));
          return { ...jwk, kid, use: 'sig', alg: ALGORITHM } as const;
        }),
      );
    },
  };
}

async function loadSigner({ kid, ...jwk }: PrivateJwk) {
  const [{ SignJWT }, { calculateJwkThumbprint }] = await Promise.all([
    import('jose/jwt/sign'),
    import('jose/jwk/thumbprint'),
  ]);
  const [key, publicKey] = await Promise.all([importKey(jwk, 'sign'), importKey(publicPart(jwk), 'verify')]);
  // Not every runtime looks whether the two parts belong together.
  const probe = new Uint8Array(1);
  const signature = await crypto.subtle.sign(CURVE_AND_HASH, key, probe);
  if (!(await crypto.subtle.verify(CURVE_AND_HASH, publicKey, signature, probe))) refuseKey();
  return { SignJWT, key, kid: kid ?? (await calculateJwkThumbprint(publicPart(jwk))) };
}

export function createTokenVerifier(env: Env<'oauth'>): TokenVerifier {
  const options = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: issuerOf(env.FUNCTIONS_URL),
    audience: audiencesOf(env.FUNCTIONS_URL),
    requiredClaims: ['exp'],
  };
  const loading = loadVerifier(keysOf(env).map(publicPart));
  /** Good tokens of late: a client sends the same one for an hour. */
  const good = new QuickLRU<string, AccessToken>({ maxSize: MAX_REMEMBERED });
  return {
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const known = good.get(token);
      if (known && known.expiresAt.getTime() > Date.now()) return known;
      good.delete(token);
      const { jwtVerify, keys } = await loading;
      for (const key of keys) {
        const verified = await jwtVerify(token, key, options).catch(() => undefined);
        if (!verified) continue;
        const access = readClaims(verified.payload);
        if (access) good.set(token, access);
        return access;
      }
      return undefined;
    },
  };
}

async function loadVerifier(jwks: PublicJwk[]) {
  const [{ jwtVerify }, ...keys] = await Promise.all([
    import('jose/jwt/verify'),
    ...jwks.map((jwk) => importKey(jwk, 'verify')),
  ]);
  return { jwtVerify, keys };
}

const importKey = (jwk: PublicJwk, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('jwk', jwk, CURVE_AND_HASH, false, [use]).catch(refuseKey);

/** Ends the function's start: the form of the key was right, its numbers are not. */
function refuseKey(cause?: unknown): never {
  throw new Error('OAUTH_SIGNING_KEY: the key cannot be used; npm run signing-key makes one', { cause });
}

function readClaims(claims: Record<string, unknown>): AccessToken | undefined {
  const { client_id: clientId, tenant_id: tenantId, scope, plan, exp, jti } = claims;
  const variant = namingVariants.find((name) => name === claims.variant);
  if (typeof clientId !== 'string' || typeof tenantId !== 'string' || typeof scope !== 'string')
    return undefined;
  const tokenId = typeof jti === 'string' && isUuid(jti) ? jti : null;
  if (typeof plan !== 'string' || typeof exp !== 'number' || !variant) return undefined;
  const scopes = scope.split(' ').filter(Boolean);
  const allowed = claims.requests_per_minute;
  const requestsPerMinute = typeof allowed === 'number' ? allowed : undefined;
  const expiresAt = new Date(exp * 1000);
  return { tokenId, clientId, tenantId, scopes, plan, requestsPerMinute, variant, expiresAt };
}
