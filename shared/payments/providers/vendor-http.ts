// Calls of a provider's JSON API: bounded in time and size, and what came of them in words that decide what may be done next.
import { parseRetryAfter } from '../../platform/waits.ts';
import { ProviderBusy, ProviderKeyRefused, ProviderOutcomeUnknown } from './provider.ts';

/** Longest that one call may take. */
export const VENDOR_TIMEOUT_MS = 10_000;
/** Lists of a hundred orders stay well below it. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface VendorCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, with its query. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON, `WholeNumber`s in it with all their digits; a GET has none. */
  body?: unknown;
}

export interface VendorAnswer {
  status: number;
  headers: Headers;
  /** Parsed by `parseJson` where it is JSON; else its text. */
  body: unknown;
}

export interface VendorClient {
  /**
   * What the provider answered with a status below 500 that is none of 401, 408, 425 and 429. Throws `ProviderKeyRefused` (401),
   * `ProviderBusy` (429) and `ProviderOutcomeUnknown` for everything after which nobody knows whether it was done.
   */
  call(call: VendorCall, signal: AbortSignal): Promise<VendorAnswer>;
}

/** `headers` go with every call, the one with the key among them; messages name neither keys nor bodies. */
export function createVendorClient(
  vendor: string,
  { baseUrl, headers }: { baseUrl: string; headers: Record<string, string> },
): VendorClient {
  return {
    async call({ method, path, headers: more, body }, signal) {
      // Nobody waits any more: what was not sent is known not to be done.
      signal.throwIfAborted();
      const where = `${vendor} ${method} ${path.replace(/\?.*/, '')}`;
      let answer: VendorAnswer;
      try {
        const response = await fetch(`${baseUrl}${path}`, {
          method,
          headers: {
            Accept: 'application/json',
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
            ...headers,
            ...more,
          },
          ...(body !== undefined && { body: toJson(body) }),
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(VENDOR_TIMEOUT_MS)]),
        });
        const text = new TextDecoder().decode(await readAtMost(response, MAX_ANSWER_BYTES));
        answer = { status: response.status, headers: response.headers, body: parsed(text) };
      } catch (error) {
        throw new ProviderOutcomeUnknown(`${where}: no answer`, { cause: error });
      }
      const { status } = answer;
      if (status === 401) throw new ProviderKeyRefused(`${where}: the key is not taken`);
      if (status === 429) throw new ProviderBusy(`${where}: too many requests`, retryAfterOf(answer.headers));
      if (status >= 500 || status === 408 || status === 425)
        throw new ProviderOutcomeUnknown(`${where}: status ${status}`);
      return answer;
    },
  };
}

/** The bytes of an answer. Throws when there are more. */
export async function readAtMost(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    if (length > maxBytes) throw new Error(`The answer has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** As `JSON.parse`, but whole numbers with more digits than a number can hold, such as ids of 64 bits, come as text. */
export function parseJson(text: string): unknown {
  return JSON.parse(
    text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
      /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
    ),
  );
}

/** A whole number of any size, kept as text, that goes out as a number. */
export class WholeNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
    if (!/^\d{1,19}$/.test(digits)) throw new TypeError(`Not a whole number: ${digits.slice(0, 40)}`);
  }
}

/** As `JSON.stringify`, with `WholeNumber`s as numbers. */
function toJson(body: unknown): string {
  const numbers: string[] = [];
  // Nobody else can write the marker: it is made anew each time.
  const marker = crypto.randomUUID();
  const json = JSON.stringify(body, (_, value) =>
    value instanceof WholeNumber ? `${marker}:${numbers.push(value.digits) - 1}` : value,
  );
  return json.replace(new RegExp(`"${marker}:(\\d+)"`, 'g'), (_, index) => numbers[Number(index)] ?? 'null');
}

const retryAfterOf = (headers: Headers): number | undefined =>
  parseRetryAfter(headers.get('retry-after') ?? headers.get('ratelimit-reset'), Date.now());
