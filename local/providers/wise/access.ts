/** Access control and rate limits. */
import type { MiddlewareHandler } from 'hono';
import { rateLimited, traceId, unauthorized } from './errors.ts';
import type { WiseEnvironment } from './requests.ts';
import type { WiseServices } from './services.ts';
import type { Account } from './state.ts';

const MAX_CORRELATION_CHARACTERS = 36;

const tokenIn = (authorization: string | null | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];

/** The account of a request's token. */
export function accountOfHeaders(services: WiseServices, headers: Headers): Account | undefined {
  const token = tokenIn(headers.get('authorization'));
  return Object.values(services.kit.state.accounts).find(({ tokens }) =>
    tokens.some((known) => known.enabled && known.token === token),
  );
}

export function requireToken(services: WiseServices): MiddlewareHandler<WiseEnvironment> {
  return async (c, next) => {
    const token = tokenIn(c.req.header('authorization'));
    if (token === undefined) throw unauthorized('missing_token', 'Full authentication is required');
    const account = accountOfHeaders(services, c.req.raw.headers);
    // Wise's own examples return the token: logging this response leaks the key.
    if (account === undefined) throw unauthorized('invalid_token', token);
    countRequest(services, account);
    c.set('account', account);
    await next();
  };
}

function countRequest(services: WiseServices, { window, options }: Account): void {
  const { requests, seconds } = options.rateLimit;
  if (services.now() >= window.startedAtMs + seconds * 1000) {
    window.startedAtMs = services.now();
    window.used = 0;
  }
  window.used += 1;
  if (window.used > requests) {
    throw rateLimited(Math.ceil((window.startedAtMs + seconds * 1000 - services.now()) / 1000));
  }
}

/** Adds a trace id to each response, and the caller's correlation id if present. */
export const traceResponses: MiddlewareHandler = async (c, next) => {
  await next();
  c.res.headers.set('x-trace-id', traceId());
  const correlation = c.req.header('x-external-correlation-id');
  if (correlation !== undefined && correlation.length <= MAX_CORRELATION_CHARACTERS) {
    c.res.headers.set('x-external-correlation-id', correlation);
  }
};
