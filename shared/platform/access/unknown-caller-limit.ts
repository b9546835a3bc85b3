// Limits requests with unknown keys or tokens per address, because each one costs a database lookup. Each worker counts in memory,
// because a call to Redis would cost as much as the lookup.
import QuickLRU from 'quick-lru';
import { ApiError } from '../errors.ts';
import { rateLimited } from './request-counter.ts';

const WINDOW_MS = 60_000;
const MAX_UNKNOWN = 600;
const MAX_ADDRESSES = 10_000;

interface UnknownCallerLimit {
  /**
   * Counts an attempt from this address. Returns a function that uncounts it, for a key or token that turns out to be known. Throws 429.
   * Callers without a known address are not limited, because one of them could lock out the others.
   */
  attempt(address: string | undefined): () => void;
}

export function createUnknownCallerLimit(max = MAX_UNKNOWN): UnknownCallerLimit {
  const attempts = new QuickLRU<string, { count: number; resetsAtMs: number }>({ maxSize: MAX_ADDRESSES });
  return {
    attempt(address) {
      if (address === undefined) return () => {};
      const now = Date.now();
      const found = attempts.get(address);
      const window = found && found.resetsAtMs > now ? found : { count: 0, resetsAtMs: now + WINDOW_MS };
      if (window.count >= max)
        throw rateLimited(
          'Too many requests with unknown keys or links from this address.',
          window.resetsAtMs,
        );
      window.count++;
      attempts.set(address, window);
      return () => {
        window.count--;
      };
    },
  };
}

/** Runs the lookup of a counted attempt. An unreachable database says nothing about the caller, so that attempt is uncounted. */
export const lookUpCaller = <T>(uncount: (() => void) | undefined, lookup: () => Promise<T>): Promise<T> =>
  lookup().catch((error: unknown) => {
    if (isOutage(error)) uncount?.();
    throw error;
  });

/** Whether the request failed because of the service, not because of the caller. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'unavailable';
