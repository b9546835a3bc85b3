// One attempt to deliver: check where it leads, send, and judge the answer. Whatever the network does is an outcome, and
// nothing is thrown but what `takePlaces` throws.

import { parseRetryAfter } from '../../platform/waits.ts';
import { checkDestination } from './destinations.ts';
import { type HttpAnswer, type Outgoing, orAbort, post } from './http-client.ts';
import type { Network } from './network.ts';

const EXCERPT_BYTES = 2048;
/** In place of what nobody is to read. */
const HIDDEN = '***';
const MAX_ERROR_LENGTH = 500;
/** Of a name that has more, these are connected to, one after the other. */
const MAX_ADDRESSES = 8;
export interface DeliveryAttemptResult {
  /** HTTP status; null when there was no answer. */
  status: number | null;
  durationMs: number;
  /** The first 2 KiB of the answer's body. */
  excerpt: string | null;
  /** Why it failed; null when it was delivered. */
  error: string | null;
  /** For how long the receiver wants to be left alone. */
  retryAfterSeconds: number | null;
}

/** Nothing was sent: so many requests are under way to this address that one more would be too many. */
export interface HostBusy {
  /** When to try again. */
  busyUntil: Date;
}

export interface AttemptOptions {
  network: Network;
  allowInsecure: boolean;
  /** For everything, from resolving the name to the end of the answer. */
  timeoutMs: number;
  /** Values of headers that a receiver may send back, and nobody is to read. */
  hidden?: readonly string[];
  /** Asked before connecting to one of these addresses; gives when to try again where that would be one too many. */
  takePlaces(addresses: string[]): Promise<Date | null>;
}

/** Postgres keeps no NUL in a text, and no half of a character in JSON. */
const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');

function excerptOf(body: Uint8Array, hidden: readonly string[]): string {
  if (hidden.length === 0) return textOf(body.subarray(0, EXCERPT_BYTES));
  // Before the cut, which may go through one of them.
  return textOf(new TextEncoder().encode(without(hidden, textOf(body))).subarray(0, EXCERPT_BYTES));
}

const without = (hidden: readonly string[], text: string): string =>
  hidden.reduce((left, value) => left.replace(new RegExp(escaped(value), 'gi'), HIDDEN), text);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** As a stream: a character that the cut goes through is left out. */
const textOf = (bytes: Uint8Array): string => storable(new TextDecoder().decode(bytes, { stream: true }));

function judge(
  { status, headers, body, complete }: HttpAnswer,
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
  if (!success) return `the receiver answered ${status}`;
  // A proxy on the way says 200 before it knows whether the receiver lives to the end of its answer.
  return complete ? null : `the answer (${status}) broke off before its end`;
}

/** Sends to this URL, once, unless no place is free there. */
export async function attempt(
  url: string,
  outgoing: Outgoing,
  { network, allowInsecure, timeoutMs, hidden = [], takePlaces }: AttemptOptions,
): Promise<DeliveryAttemptResult | HostBusy> {
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new Error(`no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const failure = (error: unknown): DeliveryAttemptResult => {
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : error;
    const message = cause instanceof Error ? cause.message : String(cause);
    return {
      status: null,
      excerpt: null,
      error: storable(without(hidden, message).slice(0, MAX_ERROR_LENGTH)),
      retryAfterSeconds: null,
      durationMs: durationMs(),
    };
  };
  try {
    const resolve = (host: string) => orAbort(deadline.signal, network.resolve(host, deadline.signal));
    const found = await checkDestination(url, { allowInsecure, resolve }).catch(failure);
    if ('error' in found) return found;
    const destination = { ...found, addresses: found.addresses.slice(0, MAX_ADDRESSES) };
    const busyUntil = await takePlaces(destination.addresses);
    if (busyUntil) return { busyUntil };
    const answer = await post(network, destination, outgoing, deadline.signal).catch(failure);
    return 'error' in answer ? answer : { ...judge(answer, hidden), durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}
