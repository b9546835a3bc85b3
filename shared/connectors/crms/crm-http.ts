// HTTP client for the JSON APIs of CRMs, with limits on time, size and pace.
import { traceHeaders } from '../../platform/tracing/scope.ts';
import { parseResponse, readLimited } from '../../platform/vendor-json.ts';
import { parseRetryAfter } from '../../platform/waits.ts';
import type { CrmDefinition } from './crm.ts';
import { CrmBusy, CrmCredentialsRejected, CrmUnreachable } from './errors.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export interface CrmRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as a form if it is a `URLSearchParams`. */
  body?: unknown;
  /** Milliseconds until the next request after this one, if fewer are allowed than of others. */
  intervalMs?: number;
}

export interface CrmResponse {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON; integers above 2^53 are texts. Otherwise the text. */
  body: unknown;
}

/**
 * Returns responses with a status below 500, except 401 and 403 (`CrmCredentialsRejected`) and 429 (`CrmBusy`). Throws `CrmUnreachable`
 * for every failure after which the request may have been executed. Waits so that requests keep their pace.
 */
export type CrmHttp = (request: CrmRequest) => Promise<CrmResponse>;

/** Requests of an account: `burst` at once after a pause, then one for each `intervalMs`. */
export interface Pacing {
  intervalMs: number;
  /** Default: 1. Must be allowed again within the job's lease (24 s): the requests of a killed worker are unknown. */
  burst?: number;
  day?: {
    /** Headers with the daily limit, which all programs of the company share, and with what is left of it. Responses may lack them. */
    headers: { limit: string; left: string };
    /** Undefined if it is not known when the day begins. */
    secondsUntilReset?(nowMs: number): number;
  };
}

/** The share of the daily limit that is left to other programs. */
const LEFT_FOR_OTHERS = 0.4;

export interface DayBudget {
  /** Reads what is left from a response. */
  see(headers: Headers): void;
  /** Throws `CrmBusy` if only the share of other programs is left. */
  expectLeft(): void;
}

export function createDayBudget({ day }: Pacing): DayBudget {
  let isSpent = false;
  return {
    see(headers) {
      if (!day) return;
      const [limit, left] = [headers.get(day.headers.limit), headers.get(day.headers.left)];
      if (limit && left && Number(limit) > 0) isSpent = Number(left) <= Number(limit) * LEFT_FOR_OTHERS;
    },
    expectLeft() {
      if (isSpent)
        throw new CrmBusy(
          "Placar's share of the daily limit is used up",
          day?.secondsUntilReset?.(Date.now()),
        );
    },
  };
}

/** Requests end with `signal`. Messages of errors contain neither credentials nor bodies. */
export function createCrmHttp(
  { title, pacing }: Pick<CrmDefinition, 'title' | 'pacing'>,
  signal: AbortSignal,
  {
    budget,
    pacer = createPacer(pacing),
    timeoutMs = REQUEST_TIMEOUT_MS,
  }: { budget?: DayBudget; pacer?: Pacer; timeoutMs?: number } = {},
): CrmHttp {
  return async ({ method, url, headers, body, intervalMs = pacing.intervalMs }) => {
    await pacer.wait(signal, intervalMs);
    const where = `${title} ${method} ${new URL(url).pathname}`;
    const isForm = body instanceof URLSearchParams;
    let answer: CrmResponse;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
          ...headers,
          ...traceHeaders(),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      budget?.see(response.headers);
      const text = new TextDecoder().decode(await readLimited(response, MAX_RESPONSE_BYTES));
      answer = { status: response.status, headers: response.headers, body: parseResponse(text) };
    } catch (error) {
      throw new CrmUnreachable(`${where}: no response`, { cause: error });
    }
    const { status } = answer;
    if (status === 401 || status === 403)
      throw new CrmCredentialsRejected(`${title} rejects the credentials (status ${status}).`, answer);
    if (status === 429)
      throw new CrmBusy(
        `${where}: too many requests`,
        parseRetryAfter(answer.headers.get('retry-after'), Date.now()),
        answer,
      );
    if (status >= 500 || status === 408) throw new CrmUnreachable(`${where}: status ${status}`);
    return answer;
  };
}

/** The pace of an account's requests (generic cell rate algorithm), which workers hand on to each other. */
export interface Pacer {
  /** Resolves when the next request may be sent. Throws when `signal` aborts. */
  wait(signal: AbortSignal, intervalMs: number): Promise<void>;
  /** When a whole burst is allowed again, in milliseconds since 1970. */
  freeAtMs(): number;
}

export function createPacer({ intervalMs: spacingMs, burst = 1 }: Pacing, startsFreeAtMs = 0): Pacer {
  let freeAtMs = startsFreeAtMs;
  return {
    async wait(signal, intervalMs) {
      const nowMs = Date.now();
      const startAtMs = Math.max(nowMs, freeAtMs - (burst - 1) * spacingMs);
      freeAtMs = Math.max(freeAtMs, startAtMs) + intervalMs;
      if (startAtMs > nowMs) await new Promise((resolve) => setTimeout(resolve, startAtMs - nowMs));
      signal.throwIfAborted();
    },
    freeAtMs: () => freeAtMs,
  };
}
