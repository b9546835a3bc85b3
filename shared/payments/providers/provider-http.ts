// HTTP client for providers' JSON APIs with limits on time and size. Its errors show whether a request can be repeated.
import { currentSpan, traceHeaders } from '../../platform/tracing/scope.ts';
import { parseResponse, readLimited } from '../../platform/vendor-json.ts';
import { parseRetryAfter } from '../../platform/waits.ts';
import { ProviderBusy, ProviderKeyRejected, ProviderOutcomeUnknown, ProviderUnreachable } from './errors.ts';

/** Timeout of one request. */
export const PROVIDER_REQUEST_TIMEOUT_MS = 10_000;
/** Lists of a hundred orders stay well below this limit. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

export interface ProviderRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path relative to the base URL, with query string. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. `WholeNumber`s keep all their digits. Not allowed for GET. */
  body?: unknown;
}

export interface ProviderResponse {
  status: number;
  headers: Headers;
  /** Parsed by `parseJson` if it is JSON, otherwise the text. */
  body: unknown;
}

/**
 * Returns responses with a status below 500, except 401, 408, 425 and 429. Throws `ProviderKeyRejected` (401), `ProviderBusy` (429) and
 * `ProviderOutcomeUnknown` for every failure after which the request may have been executed.
 */
type CallProvider = (request: ProviderRequest, signal: AbortSignal) => Promise<ProviderResponse>;

/** `headers` are sent with every request and include the API key. Error messages contain neither keys nor bodies. */
export function createProviderCaller(
  vendor: string,
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
): CallProvider {
  return async ({ method, path, headers: more, body }, signal) => {
    // The caller stopped waiting. If the request is not sent, its outcome is known.
    signal.throwIfAborted();
    const where = `${vendor} ${method} ${path.replace(/\?.*/, '')}`;
    let answer: ProviderResponse;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
          ...more,
          ...traceHeaders(),
        },
        ...(body !== undefined && { body: toJson(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(PROVIDER_REQUEST_TIMEOUT_MS)]),
      });
      describeCall(response, method);
      const text = new TextDecoder().decode(await readLimited(response, MAX_RESPONSE_BYTES));
      answer = { status: response.status, headers: response.headers, body: parseResponse(text) };
    } catch (error) {
      throw new ProviderUnreachable(`${where}: no response`, { cause: error });
    }
    const { status } = answer;
    if (status === 401) throw new ProviderKeyRejected(`${where}: the API key is rejected`);
    if (status === 429) throw new ProviderBusy(`${where}: too many requests`, retryAfterOf(answer.headers));
    if (status >= 500) throw new ProviderUnreachable(`${where}: status ${status}`);
    if (status === 408 || status === 425) throw new ProviderOutcomeUnknown(`${where}: status ${status}`);
    return answer;
  };
}

/** Adds the last request of an operation to its span. Responses such as 404 do not make the operation fail. */
export function describeCall({ url, status }: Pick<Response, 'url' | 'status'>, method: string): void {
  const span = currentSpan();
  if (!span || !URL.canParse(url)) return;
  span.set('server.address', new URL(url).hostname).set('http.request.method', method);
  span.set('http.response.status_code', status);
}

/** An integer of up to 19 digits, stored as text and serialized as a JSON number. */
export class WholeNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
    if (!/^\d{1,19}$/.test(digits)) throw new TypeError(`Not an integer: ${digits.slice(0, 40)}`);
  }
}

/** Like `JSON.stringify`, with `WholeNumber`s as numbers. */
function toJson(body: unknown): string {
  const numbers: string[] = [];
  // A random marker cannot occur in the body by accident or by intent.
  const marker = crypto.randomUUID();
  const json = JSON.stringify(body, (_, value) =>
    value instanceof WholeNumber ? `${marker}:${numbers.push(value.digits) - 1}` : value,
  );
  return json.replace(new RegExp(`"${marker}:(\\d+)"`, 'g'), (_, index) => numbers[Number(index)] ?? 'null');
}

const retryAfterOf = (headers: Headers): number | undefined =>
  parseRetryAfter(headers.get('retry-after') ?? headers.get('ratelimit-reset'), Date.now());
