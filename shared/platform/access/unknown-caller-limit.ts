// How often an address may come with a key or token that nobody knows: each asks the database once, and is guessing or nonsense.
// Counted in each worker by itself, for asking Redis would cost as much as asking the database.
import QuickLRU from 'quick-lru';
import { rateLimited } from './request-counter.ts';

const WINDOW_MS = 60_000;
const MAX_UNKNOWN = 600;
const MAX_ADDRESSES = 10_000;

export interface UnknownCallerLimit {
  /**
   * Counts an attempt from this address; gives what takes it back, for a key or token that turns out to be known. Throws 429.
   * Callers whose address nobody knows share none: one of them must not lock out the others.
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
        throw rateLimited('Too many unknown keys or links came from this address', window.resetsAtMs);
      window.count++;
      attempts.set(address, window);
      return () => {
        window.count--;
      };
    },
  };
}
