/** Fault injection: faults for the next requests, before or after the provider executes them. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { z } from 'zod';

/**
 * - `hold_before`, `hold_after`: no response; the connection stays open until the caller gives up.
 * - `cut_before`, `cut_after`: the connection is closed.
 * - `error_before`, `error_after`: `status` (default 500) in the provider's format or with `body`.
 * - `rate_limited`: 429 with the provider's headers.
 * - `slow`: the response is sent after `delayMs`.
 *
 * `before`: the request is not executed. `after`: it is executed, but the caller does not receive its result.
 */
export const Fault = z.strictObject({
  kind: z.enum([
    'hold_before',
    'hold_after',
    'cut_before',
    'cut_after',
    'error_before',
    'error_after',
    'rate_limited',
    'slow',
  ]),
  /** Number of requests that the fault affects. */
  times: z.int().positive().default(1),
  method: z.string().toUpperCase().optional(),
  /** The whole path from the root, with `*` as a wildcard. */
  path: z.string().startsWith('/').optional(),
  /** Id of the account. Default: all accounts. */
  account: z.string().optional(),
  status: z.int().min(400).max(599).default(500),
  body: z.unknown().optional(),
  delayMs: z.int().nonnegative().default(1000),
});
export type Fault = z.output<typeof Fault>;
export type FaultOrder = z.input<typeof Fault>;

export interface FaultedRequest {
  method: string;
  path: string;
  account: string | undefined;
}

/** Dependencies of a fault: the connection and the provider's error responses. */
export interface FaultMeans {
  /** Closes the connection. */
  cut(): void;
  /** Resolves when the peer has closed the connection. */
  gone: Promise<void>;
  rateLimited(): Response;
  serverError(status: number): Response;
}

export interface Faults {
  list(): Fault[];
  add(fault: Fault): void;
  clear(): void;
  /** The fault of this request. Counts as one use. */
  take(request: FaultedRequest): Fault | undefined;
}

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    list: () => faults,
    add: (fault) => void faults.push({ ...fault }),
    clear: () => {
      faults = [];
    },
    take(request) {
      const fault = faults.find((candidate) => meets(candidate, request));
      if (fault === undefined) return undefined;
      fault.times -= 1;
      faults = faults.filter(({ times }) => times > 0);
      return fault;
    },
  };
}

function meets({ method, path, account }: Fault, request: FaultedRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (account !== undefined && account !== request.account) return false;
  return path === undefined || matches(path, request.path);
}

/** Whether a text matches the pattern, in which `*` is a wildcard. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** Executes a request with a fault. */
export async function withFault(
  fault: Fault | undefined,
  means: FaultMeans,
  take: () => Promise<Response>,
): Promise<Response> {
  switch (fault?.kind) {
    case undefined:
      return take();
    case 'rate_limited':
      return means.rateLimited();
    case 'error_before':
      return failure(fault, means);
    case 'error_after':
      await take();
      return failure(fault, means);
    case 'slow': {
      const response = await take();
      await Promise.race([means.gone, new Promise((resolve) => setTimeout(resolve, fault.delayMs).unref())]);
      return response;
    }
    case 'hold_before':
      await means.gone;
      return RESPONSE_ALREADY_SENT;
    case 'hold_after':
      await take();
      await means.gone;
      return RESPONSE_ALREADY_SENT;
    case 'cut_after':
      await take();
      means.cut();
      return RESPONSE_ALREADY_SENT;
    case 'cut_before':
      means.cut();
      return RESPONSE_ALREADY_SENT;
  }
}

const failure = ({ status, body }: Fault, means: FaultMeans): Response =>
  body === undefined ? means.serverError(status) : Response.json(body, { status });
