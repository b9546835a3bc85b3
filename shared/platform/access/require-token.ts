// The guard of records, the admin API and, for persons, payments: checks the access token, its scopes and the plan's limit. The token is verified in memory. The first statement
// of the request's first transaction checks revocation and reads the limit (`rate-limited-session.ts`).
import type { HonoRequest, MiddlewareHandler } from 'hono';
import type { Database } from '../db/database.ts';
import { ApiError, insufficientScope, invalid } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { createBodiesInFlight } from '../request/bodies-in-flight.ts';
import type { RequestVariables } from '../request/request-context.ts';
import { type AccessToken, callerOf, type TokenVerifier } from './access-tokens.ts';
import type { Actor } from './context.ts';
import { auditActorOf, type Guard } from './guard.ts';
import { type RateLimitCache, RateLimitedSession, unauthorizedToken } from './rate-limited-session.ts';
import type { Counter } from './request-counter.ts';
import { allowedOf, isTokenScope, personScopes, recordsScopes, type Scope } from './scopes.ts';

const BEARER = /^Bearer +(\S+)$/i;
const MAX_ORIGIN_LENGTH = 64;
const TOKEN_SCOPES = [...personScopes, ...recordsScopes];
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

export interface TokenOptions {
  /** Whose tokens are accepted. Default: those of clients and of persons. */
  holders?: 'persons';
  /** Whether `X-Origin` and `X-Silent` have no effect, as for API keys. */
  ignoresOrigin?: true;
  database: Database;
  counter: Counter;
  verifier: TokenVerifier;
  rateLimits: RateLimitCache;
}

/** Reads `X-Origin`, the caller's name for the cause of a request; undefined if absent. Throws 400. */
export function readOrigin(headers: Headers): string | undefined {
  const origin = headers.get('x-origin');
  if (origin === null || origin === '') return undefined;
  if (origin.length <= MAX_ORIGIN_LENGTH && VISIBLE_ASCII.test(origin)) return origin;
  const rule = `must have at most ${MAX_ORIGIN_LENGTH} characters, only visible ASCII and spaces`;
  throw invalid('header', 'X-Origin', rule);
}

/** Reads `X-Silent`: whether the request's changes are only stored, without deliveries or side effects. Throws 400. */
export function isSilent(headers: Headers): boolean {
  const silent = headers.get('x-silent');
  if (silent === null || silent === 'false') return false;
  if (silent === 'true') return true;
  throw invalid('header', 'X-Silent', 'must be true or false');
}

/** The parts of Hono's context that authentication uses. */
interface TokenContext {
  readonly req: HonoRequest;
  readonly var: RequestVariables;
  readonly error: Error | undefined;
  get res(): Response;
  set res(response: Response | undefined);
}

/** Authenticates callers by `Bearer <access token>` and counts their requests toward the plan of their tenant. */
export function requireToken(options: TokenOptions): Guard {
  const bodies = createBodiesInFlight();
  return ({ scopes, everyPerson, reads, callsExternalService, usesScopes = [], administersAs }) =>
    async function checkToken(c, next) {
      const { requestContext } = c.var;
      const { token, session } = await openSession(options, c);
      const { tenantId, scopes: owned } = token;
      const allowed = allowedOf(owned, everyPerson && token.person ? TOKEN_SCOPES : scopes);
      if (allowed.length === 0) {
        await session.setLimitHeaders();
        throw insufficientScope('token', scopes.filter(isTokenScope));
      }
      if (administersAs) session.role = administersAs;
      session.currentScopes = allowed;
      session.countRequest();
      // These headers are validated later, with the endpoint's other headers and before any write.
      const takesOrigin = !reads && !options.ignoresOrigin;
      if (takesOrigin) session.origin = c.req.header('x-origin') || undefined;
      if (takesOrigin) session.silent = c.req.header('x-silent') === 'true';
      const used: readonly Scope[] = session.silent ? [...usesScopes, 'admin'] : usesScopes;
      if (used.length > 0) session.everyScope = allowedOf(token.scopes, used);
      if (!reads || administersAs)
        session.auditActor = auditActorOf({ ...callerOf(token), scopes: owned }, requestContext, c.req);
      if (callsExternalService) await session.admit();
      // Within the limits of one body, and of all bodies of the tenant and the worker.
      c.set('rawBody', await bodies.read(c.req.raw, tenantId, requestContext));
      c.set('caller', { tenantId, actor: actorOf(token), session });
      await next();
      await completeAdmission(session, c);
    };
}

/** Verifies the request's access token. Throws 401. */
export async function openSession({ verifier, holders, ...options }: TokenOptions, c: TokenContext) {
  const { requestContext, log } = c.var;
  const token = await readToken(verifier, c.req.header('authorization'));
  if (holders === 'persons' && !token.person) throw unauthorizedToken('bad_token');
  Object.assign(requestContext, loggedCaller(token));
  requestContext.trace?.trustCaller();
  return { token, session: new RateLimitedSession({ ...options, token, requestContext, log }) };
}

/** Admits the caller after the endpoint, unless a transaction has done so. Throws 401 or 429. */
export async function completeAdmission(session: RateLimitedSession, c: TokenContext): Promise<void> {
  // Like requests that are rejected before, those that the endpoint rejects for a missing scope do not count, up to a limit.
  if (c.error instanceof ApiError && c.error.code === 'insufficient_scope') await session.uncountRequest();
  if (session.admitted) return;
  // A 401 or 429 takes precedence over other faults of the request.
  const answer = c.res;
  c.res = undefined;
  await session.admit();
  c.res = answer;
}

/**
 * Sets the rate limit headers on responses that no endpoint produced, such as 404 or when the database is unreachable. It does not
 * query the database, because requests to unknown routes are not limited.
 */
export function addLimitHeaders({
  verifier,
  ...options
}: TokenOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  return async (c, next) => {
    await next();
    const { requestContext } = c.var;
    const header = c.req.header('authorization');
    if ('X-RateLimit-Limit' in requestContext.responseHeaders || !header) return;
    const token = await readToken(verifier, header).catch(() => undefined);
    if (!token) return;
    await new RateLimitedSession({
      ...options,
      token,
      requestContext,
      log: silentLogger,
    }).setCachedLimitHeaders();
  };
}

/** For the request log: the tenant and holder of a valid token in an Authorization header. Throws 401 for an invalid one. */
export const identifyHolder = (verifier: TokenVerifier) => async (authorization: string) => {
  return loggedCaller(await readToken(verifier, authorization));
};

/** The holder of a token as the request log names it. */
const loggedCaller = ({ tenantId, clientId, person }: AccessToken) =>
  person ? { tenantId, userId: person.userId } : { tenantId, clientId };

/** The actor of a request with this token. */
export const actorOf = ({ clientId, person, scopes, variant }: AccessToken): Actor =>
  person
    ? { type: 'person', userId: person.userId, scopes }
    : { type: 'oauth_client', clientId, scopes, variant };

async function readToken(verifier: TokenVerifier, header: string | undefined): Promise<AccessToken> {
  if (!header) throw unauthorizedToken('missing');
  const text = BEARER.exec(header)?.[1];
  if (!text) throw unauthorizedToken('malformed');
  const token = await verifier.verify(text);
  if (!token) throw unauthorizedToken('bad_token');
  return token;
}
