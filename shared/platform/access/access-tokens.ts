// Signs and verifies access tokens of the records interface (JWTs, RFC 9068). Functions verify them in memory, without a lookup.
// The JWT library loads in the background, so that it does not delay the function's startup.
import QuickLRU from 'quick-lru';
import type { Env } from '../env.ts';
import { isUuid } from '../uuid.ts';
import { type NamingVariant, namingVariants } from './context.ts';

export const TOKEN_LIFETIME_SECONDS = 3600;
/** Persons exchange the token of their session again. */
export const PERSON_TOKEN_LIFETIME_SECONDS = 900;
const ALGORITHM = 'ES256';
const TYPE = 'at+jwt';
/** ES256 in terms of Web Crypto. */
const CURVE_AND_HASH = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Our tokens are shorter. Longer ones are rejected without parsing. */
const MAX_TOKEN_LENGTH = 4096;
const MAX_REMEMBERED = 500;

/** A user who signed in with the account that is linked to it. */
export interface Person {
  userId: string;
  /** The session of Auth that the token was exchanged in. */
  sessionId: string;
  /** Whether the session has a second factor (`aal2`). */
  assurance: Assurance;
  /** Version of the user's access. The token ends with the next one. */
  accessVersion: number;
}

const assurances = ['aal1', 'aal2'] as const;
export type Assurance = (typeof assurances)[number];

/** Whose token it is: that of an OAuth client or of a person. */
export type TokenHolder = { clientId: string; person?: undefined } | { person: Person; clientId?: undefined };

/** The holder that a token is issued to, and what the token says. */
export type TokenSubject = TokenHolder & {
  tenantId: string;
  scopes: string[];
  plan: string;
  /** The plan's limit when the token was issued. The current limit is in the database. */
  requestsPerMinute?: number | undefined;
  variant: NamingVariant;
};

/** The claims of a valid token. */
export type AccessToken = TokenSubject & {
  /** The claim `jti`, needed to revoke the token. A token without it is valid until it expires or its holder is revoked. */
  tokenId: string | null;
  expiresAt: Date;
};

/** The holder as the audit trail names it: the kind, and the client id or user id. */
export const callerOf = ({ clientId, person }: TokenHolder): { kind: 'client' | 'person'; id: string } =>
  person ? { kind: 'person', id: person.userId } : { kind: 'client', id: clientId };

type PrivateJwk = Env<'oauth'>['OAUTH_SIGNING_KEY'];
type PublicJwk = Omit<PrivateJwk, 'd' | 'kid'>;

/** A public key as served by `/.well-known/jwks.json`. */
type PublicKey = PublicJwk & { kid: string; use: 'sig'; alg: string };

/** The functions that accept access tokens. A token is valid at one of them. */
export const resourceServers = ['v1', 'mcp'] as const;
export type ResourceServer = (typeof resourceServers)[number];

export interface TokenIssuer {
  /** The `aud` claim for the requested audience, or the default if none is requested. Undefined for an unknown audience. */
  audienceOf(requested: string | undefined): string | undefined;
  /** Which function accepts tokens with this `aud` claim. */
  resourceServerOf(audience: string): ResourceServer;
  /** Returns a signed token that is valid for `TOKEN_LIFETIME_SECONDS`, or that of persons. */
  issue(subject: TokenSubject, audience: string): Promise<string>;
  publicKeys(): Promise<PublicKey[]>;
}

export interface TokenVerifier {
  /** Returns the token's claims, or undefined if the token is invalid or expired. */
  verify(token: string): Promise<AccessToken | undefined>;
}

export const issuerOf = (functionsUrl: string) => `${functionsUrl}/oauth`;

/** The URL of the MCP server, which is also its resource identifier (RFC 9728). */
export const mcpUrlOf = (functionsUrl: string) => `${functionsUrl}/mcp`;

/**
 * The audiences that a function accepts, the default first. They include the project's URL without `/functions/v1`, which integrators
 * also use.
 */
export function audiencesOf(functionsUrl: string, acceptor: ResourceServer): string[] {
  const suffix = '/functions/v1';
  const bases = [
    functionsUrl,
    ...(functionsUrl.endsWith(suffix) ? [functionsUrl.slice(0, -suffix.length)] : []),
  ];
  return acceptor === 'mcp' ? bases.map(mcpUrlOf) : bases.flatMap((base) => [base, `${base}/v1`]);
}

/** The current signing key, then the previous one, whose tokens are valid until they expire. */
const signingKeysOf = ({ OAUTH_SIGNING_KEY: key, OAUTH_SIGNING_KEY_PREVIOUS: previous }: Env<'oauth'>) =>
  previous ? [key, previous] : [key];

const publicPart = ({ kty, crv, x, y }: PrivateJwk): PublicJwk => ({ kty, crv, x, y });

