// Verifies access tokens of this project's Supabase Auth, which persons exchange for ours. Keys and settings of Auth are kept for ten minutes,
// and longer if Auth does not answer.
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { Env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { isUuid } from '../uuid.ts';
import type { Assurance } from './access-tokens.ts';

/** A person's session of Auth. */
export interface AuthSession {
  accountId: string;
  sessionId: string;
  assurance: Assurance;
}

export interface AuthTokens {
  /** Throws 400 `invalid_request` for a token that does not hold, and 503 if Auth does not answer or lets anyone take any address. */
  verify(token: string): Promise<AuthSession>;
}

const KEEP_MS = 10 * 60_000;
/** An unknown key id makes us read the keys again at most this often. */
const REREAD_MS = 60_000;
const TIMEOUT_MS = 5000;
const TOLERANCE_SECONDS = 10;
const MAX_TOKEN_LENGTH = 16 * 1024;

/** The algorithms of Auth's asymmetric keys. The key decides which one applies. */
const ALGORITHMS = ['ES256', 'RS256'];

export function createAuthTokens(env: Env<'auth'>): AuthTokens {
  const base = `${env.SUPABASE_URL}/auth/v1`;
  const issuer = env.AUTH_ISSUER ?? base;
  const keys = keepRead(() => readJson<JSONWebKeySet>(`${base}/.well-known/jwks.json`, env));
  const settings = keepRead(() => readJson<AuthSettings>(`${base}/settings`, env));
  return {
    async verify(token) {
      const claims = await verifySignature(token, keys, env.AUTH_JWT_SECRET);
      const session = readSession(claims, issuer);
      checkSettings(await settings.read());
      return session;
    },
  };
}

/** Settings of Auth that decide whether the address of an account proves anything. */
interface AuthSettings {
  disable_signup?: boolean;
  mailer_autoconfirm?: boolean;
}

function checkSettings({ disable_signup: closed, mailer_autoconfirm: unchecked }: AuthSettings): void {
  if (closed || !unchecked) return;
  throw new ApiError(
    'unavailable',
    'Signing in is off: Auth confirms addresses without checking them while anyone can sign up. Turn on "Confirm email", or turn sign-ups off.',
    { reason: 'addresses_unchecked' },
  );
}

interface Kept<T> {
  read(): Promise<T>;
  /** Reads again, unless that was done in the last minute. */
  readAgain(): Promise<T>;
}

/** Keeps what `load` returns, and asks again a minute after it failed. Throws 503 if it fails and nothing is kept. */
function keepRead<T>(load: () => Promise<T>): Kept<T> {
  let kept: T | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let loading: Promise<void> | undefined;
  const refresh = async (maxAgeMs: number): Promise<T> => {
    const isStale = performance.now() - readAtMs >= maxAgeMs;
    const mayAsk = kept === undefined || performance.now() - failedAtMs >= REREAD_MS;
    if (isStale && mayAsk) {
      loading ??= load()
        .then((loaded) => {
          kept = loaded;
          readAtMs = performance.now();
        })
        .catch((error: unknown) => {
          if (kept === undefined) throw authUnreachable(error);
          failedAtMs = performance.now();
        })
        .finally(() => {
          loading = undefined;
        });
      await loading;
    }
    if (kept === undefined) throw authUnreachable();
    return kept;
  };
  return { read: () => refresh(KEEP_MS), readAgain: () => refresh(REREAD_MS) };
}

const authUnreachable = (cause?: unknown) =>
  new ApiError('unavailable', 'Auth does not answer. Nothing was done; please retry.', {
    effect: 'none',
    retryAfterSeconds: 5,
    reason: 'auth_unreachable',
    cause,
  });

async function readJson<T extends object>(url: string, env: Env<'auth'>): Promise<T> {
  const { default: key = '' }: { default?: string } = JSON.parse(env.SUPABASE_PUBLISHABLE_KEYS);
  const response = await fetch(url, { headers: { apikey: key }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  // Members are checked where they are used.
  return (await response.json()) as T;
}

/** Returns the claims of a token that Auth signed, whatever they say. */
async function verifySignature(
  token: string,
  keys: Kept<JSONWebKeySet>,
  secret: string | undefined,
): Promise<JWTPayload> {
  const [{ createLocalJWKSet }, { jwtVerify }, { decodeProtectedHeader }, { JOSEError, JWKSNoMatchingKey }] =
    await Promise.all([
      import('jose/jwks/local'),
      import('jose/jwt/verify'),
      import('jose/decode/protected_header'),
      import('jose/errors'),
    ]);
  // The claims are checked below, so that a token that only expired can be told apart.
  const options = { currentDate: new Date(0), clockTolerance: Number.MAX_SAFE_INTEGER };
  const verifyWith = async (set: JSONWebKeySet) =>
    (await jwtVerify(token, createLocalJWKSet(set), { ...options, algorithms: ALGORITHMS })).payload;
  try {
    if (token.length > MAX_TOKEN_LENGTH) throw invalidSubject('malformed');
    const { alg, kid, typ, crit } = decodeProtectedHeader(token);
    if (crit !== undefined || (typ !== undefined && typ.toUpperCase() !== 'JWT')) throw invalidSubject('typ');
    if (alg === 'HS256' && secret !== undefined) {
      const key = new TextEncoder().encode(secret);
      return (await jwtVerify(token, key, { ...options, algorithms: ['HS256'] })).payload;
    }
    if (!ALGORITHMS.includes(alg ?? '')) throw invalidSubject('alg');
    if (typeof kid !== 'string') throw invalidSubject('kid');
    return await verifyWith(await keys.read()).catch(async (error: unknown) => {
      if (!(error instanceof JWKSNoMatchingKey)) throw error;
      return await verifyWith(await keys.readAgain());
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof JOSEError || error instanceof TypeError) throw invalidSubject('signature');
    throw error;
  }
}

/** Checks the claims of an access token of Auth. Expiry comes last: only a token that is right otherwise has expired. */
function readSession(claims: JWTPayload, issuer: string): AuthSession {
  const { iss, aud, role, sub, session_id: sessionId, is_anonymous: anonymous, exp, iat, aal } = claims;
  if (iss !== issuer) throw invalidSubject('iss');
  if (![aud].flat().includes('authenticated')) throw invalidSubject('aud');
  if (role !== 'authenticated') throw invalidSubject('role');
  if (anonymous === true) throw invalidSubject('anonymous');
  if ('client_id' in claims) throw invalidSubject('client');
  if (typeof sub !== 'string' || !isUuid(sub)) throw invalidSubject('sub');
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) throw invalidSubject('session');
  const nowSeconds = Date.now() / 1000;
  if (typeof iat !== 'number' || iat > nowSeconds + TOLERANCE_SECONDS) throw invalidSubject('iat');
  if (typeof exp !== 'number') throw invalidSubject('exp');
  if (exp <= nowSeconds) throw subjectExpired();
  return { accountId: sub, sessionId, assurance: aal === 'aal2' ? 'aal2' : 'aal1' };
}

/** One error for every fault of the subject token, so that its sender learns nothing. The request log has which. */
export const invalidSubject = (fault: string) =>
  new ApiError('validation', 'The subject token is not a valid access token of a session of Auth.', {
    reason: `subject_token_${fault}`,
    extra: { reason: 'subject_token_invalid' },
  });

const subjectExpired = () =>
  new ApiError('validation', 'The subject token has expired. Refresh the session at Auth.', {
    reason: 'subject_token_exp',
    extra: { reason: 'subject_token_expired' },
  });
