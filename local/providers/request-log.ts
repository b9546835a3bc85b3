/** What was asked of an emulator, so that a test can tell how often an order was sent. */
import { matches } from './faults.ts';

export interface LoggedRequest {
  number: number;
  /** On the emulator's clock. */
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Id of the account whose key came with it, null when none did. */
  account: string | null;
  /** As JSON where it is JSON, else as text; null without a body. */
  body: unknown;
  /** What the vendor answered; null when a fault came before that. */
  status: number | null;
  /** The fault that it met. */
  fault: string | null;
}

export interface RequestFilter {
  method?: string | undefined;
  /** With `*` for anything. */
  path?: string | undefined;
  account?: string | undefined;
}

export interface RequestLog {
  /** Oldest first. */
  list(filter?: RequestFilter): LoggedRequest[];
  add(request: Omit<LoggedRequest, 'number'>): LoggedRequest;
  clear(): void;
}

const MOST_KEPT = 10_000;

export function createRequestLog(): RequestLog {
  let kept: LoggedRequest[] = [];
  let last = 0;
  return {
    list: ({ method, path, account } = {}) =>
      kept.filter(
        (request) =>
          (method === undefined || request.method === method) &&
          (account === undefined || request.account === account) &&
          (path === undefined || matches(path, request.path)),
      ),
    add(request) {
      last += 1;
      const logged = { number: last, ...request };
      kept.push(logged);
      if (kept.length > MOST_KEPT) kept = kept.slice(-MOST_KEPT / 2);
      return logged;
    },
    clear() {
      kept = [];
    },
  };
}

/** A body as the log keeps it. */
export function bodyForLog(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
