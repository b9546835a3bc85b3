// Requests that wait for events of a feed. Those of one tenant share their looks at the feed, and their number is limited per worker.
import { ApiError } from '../../platform/errors.ts';
import type { Feed } from './cursor.ts';

export const MAX_WAITING = 50;
/** A look that began at most this long ago is shared. */
const SHARED_FOR_MS = 300;
const RETRY_AFTER_SECONDS = 5;

export interface Waiting {
  /** The last position of the feed: found by `look`, or by the recent look of another waiting request. */
  lastPosition(look: () => Promise<number>): Promise<number>;
  /** Call it when the request stops waiting. */
  end(): void;
}

interface WaitingRequests {
  count: number;
  look?: { startedAtMs: number; position: Promise<number> };
}

const waitingByFeed = new Map<string, WaitingRequests>();

/** Starts to wait. Throws 429 if too many requests of the tenant wait already. */
export function startWaiting(feed: Feed): Waiting {
  const key = `${feed.tenantId} ${feed.interface}`;
  const all = waitingByFeed.get(key) ?? { count: 0 };
  if (all.count >= MAX_WAITING) throw tooManyWaiting();
  waitingByFeed.set(key, all);
  all.count++;
  return {
    lastPosition(look) {
      if (!all.look || performance.now() - all.look.startedAtMs > SHARED_FOR_MS) {
        all.look = { startedAtMs: performance.now(), position: look() };
      }
      return all.look.position;
    },
    end() {
      all.count--;
      if (all.count === 0) waitingByFeed.delete(key);
    },
  };
}

const tooManyWaiting = () =>
  new ApiError(
    'rate_limited',
    `Too many requests wait for events of this tenant (limit ${MAX_WAITING}). Retry after ${RETRY_AFTER_SECONDS} s, or read without \`wait\`.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS, reason: 'too_many_waiting' },
  );
