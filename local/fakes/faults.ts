/** Fault injection: faults for the next requests, before or after the vendor executes them. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/**
 * - `hold_before`, `hold_after`: no response; the connection stays open until the caller gives up.
 * - `cut_before`, `cut_after`: the connection is closed.
 * - `error_before`, `error_after`: `status` (default 500) in the vendor's format or with `body`.
 * - `rate_limited`: 429 with the vendor's headers.
 * - `slow`: the response is sent after `delayMs`.
 *
 * `before`: the request is not executed. `after`: it is executed, but the caller does not receive its result.
 */
export interface Fault {
  kind:
    | 'hold_before'
    | 'hold_after'
    | 'cut_before'
    | 'cut_after'
    | 'error_before'
    | 'error_after'
    | 'rate_limited'
    | 'slow';
  /** Number of requests that the fault affects. Default: 1. */
  times?: number;
  method?: string | undefined;
  /** The whole path from the root, with `*` as a wildcard. */
  path?: string | undefined;
  /** Id of the account. Default: all accounts. */
  account?: string | undefined;
  status?: number;
  body?: unknown;
  delayMs?: number;
}
export type FaultOrder = Fault;

/** Dependencies of a fault: the connection and the vendor's error responses. */
interface FaultMeans {
  /** Closes the connection. */
  cut(): void;
  /** Resolves when the peer has closed the connection. */
  gone: Promise<void>;
  rateLimited(): Response;
  serverError(status: number): Response;
}

export function createFaults() {
  let faults: { fault: Fault; left: number }[] = [];
  return {
    add: (fault: Fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    clear: () => {
      faults = [];
    },
    /** The fault of this request. Counts as one use. */
    take(request: { method: string; path: string; account: string | undefined }): Fault | undefined {
      const found = faults.find(
        ({ fault: { method, path, account } }) =>
          (method ?? request.method) === request.method &&
          (account ?? request.account) === request.account &&
          matches(path ?? '*', request.path),
      );
      if (found !== undefined) found.left -= 1;
      faults = faults.filter(({ left }) => left > 0);
      return found?.fault;
    },
  };
}

/** Whether a text matches the pattern, in which `*` is a wildcard. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** Executes a request with a fault. */
export async function withFault(
  fault: Fault | undefined,
  { cut, gone, ...means }: FaultMeans,
  execute: () => Promise<Response>,
): Promise<Response> {
  if (fault === undefined) return execute();
  const { kind, status = 500, body, delayMs = 1000 } = fault;
  const response = kind === 'slow' || kind.endsWith('_after') ? await execute() : undefined;
  switch (kind) {
    case 'rate_limited':
      return means.rateLimited();
    case 'error_before':
    case 'error_after':
      return body === undefined ? means.serverError(status) : Response.json(body, { status });
    case 'slow':
      await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, delayMs).unref())]);
      return response ?? RESPONSE_ALREADY_SENT;
    case 'hold_before':
    case 'hold_after':
      await gone;
      return RESPONSE_ALREADY_SENT;
    case 'cut_before':
    case 'cut_after':
      cut();
      return RESPONSE_ALREADY_SENT;
  }
}