export function createTokenIssuer(env: Env<'oauth'>): TokenIssuer {
  const ofMcp = audiencesOf(env.FUNCTIONS_URL, 'mcp');
  const audiences = [...audiencesOf(env.FUNCTIONS_URL, 'v1'), ...ofMcp];
  const loading = loadSigner(env.OAUTH_SIGNING_KEY);
  return {
    audienceOf(requested) {
      if (!requested) return audiences[0];
      const bare = requested.endsWith('/') ? requested.slice(0, -1) : requested;
      return audiences.find((audience) => audience === bare);
    },
    resourceServerOf: (audience) => (ofMcp.includes(audience) ? 'mcp' : 'v1'),
    async issue({ tenantId, scopes, plan, requestsPerMinute, variant, ...holder }, audience) {
      const { SignJWT, key, kid } = await loading;
      const issuedAt = Math.floor(Date.now() / 1000);
      const claims = {
        ...claimsOf(holder),
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
        .setSubject(callerOf(holder).id)
        .setIssuedAt(issuedAt)
        .setExpirationTime(
          issuedAt + (holder.person ? PERSON_TOKEN_LIFETIME_SECONDS : TOKEN_LIFETIME_SECONDS),
        )
        .setJti(crypto.randomUUID())
        .sign(key);
    },
    async publicKeys() {
      await loading;
      const { calculateJwkThumbprint } = await import('jose/jwk/thumbprint');
      return await Promise.all(
        signingKeysOf(env).map(async (key) => {
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
  // Not every runtime checks that the private and the public part match.
  const probe = new Uint8Array(1);
  const signature = await crypto.subtle.sign(CURVE_AND_HASH, key, probe);
  if (!(await crypto.subtle.verify(CURVE_AND_HASH, publicKey, signature, probe))) throwUnusableKey();
  return { SignJWT, key, kid: kid ?? (await calculateJwkThumbprint(publicPart(jwk))) };
}

/** Verifies tokens for the functions in `acceptors`. */
export function createTokenVerifier(
  env: Env<'oauth'>,
  ...acceptors: [ResourceServer, ...ResourceServer[]]
): TokenVerifier {
  const options = {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: issuerOf(env.FUNCTIONS_URL),
    audience: acceptors.flatMap((acceptor) => audiencesOf(env.FUNCTIONS_URL, acceptor)),
    requiredClaims: ['exp'],
  };
  const loading = loadVerifier(signingKeysOf(env).map(publicPart));
  /** Recently verified tokens. A client sends the same token for an hour. */
  const verifiedTokens = new QuickLRU<string, AccessToken>({ maxSize: MAX_REMEMBERED });
  return {
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      const known = verifiedTokens.get(token);
      if (known && known.expiresAt.getTime() > Date.now()) return known;
      verifiedTokens.delete(token);
      const { jwtVerify, keys } = await loading;
      for (const key of keys) {
        const verified = await jwtVerify(token, key, options).catch(() => undefined);
        if (!verified) continue;
        const access = readClaims(verified.payload);
        if (access) verifiedTokens.set(token, access);
        return access;
      }
      return undefined;
    },
  };
}

/** Whether a token says that it is a person's. It may have expired, or not be ours. */
export async function isTokenOfPerson(token: string): Promise<boolean> {
  const { decodeJwt } = await import('jose/jwt/decode');
  try {
    return decodeJwt(token).kind === 'person';
  } catch {
    return false;
  }
}

async function loadVerifier(jwks: PublicJwk[]) {
  const [{ jwtVerify }, ...keys] = await Promise.all([
    import('jose/jwt/verify'),
    ...jwks.map((jwk) => importKey(jwk, 'verify')),
  ]);
  return { jwtVerify, keys };
}

const importKey = (jwk: PublicJwk, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('jwk', jwk, CURVE_AND_HASH, false, [use]).catch(throwUnusableKey);

/** Stops the function at startup: the key has the right format, but its numbers are invalid. */
function throwUnusableKey(cause?: unknown): never {
  throw new Error('OAUTH_SIGNING_KEY is not a usable key. Create one with npm run signing-key.', { cause });
}

function claimsOf({ clientId, person }: TokenHolder) {
  if (!person) return { client_id: clientId };
  const { sessionId: sid, assurance: aal, accessVersion: access_version } = person;
  return { kind: 'person', sid, aal, access_version };
}

function readHolder(claims: Record<string, unknown>): TokenHolder | undefined {
  const {
    client_id: clientId,
    kind,
    sub: userId,
    sid: sessionId,
    aal,
    access_version: accessVersion,
  } = claims;
  if (kind === undefined) return typeof clientId === 'string' ? { clientId } : undefined;
  const assurance = assurances.find((level) => level === aal);
  if (kind !== 'person' || !assurance || typeof accessVersion !== 'number') return undefined;
  if (typeof userId !== 'string' || typeof sessionId !== 'string') return undefined;
  if (!isUuid(userId) || !isUuid(sessionId)) return undefined;
  return { person: { userId, sessionId, assurance, accessVersion } };
}

function readClaims(claims: Record<string, unknown>): AccessToken | undefined {
  const { tenant_id: tenantId, scope, plan, exp, jti } = claims;
  const holder = readHolder(claims);
  const variant = namingVariants.find((name) => name === claims.variant);
  if (!holder || typeof tenantId !== 'string' || typeof scope !== 'string') return undefined;
  const tokenId = typeof jti === 'string' && isUuid(jti) ? jti : null;
  if (typeof plan !== 'string' || typeof exp !== 'number' || !variant) return undefined;
  const scopes = scope.split(' ').filter(Boolean);
  const allowed = claims.requests_per_minute;
  const requestsPerMinute = typeof allowed === 'number' ? allowed : undefined;
  const expiresAt = new Date(exp * 1000);
  return { tokenId, ...holder, tenantId, scopes, plan, requestsPerMinute, variant, expiresAt };
}
