// Calls of Stripe's API by its own library: bounded in time and size, and what came of them in words that decide what may be
// done next.
import { Stripe } from 'stripe';
import { readAtMost, VENDOR_TIMEOUT_MS } from '../vendor-http.ts';
import { mapStripeError } from './errors.ts';

/** What our requests and the webhooks that we make are written for; the library's types are of this version. */
export const STRIPE_VERSION = '2026-10-28.endive';

/** A page of a hundred entries with what they lead to stays well below it. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Asks Stripe, which may take several calls. Throws `ProviderRejected`, `InvalidOrder`, `ProviderKeyRefused` and `ProviderBusy` when
 * nothing was done, and `ProviderOutcomeUnknown` for everything after which nobody knows.
 */
export type CallStripe = <T>(signal: AbortSignal, question: (stripe: Stripe) => Promise<T>) => Promise<T>;

/** `url` is where Stripe answers, without version. */
export function createAsk(key: string, url: string): CallStripe {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return async (signal, question) => {
    // Nobody waits any more: what was not sent is known not to be done.
    signal.throwIfAborted();
    const stripe = new Stripe(key, {
      apiVersion: STRIPE_VERSION,
      host: hostname,
      port: port || (secure ? 443 : 80),
      protocol: secure ? 'https' : 'http',
      timeout: VENDOR_TIMEOUT_MS,
      // What may be sent again, and when, is decided by whoever asks.
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(boundedFetch(signal)),
    });
    try {
      return await question(stripe);
    } catch (error) {
      throw mapStripeError(error);
    }
  };
}

/** The library has its own clock for a call and no limit of what comes back. */
function boundedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    signal.throwIfAborted();
    // Deno's types of what a fetch is given have no such member where those of Node are loaded as well.
    const theirs = init && 'signal' in init && init.signal instanceof AbortSignal ? init.signal : undefined;
    const response = await fetch(input, {
      ...init,
      redirect: 'error',
      signal: theirs ? AbortSignal.any([signal, theirs]) : signal,
    });
    const body = new TextDecoder().decode(await readAtMost(response, MAX_ANSWER_BYTES));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** What a member holds that was asked for in full (`expand`); undefined where only its id came. */
export function expanded<T extends object>(member: string | T | null | undefined): T | undefined {
  return typeof member === 'object' && member !== null ? member : undefined;
}

/** The id of a member, in full or not. */
export function idOf(member: string | { id: string } | null | undefined): string | undefined {
  return typeof member === 'string' ? member : member?.id;
}

/** Stripe's times are seconds. */
export function timeOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
