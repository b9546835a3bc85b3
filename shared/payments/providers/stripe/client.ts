// Calls Stripe's API through its library with limits on time and size. Its errors show whether a request can be repeated.
import { Stripe } from 'stripe';
import { traceFetch } from '../../../platform/tracing/scope.ts';
import { readLimited } from '../../../platform/vendor-json.ts';
import { describeCall, PROVIDER_REQUEST_TIMEOUT_MS } from '../provider-http.ts';
import { mapStripeError } from './errors.ts';

/** API version of our requests, our webhooks and the library's types. */
export const STRIPE_VERSION = '2026-10-28.endive';

/** A page of a hundred expanded entries stays well below this limit. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/**
 * Runs one or more Stripe requests. Throws `ProviderRejected`, `InvalidOrder`, `ProviderKeyRejected` and `ProviderBusy` if nothing was
 * done, and `ProviderOutcomeUnknown` for every failure after which the request may have been executed.
 */
export type CallStripe = <T>(callback: (stripe: Stripe) => Promise<T>) => Promise<T>;

/** Returns the calls of an operation, which end with its signal. `url` is Stripe's base URL, without version. */
export function createStripeCaller(key: string, url: string): (signal: AbortSignal) => CallStripe {
  const { hostname, port, protocol } = new URL(url);
  const secure = protocol === 'https:';
  return (signal) => async (callback) => {
    // The caller stopped waiting. If the request is not sent, its outcome is known.
    signal.throwIfAborted();
    const stripe = new Stripe(key, {
      apiVersion: STRIPE_VERSION,
      host: hostname,
      port: port || (secure ? 443 : 80),
      protocol: secure ? 'https' : 'http',
      timeout: PROVIDER_REQUEST_TIMEOUT_MS,
      // The callers decide about retries.
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(boundedFetch(signal)),
    });
    try {
      return await callback(stripe);
    } catch (error) {
      throw mapStripeError(error);
    }
  };
}

/** Adds our abort signal and a size limit, which the library lacks. */
function boundedFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    signal.throwIfAborted();
    // With Node's types loaded, Deno's type of `init` has no member `signal`.
    const librarySignal =
      init && 'signal' in init && init.signal instanceof AbortSignal ? init.signal : undefined;
    const { method, headers } = traceFetch(init);
    const response = await fetch(input, {
      ...init,
      headers,
      redirect: 'error',
      signal: librarySignal ? AbortSignal.any([signal, librarySignal]) : signal,
    });
    describeCall(response, method);
    const body = new TextDecoder().decode(await readLimited(response, MAX_RESPONSE_BYTES));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** Stripe's maximum page size. */
export const PAGE_SIZE = 100;

/** Collects all pages. */
export async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** The object of an expanded member (`expand`). Undefined if only its id is present. */
export function expanded<T extends object>(member: string | T | null | undefined): T | undefined {
  return typeof member === 'object' && member !== null ? member : undefined;
}

/** The id of a member, expanded or not. */
export function idOf(member: string | { id: string } | null | undefined): string | undefined {
  return typeof member === 'string' ? member : member?.id;
}

/** Converts Stripe's times, which are in seconds. */
export function timeOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
