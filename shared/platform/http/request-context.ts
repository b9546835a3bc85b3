// What is known of one request while it is served: filled on the way in, read by the request log at the end.

export interface Call {
  requestId: string;
  /** Name of the edge function. */
  service: string;
  method: string;
  /** Path from the function's name on, without the query. */
  path: string;
  /** Path and query exactly as sent, from the function's name on: the TARGET of a signature. */
  target: string;
  /** The caller's address as the platform reports it; undefined when it does not. */
  address: string | undefined;
  /** Milliseconds since the request came in. */
  elapsedMs(): number;
  tenantId?: string;
  apiKeyId?: string;
  clientId?: string;
  /** Headers that the answer carries, whatever it is. */
  answerHeaders?: Record<string, string>;
  /** Whether a transaction of the work has the log row already. */
  logged: boolean;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/**
 * The address of the first public hop. The platform's own header is taken: the leftmost `X-Forwarded-For` is whatever
 * the caller writes there.
 */
function clientAddress(headers: Headers): string | undefined {
  return headers.get('cf-connecting-ip')?.replace(/^::ffff:(?=\d+\.)/i, '') || undefined;
}

export function startCall(service: string, request: Request): Call {
  const startedAt = performance.now();
  const target = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  const given = request.headers.get('x-request-id') ?? '';
  return {
    requestId: VISIBLE_ASCII.test(given) ? given : crypto.randomUUID(),
    service,
    method: request.method,
    path: target.split('?')[0] ?? '/',
    target,
    address: clientAddress(request.headers),
    elapsedMs: () => Math.round(performance.now() - startedAt),
    logged: false,
  };
}
