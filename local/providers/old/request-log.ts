/** Recorded requests of an emulator, so that tests can check how often an order was sent. */
import { matches } from './faults.ts';

export interface LoggedRequest {
  number: number;
  /** On the emulator's clock. */
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Account id of the request's key; null without a key. */
  account: string | null;
  /** Parsed JSON, or text; null without a body. */
  body: unknown;
  /** Status of the response; null if a fault prevented it. */
  status: number | null;
  /** The fault that was applied. */
  fault: string | null;
}

export interface RequestFilter {
  method?: string | undefined;
  /** With `*` as a wildcard. */
  path?: string | undefined;
  account?: string | undefined;
}

export interface RequestLog {
  /** Oldest first. */
  list(filter?: RequestFilter): LoggedRequest[];
  add(request: Omit<LoggedRequest, 'number'>): LoggedRequest;
  /** Forgets the requests that match. */
  clear(filter?: RequestFilter): void;
}

const MAX_KEPT = 30_000;

export function createRequestLog(): RequestLog {
  let kept: LoggedRequest[] = [];
  let last = 0;
  return {
    list: (filter) => kept.filter(matching(filter)),
    add(request) {
      last += 1;
      const logged = { number: last, ...request };
      kept.push(logged);
      if (kept.length > MAX_KEPT) kept = kept.slice(-MAX_KEPT / 2);
      return logged;
    },
    clear(filter) {
      const isCleared = matching(filter);
      kept = kept.filter((request) => !isCleared(request));
    },
  };
}

const matching =
  ({ method, path, account }: RequestFilter = {}) =>
  (request: LoggedRequest): boolean =>
    (method === undefined || request.method === method) &&
    (account === undefined || request.account === account) &&
    (path === undefined || matches(path, request.path));

/** Parses a body for the log. */
export function bodyForLog(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
