// Requests that wait for events of a feed. The requests of one tenant share their polls, and their number per worker is limited.
import { ApiError } from '../../platform/errors.ts';
import type { Feed } from './cursor.ts';

export const MAX_LONG_POLLS = 50;
/** A poll that started at most this long ago is shared. */
const SHARED_FOR_MS = 300;
const RETRY_AFTER_SECONDS = 5;

export interface FeedLongPoll {
  /** The last position of the feed, from `poll` or from a recent poll of another waiting request. */
  lastPosition(poll: () => Promise<number>): Promise<number>;
  /** Must be called when the request stops waiting. */
  end(): void;
}

interface WaitingRequests {
  count: number;
  poll?: { startedAtMs: number; position: Promise<number> };
}

const waitingByFeed = new Map<string, WaitingRequests>();

/** Registers a waiting request. Throws 429 if too many requests of the tenant are waiting. */
export function startLongPoll(feed: Feed): FeedLongPoll {
  const key = `${feed.tenantId} ${feed.interface}`;
  const all = waitingByFeed.get(key) ?? { count: 0 };
  if (all.count >= MAX_LONG_POLLS) throw tooManyWaiting();
  waitingByFeed.set(key, all);
  all.count++;
  return {
    lastPosition(poll) {
      if (!all.poll || performance.now() - all.poll.startedAtMs > SHARED_FOR_MS) {
        all.poll = { startedAtMs: performance.now(), position: poll() };
      }
      return all.poll.position;
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
    `Too many requests are waiting for events of this tenant (limit ${MAX_LONG_POLLS}). Retry after ${RETRY_AFTER_SECONDS} s, or read without \`wait\`.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS, reason: 'too_many_waiting' },
  );
