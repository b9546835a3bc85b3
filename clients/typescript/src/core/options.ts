// What a client is told, checked once.
import { OptionsError } from '../errors.ts';

/** About a request, for logs: no headers and no bodies. */
export interface RequestInfo {
  method: string;
  /** From the function's name on, without the query. */
  path: string;
  requestId: string;
  /** From 1. */
  attempt: number;
}

export interface Hooks {
  onRequest?(info: RequestInfo): void;
  onResponse?(info: RequestInfo & { status: number; durationMs: number }): void;
  /** An attempt failed, and the next one follows after `waitMs`. */
  onRetry?(info: RequestInfo & { reason: string; waitMs: number }): void;
}

export interface ClientOptions {
  /** Address of the project or of its functions: `https://<ref>.supabase.co`, or that with `/functions/v1`. */
  url: string;
  /** How long one attempt may take. 60 000 unless given. */
  timeoutMs?: number;
  /** How often a safe request is tried again. 4 unless given. */
  maxRetries?: number;
  /** Wait before the first retry; it doubles each time. 1000 unless given. */
  retryDelayMs?: number;
  /** A server that asks for a longer wait than this gets an error instead. 120 000 unless given. */
  maxWaitMs?: number;
  hooks?: Hooks;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface KeyOptions extends ClientOptions {
  /** `sk_live_...` or `sk_test_...`. */
  apiKey: string;
}

export interface OAuthOptions extends ClientOptions {
  clientId: string;
  clientSecret: string;
}

/** Of one call. */
export interface CallOptions {
  /** Ends the call, its waits and retries; the call throws the signal's reason. */
  signal?: AbortSignal;
  /** In place of the client's. */
  timeoutMs?: number;
}

const FUNCTIONS = '/functions/v1';

/** Address of the functions, without a slash at the end. */
export function functionsUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new OptionsError('url must be an address such as https://<ref>.supabase.co', {
      code: 'invalid_options',
    });
  }
  if (
    !/^https?:$/.test(parsed.protocol) ||
    parsed.username ||
    parsed.password ||
    parsed.search ||
    parsed.hash
  ) {
    throw new OptionsError('url must be http(s), without credentials, query and fragment', {
      code: 'invalid_options',
    });
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return parsed.origin + (path || FUNCTIONS);
}

/** A credential as it is sent in a header: visible ASCII. The message does not say the value. */
export function credential(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new OptionsError(`${name} must be given, in visible ASCII characters`, { code: 'invalid_options' });
}

/** A number that is not negative. */
export function atLeastZero(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new OptionsError(`${name} must be a number from 0`, { code: 'invalid_options' });
}
