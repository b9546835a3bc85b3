// Options of a client, validated once.
import { OptionsError } from '../errors.ts';

/** Describes a request for logs, without headers and bodies. */
export interface RequestInfo {
  method: string;
  /** Begins with the function's name. Without the query. */
  path: string;
  requestId: string;
  /** Starts at 1. */
  attempt: number;
}

export interface Hooks {
  onRequest?(info: RequestInfo): void;
  onResponse?(info: RequestInfo & { status: number; durationMs: number }): void;
  /** Called when an attempt fails and another one follows after `waitMs`. */
  onRetry?(info: RequestInfo & { reason: string; waitMs: number }): void;
}

export interface ClientOptions {
  /** URL of the project or of its functions: `https://<ref>.supabase.co`, or the same with `/functions/v1`. */
  url: string;
  /** Timeout of one attempt. Default: 60 000. */
  timeoutMs?: number;
  /** Maximum retries of a safe request. Default: 4. */
  maxRetries?: number;
  /** Delay before the first retry. It doubles each time. Default: 1000. */
  retryDelayMs?: number;
  /** Longest accepted `Retry-After`. If the server requests a longer wait, the call throws. Default: 120 000. */
  maxWaitMs?: number;
  /** Whether to send requests to the new address of a workspace that has moved, if that uses https. Default: false. */
  followMoves?: boolean;
  hooks?: Hooks;
  /** Replaces the global `fetch`. A `PlacarError` that it throws ends the call without retries. */
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

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, its waits and retries. The call then throws the signal's reason. */
  signal?: AbortSignal;
  /** Overrides the client's timeout. */
  timeoutMs?: number;
}

const FUNCTIONS = '/functions/v1';

/** URL of the functions, without a trailing slash. */
export function functionsUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new OptionsError('url must be a URL such as https://<ref>.supabase.co', {
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
    throw new OptionsError('url must be an http(s) URL without credentials, query and fragment', {
      code: 'invalid_options',
    });
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return parsed.origin + (path || FUNCTIONS);
}

/** Checks a credential that is sent in a header. The error does not contain the value. */
export function credential(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new OptionsError(`${name} is required and must be visible ASCII characters`, {
    code: 'invalid_options',
  });
}

/** Checks that a number is not negative. */
export function atLeastZero(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new OptionsError(`${name} must be a number of at least 0`, { code: 'invalid_options' });
}
