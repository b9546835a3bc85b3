// One delivery attempt: checks the destination, sends the request and evaluates the response. Network errors are results; only errors
// of `reserveSlots` are thrown.

import { parseRetryAfter } from '../../platform/waits.ts';
import { checkDestination } from './destinations.ts';
import { type HttpResponse, type OutgoingRequest, orAbort, post } from './http-client.ts';
import type { Network } from './network.ts';

const EXCERPT_BYTES = 2048;
const REDACTED = '***';
const MAX_ERROR_LENGTH = 500;
/** Maximum number of a host's addresses to try, one after the other. */
const MAX_ADDRESSES = 8;

export interface DeliveryAttemptResult {
  /** HTTP status; null if there was no response. */
  status: number | null;
  durationMs: number;
  /** The first 2 KiB of the response body. */
  excerpt: string | null;
  /** Why the attempt failed; null if it succeeded. */
  error: string | null;
  /** The receiver's `Retry-After`. */
  retryAfterSeconds: number | null;
}

/** Nothing was sent, because the limit of requests in flight to this address is reached. */
export interface HostBusy {
  /** When to retry. */
  busyUntil: Date;
}

interface AttemptOptions {
  network: Network;
  allowInsecure: boolean;
  /** Timeout for the whole attempt, from resolving the name to the end of the response. */
  timeoutMs: number;
  /** Secret header values to redact if the receiver echoes them. */
  hidden?: readonly string[];
  /** Reserves a request slot at these addresses before connecting. Returns when to retry if no slot is free. */
  reserveSlots(addresses: string[]): Promise<Date | null>;
}

/** Replaces NUL characters and lone surrogates, which Postgres cannot store. */
const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');

function excerptOf(body: Uint8Array, hidden: readonly string[]): string {
  if (hidden.length === 0) return textOf(body.subarray(0, EXCERPT_BYTES));
  // Redact before truncating, which could cut through a secret.
  return textOf(new TextEncoder().encode(redact(hidden, textOf(body))).subarray(0, EXCERPT_BYTES));
}

const redact = (hidden: readonly string[], text: string): string =>
  hidden.reduce((redacted, value) => redacted.replace(new RegExp(escapeRegExp(value), 'gi'), REDACTED), text);

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** Decodes as a stream to omit a partial character at the end. */
const textOf = (bytes: Uint8Array): string => storable(new TextDecoder().decode(bytes, { stream: true }));

function evaluate(
  { status, headers, body, complete }: HttpResponse,
  hidden: readonly string[],
): Omit<DeliveryAttemptResult, 'durationMs'> {
  const success = status >= 200 && status < 300;
  const overloaded = status === 429 || status === 503;
  return {
    status,
    excerpt: excerptOf(body, hidden),
    error: faultOf(status, success, complete),
    retryAfterSeconds: (overloaded && parseRetryAfter(headers.get('retry-after'), Date.now())) || null,
  };
}

function faultOf(status: number, success: boolean, complete: boolean): string | null {
  if (!success) return `the receiver responded with ${status}`;
  // A proxy can forward a 200 before the receiver fails.
  return complete ? null : `the response (${status}) was incomplete`;
}

/** Sends one request to this URL, unless no request slot is free. */
export async function attempt(
  url: string,
  outgoing: OutgoingRequest,
  { network, allowInsecure, timeoutMs, hidden = [], reserveSlots }: AttemptOptions,
): Promise<DeliveryAttemptResult | HostBusy> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new Error(`no complete response within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const failure = (error: unknown): DeliveryAttemptResult => {
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      status: null,
      excerpt: null,
      error: storable(redact(hidden, message).slice(0, MAX_ERROR_LENGTH)),
      retryAfterSeconds: null,
      durationMs: durationMs(),
    };
  };
  try {
    const resolve = (host: string) => orAbort(deadline.signal, network.resolve(host, deadline.signal));
    const found = await checkDestination(url, { allowInsecure, resolve }).catch(failure);
    if ('error' in found) return found;
    const destination = { ...found, addresses: found.addresses.slice(0, MAX_ADDRESSES) };
    const busyUntil = await reserveSlots(destination.addresses);
    if (busyUntil) return { busyUntil };
    const response = await post(network, destination, outgoing, deadline.signal).catch(failure);
    return 'error' in response ? response : { ...evaluate(response, hidden), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}
