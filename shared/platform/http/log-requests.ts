// Logs each response: a log line, and a row in the request log unless the work's transaction has written it.

import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Counter } from '../access/request-counter.ts';
import type { Database } from '../db/database.ts';
import { ApiError, errorTable } from '../errors.ts';
import { errorFields, type Logger } from '../logger.ts';
import type { RequestContext, RequestVariables } from '../request/request-context.ts';
import { createRequestLog, logEntryOf, type RejectionDetails } from '../request-log/request-log.ts';

/** The sender of an `Authorization` header: the client or person of a valid token, or the SHA-256 (hex) of an API key, which may be unknown. */
export interface Identity {
  tenantId?: string;
  clientId?: string;
  userId?: string;
  keyHash?: string;
}

export type Identify = (authorization: string) => Promise<Identity | undefined>;

interface LogRequestsOptions {
  database: Database;
  log: Logger;
  /** Paths of the health checks, whose frequent requests are not logged. */
  unloggedPaths: ReadonlySet<string>;
  unknownCallerRows: number;
  counter?: Counter;
  identify?: Identify;
}

/** Maximum number of field names and of query parameter names in a row, and maximum length of each. */
const MAX_NAMES = 20;
const MAX_NAME_LENGTH = 64;

export function logRequests(options: LogRequestsOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  const { unloggedPaths, identify } = options;
  const record = createRequestLog(options);
  return async (c, next) => {
    await next();
    const request = c.get('requestContext');
    if (unloggedPaths.has(request.path)) return;
    const status = request.failure ? errorTable[request.failure.code].status : c.res.status;
    const rejection = rejectionDetails(c, request);
    const { method } = request;
    const known = request.tenantId !== undefined || request.trusted === true;
    const path = known ? request.loggedPath : rejection.route;
    const summary = { method, path, status, reason: rejection.reason, duration_ms: request.elapsedMs() };
    const log = c.get('log');
    if (status >= 500) log.error('request failed', { ...summary, ...errorFields(c.error?.cause ?? c.error) });
    else log.info('request', summary);
    if (request.logged) return;
    const authorization = c.req.header('authorization');
    if (!known && identify && authorization) {
      const { keyHash, ...identity } = (await identify(authorization).catch(() => undefined)) ?? {};
      Object.assign(request, identity);
      if (keyHash) rejection.keyHash = keyHash;
    }
    record(logEntryOf(request, status, rejection), request.trusted);
  };
}

/** The reason, route, invalid fields and query parameter names of a rejected request. Never contains values. */
function rejectionDetails(c: HonoContext, request: RequestContext): RejectionDetails {
  const { target, path, tenantId } = request;
  const error = request.failure ?? c.error;
  const reason = error instanceof ApiError ? (error.reason ?? error.code) : error && 'internal_error';
  const details = error instanceof ApiError ? (error.details ?? []) : [];
  return {
    reason,
    ...(tenantId === undefined && { route: routeOf(c) ?? 'unknown route' }),
    fields: namesOf(details.map(({ field }) => field)),
    query: target === path ? undefined : namesOf(new URLSearchParams(target.slice(path.length + 1)).keys()),
  };
}

function namesOf(all: Iterable<string>): string[] | undefined {
  const names = new Set<string>();
  for (const name of all) {
    // Postgres and JSON accept all other characters.
    names.add(name.replaceAll('\u0000', '').toWellFormed().slice(0, MAX_NAME_LENGTH));
    if (names.size === MAX_NAMES) break;
  }
  return names.size > 0 ? [...names] : undefined;
}

/** The pattern of the request's route; undefined if there is none. */
export function routeOf(c: HonoContext): string | undefined {
  const { requestContext } = c.var as Partial<RequestVariables>;
  if (requestContext?.route !== undefined) return requestContext.route;
  // The path of the last handler that ran. If only middleware for all paths ran, the route does not exist.
  const route = routePath(c);
  return route.endsWith('*') ? undefined : route;
}
