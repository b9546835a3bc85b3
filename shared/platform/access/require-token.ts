// The guard of records: who calls with an access token, and whether it may. A token is verified in memory; that its client
// was not revoked, and how many requests its tenant's plan allows, is asked of the database by the first statement of the
// request's first transaction (`rate-limited-session.ts`).
import type { MiddlewareHandler } from 'hono';
import type { Database } from '../db/database.ts';
import { ApiError, insufficientScope } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { createBodiesInFlight } from '../request/bodies-in-flight.ts';
import type { RequestVariables } from '../request/request-context.ts';
import type { AccessToken, TokenVerifier } from './access-tokens.ts';
import type { Guard } from './guard.ts';
import { type Allowances, RateLimitedSession, unauthorizedToken } from './rate-limited-session.ts';
import type { Counter } from './request-counter.ts';
import { allows } from './scopes.ts';

const BEARER = /^Bearer +(\S+)$/i;
const MAX_ORIGIN_LENGTH = 64;
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

export interface TokenOptions {
  database: Database;
  counter: Counter;
  verifier: TokenVerifier;
  allowances: Allowances;
}

/** `X-Origin`: what caused the request, in the caller's words; undefined when there is none. Throws 400. */
export function readOrigin(headers: Headers): string | undefined {
  const origin = headers.get('x-origin');
  if (origin === null || origin === '') return undefined;
  if (origin.length <= MAX_ORIGIN_LENGTH && VISIBLE_ASCII.test(origin)) return origin;
  const message = `must have at most ${MAX_ORIGIN_LENGTH} characters, all of them visible ASCII or spaces`;
  throw new ApiError('validation', 'Fix this header.', { details: [{ field: 'X-Origin', message }] });
}

/** `X-Silent`: whether what the request changes is only to be stored. Throws 400. */
export function isSilent(headers: Headers): boolean {
  const silent = headers.get('x-silent');
  if (silent === null || silent === 'false') return false;
  if (silent === 'true') return true;
  const details = [{ field: 'X-Silent', message: 'must be true or false' }];
  throw new ApiError('validation', 'Fix this header.', { details });
}

/** Lets callers in by `Bearer <access token>`, at the expense of their tenant's plan. */
export function requireToken({ verifier, ...options }: TokenOptions): Guard {
  const bodies = createBodiesInFlight();
  return ({ scopes, reads, asksOutside }) =>
    async function checkToken(c, next) {
      const { requestContext, log } = c.var;
      const token = await readToken(verifier, c.req.header('authorization'));
      const { tenantId, clientId } = token;
      Object.assign(requestContext, { tenantId, clientId });
      const session = new RateLimitedSession({ ...options, token, requestContext, log });
      if (!allows(token.scopes, scopes)) {
        await session.showLimit();
        throw insufficientScope('token', scopes);
      }
      session.countRequest();
      // Checked with the other headers, before anything is written.
      if (!reads) session.origin = c.req.header('x-origin') || undefined;
      if (!reads) session.silent = c.req.header('x-silent') === 'true';
      if (asksOutside) await session.admit();
      const actor = { type: 'oauth_client', clientId, scopes: token.scopes, variant: token.variant } as const;
      c.set('rawBody', await bodies.read(c.req.raw, tenantId, requestContext));
      c.set('caller', { tenantId, actor, session });
      await next();
      // What an endpoint refuses for a scope counts no more than what is refused here, up to the limit: it was some work.
      if (c.error instanceof ApiError && c.error.code === 'insufficient_scope') await session.takeBack();
      if (session.admitted) return;
      // Whether the caller may come in at all is said before anything that was found wrong with the request.
      const answer = c.res;
      c.res = undefined;
      await session.admit();
      c.res = answer;
    };
}

/**
 * Says how much of the limit is left where no endpoint does, such as for an unknown address or while the database is away.
 * So it asks no database: anybody can ask for unknown addresses as often as they like.
 */
export function addLimitHeaders({
  verifier,
  ...options
}: TokenOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  return async (c, next) => {
    await next();
    const { requestContext } = c.var;
    const header = c.req.header('authorization');
    if ('X-RateLimit-Limit' in requestContext.answerHeaders || !header) return;
    const token = await readToken(verifier, header).catch(() => undefined);
    if (!token) return;
    await new RateLimitedSession({ ...options, token, requestContext, log: silentLogger }).showKnownLimit();
  };
}

/** For the request log: whose token a header holds, when it is good. */
export const identifyClient = (verifier: TokenVerifier) => async (authorization: string) => {
  const { tenantId, clientId } = await readToken(verifier, authorization);
  return { tenantId, clientId };
};

async function readToken(verifier: TokenVerifier, header: string | undefined): Promise<AccessToken> {
  if (!header) throw unauthorizedToken('missing');
  const text = BEARER.exec(header)?.[1];
  if (!text) throw unauthorizedToken('malformed');
  const token = await verifier.verify(text);
  if (!token) throw unauthorizedToken('bad_token');
  return token;
}
