/** Recorded requests of a fake, so that tests can check how often an order was sent. */
import type { HonoRequest } from 'hono';
import { type Fault, matches } from './faults.ts';

export interface LoggedRequest {
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
  method?: string;
  /** With `*` as a wildcard. */
  path?: string;
  account?: string;
}

const MAX_KEPT = 30_000;

export function createRequestLog() {
  let kept: LoggedRequest[] = [];
  return {
    /** Oldest first. */
    list: (filter?: RequestFilter) => kept.filter(matching(filter)),
    add(
      request: HonoRequest,
      text: string,
      account: string | undefined,
      fault: Fault | undefined,
    ): LoggedRequest {
      const { method, path } = request;
      const logged = {
        method,
        path,
        query: request.query(),
        headers: request.header(),
        account: account ?? null,
        body: bodyOf(text),
        status: null,
        fault: fault?.kind ?? null,
      };
      kept.push(logged);
      if (kept.length > MAX_KEPT) kept = kept.slice(-MAX_KEPT / 2);
      return logged;
    },
    /** Forgets the requests that match. */
    clear(filter?: RequestFilter) {
      const isCleared = matching(filter);
      kept = kept.filter((request) => !isCleared(request));
    },
  };
}

const matching =
  ({ method, path, account }: RequestFilter = {}) =>
  (request: LoggedRequest): boolean =>
    (method ?? request.method) === request.method &&
    (account ?? request.account) === request.account &&
    matches(path ?? '*', request.path);

function bodyOf(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
