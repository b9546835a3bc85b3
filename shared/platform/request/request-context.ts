// What is known of one request while it is served: filled on the way in, read by the request log at the end.
import type { MiddlewareHandler } from 'hono';
import type { Logger } from '../logger.ts';
import type { ErrorAnswer } from './error-formats.ts';

export interface RequestContext {
  requestId: string;
  /** Name of the edge function. */
  service: string;
  method: string;
  /** Path from the function's name on, without the query. */
  path: string;
  /** The same as logs may have it: without what lets whoever knows it in. */
  loggedPath: string;
  /** Path and query exactly as sent, from the function's name on: the TARGET of a signature. */
  target: string;
  /** The caller's address as the platform reports it; undefined when it does not. */
  address: string | undefined;
  /** Milliseconds since the request came in. */
  elapsedMs(): number;
  /** Whether the caller is known though it is no tenant's: QStash. */
  trusted?: boolean;
  tenantId?: string;
  apiKeyId?: string;
  clientId?: string;
  /** Headers of every answer to this request. Replaced, never changed in place. */
  answerHeaders: Readonly<Record<string, string>>;
  /** The `answerHeaders` that the response was built with. */
  builtWith?: Readonly<Record<string, string>>;
  /** A refusal as it is kept under an Idempotency-Key: its answer is the same, to the millisecond. */
  errorAnswer?: ErrorAnswer;
  /** Lets go of what the request's body counts for, once it is answered. */
  releaseBody?(): void;
  /** Whether a transaction of the work has the log row already. */
  logged: boolean;
}

/** What middleware puts into Hono's context for those behind it. */
export interface RequestVariables {
  requestContext: RequestContext;
  /** Its lines carry the request's id. */
  log: Logger;
}

/** A segment that is a token, such as that of a payer's file; ids have hyphens or underscores. Encoded ones, too. */
const TOKEN_SEGMENT = /(?<=\/)[0-9A-Za-z%]{32,}(?=\/|$)/g;

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/**
 * The caller's address, in the one header that is trusted. Of several addresses the last one counts: whoever sets the header
 * adds to its end, and what stands before may be the caller's own words.
 */
function clientAddress(headers: Headers, header: string): string | undefined {
  if (header === '') return undefined;
  const last = headers.get(header)?.split(',').at(-1)?.trim();
  return last?.replace(/^::ffff:(?=\d+\.)/i, '') || undefined;
}

/** What every request of a service starts with. */
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
  const startedAt = performance.now();
  const target = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const path = target.split('?')[0] ?? '/';
  const given = request.headers.get('x-request-id') ?? '';
  const requestId = VISIBLE_ASCII.test(given) ? given : crypto.randomUUID();
  return {
    requestId,
    answerHeaders: { 'X-Request-Id': requestId },
    service,
    method: request.method,
    path,
    loggedPath: path.replace(TOKEN_SEGMENT, '*'),
    target,
    address: clientAddress(request.headers, addressHeader),
    elapsedMs: () => Math.round(performance.now() - startedAt),
    logged: false,
  };
}

/**
 * Middleware before everything else: sets `requestContext` and `log`, and the headers that every answer carries. Callers' ids may
 * be any visible ASCII here, of which `hono/request-id` takes but letters, digits and three signs.
 */
export function startRequest(options: RequestOptions): MiddlewareHandler<{ Variables: RequestVariables }> {
  const { name, log } = options;
  return async (c, next) => {
    const requestContext = createRequestContext(options, c.req.raw);
    c.set('requestContext', requestContext);
    c.set('log', log.with({ request_id: requestContext.requestId, function: name }));
    await next();
    requestContext.releaseBody?.();
    // Each header that is added to a response builds it again.
    const { answerHeaders, builtWith } = requestContext;
    if (builtWith === answerHeaders) return;
    for (const [header, value] of Object.entries(answerHeaders)) c.header(header, value);
  };
}
