// The state of one request. Middleware fills it, and the request log reads it at the end.
import type { MiddlewareHandler } from 'hono';
import { type ConnectionWaits, connectionWaits } from '../connection-waits.ts';
import type { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Trace } from '../tracing/trace.ts';
import type { ErrorResponse } from './error-formats.ts';

export interface RequestContext {
  requestId: string;
  /** Name of the edge function. */
  service: string;
  method: string;
  /** The path, starting with the function's name, without the query. */
  path: string;
  /** The path for logs, with tokens replaced by `*`. */
  loggedPath: string;
  /** Path and query exactly as sent, starting with the function's name: the TARGET of a signature. */
  target: string;
  /** The pattern of the route, if the endpoints were loaded by this request (`lazy-endpoints.ts`). */
  route?: string | undefined;
  /** The caller's IP address as reported by the platform; undefined if unknown. */
  address: string | undefined;
  /** Milliseconds since the request arrived. */
  elapsedMs(): number;
  /** Its waits for database connections so far. */
  waits: ConnectionWaits;
  /** Whether the caller is authenticated without belonging to a tenant, such as QStash. */
  trusted?: boolean;
  tenantId?: string;
  apiKeyId?: string;
  clientId?: string;
  /** The person, if the token is that of one. */
  userId?: string;
  /** The caller's trace, or one that began here. Absent without the former and with tracing off. */
  trace?: Trace;
  /** Headers of the response, unless it has its own with these names. Replace the object; do not change it in place. */
  responseHeaders: Readonly<Record<string, string>>;
  /** An error response that is stored for an Idempotency-Key. It is sent unchanged, so that replays are identical. */
  storedErrorResponse?: ErrorResponse;
  /** The id of the JSON-RPC message, in requests to the MCP server. */
  messageId?: string | number;
  /** The error of an operation whose response has the status 200. The request log shows it. */
  failure?: ApiError;
  /** Releases the body's bytes in flight. Called after the response is built. */
  releaseBody?(): void;
  /** Whether the work's transaction has written the request log row. */
  logged: boolean;
}

/** The variables of Hono's context that every handler can use. */
export interface RequestVariables {
  requestContext: RequestContext;
  /** Adds the request id to each line. */
  log: Logger;
}

/** A path segment that is a token, possibly percent-encoded, such as that of a payer's file. Ids contain hyphens or underscores. */
const TOKEN_SEGMENT = /(?<=\/)[0-9A-Za-z%]{32,}(?=\/|$)/g;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/**
 * Reads the caller's IP address from the trusted header. If it has several addresses, the last one counts: proxies append to the header,
 * so the caller may have sent the earlier ones.
 */
function clientAddress(headers: Headers, header: string): string | undefined {
  if (header === '') return undefined;
  const last = headers.get(header)?.split(',').at(-1)?.trim();
  // Some proxies, such as those of Azure, add the port.
  const address = last?.replace(/^\[(.*)\](?::\d+)?$|^(\d+(?:\.\d+){3}):\d+$/, '$1$2');
  return address?.replace(/^::ffff:(?=\d+\.)/i, '') || undefined;
}

/** The options of `createRequestContext` and `startRequest`. */
export interface RequestOptions {
  /** Name of the edge function. */
  name: string;
  log: Logger;
  addressHeader: string;
}

export function createRequestContext(
  { name: service, addressHeader }: RequestOptions,
  request: Request,
): RequestContext {
  const startedAtMs = performance.now();
  const target = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const path = target.split('?')[0] ?? '/';
  const sentId = request.headers.get('x-request-id') ?? '';
  const requestId = VISIBLE_ASCII.test(sentId) ? sentId : crypto.randomUUID();
  return {
    requestId,
    responseHeaders: { 'X-Request-Id': requestId },
    service,
    method: request.method,
    path,
    loggedPath: path.replace(TOKEN_SEGMENT, '*'),
    target,
    address: clientAddress(request.headers, addressHeader),
    elapsedMs: () => Math.round(performance.now() - startedAtMs),
    waits: { totalMs: 0 },
    logged: false,
  };
}

/**
 * Middleware that runs first: sets `requestContext` and `log`, and the headers of every response. It accepts request ids of any visible
 * ASCII characters; `hono/request-id` accepts only letters, digits and three other characters.
 */
export function startRequest(options: RequestOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  const { name, log } = options;
  return async (c, next) => {
    const requestContext = createRequestContext(options, c.req.raw);
    c.set('requestContext', requestContext);
    c.set('log', log.with({ request_id: requestContext.requestId, function: name }));
    await connectionWaits.run(requestContext.waits, next);
    requestContext.releaseBody?.();
    // In place: `c.header` would build the response again, whose text would become a stream.
    const { headers } = c.res;
    for (const [header, value] of Object.entries(requestContext.responseHeaders)) {
      if (!headers.has(header)) headers.set(header, value);
    }
  };
}
