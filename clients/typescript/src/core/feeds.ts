// Event feeds: read by cursor, to their end or for good.
import type { CallOptions } from './options.ts';
import { type List, paged } from './pages.ts';

export interface FeedPage<Event> {
  events: Event[];
  /** Store it with what was made of the events, and go on `after` it. Always there. */
  nextCursor: string;
  hasMore: boolean;
}

/** Longest wait that the API knows, in seconds. */
const LONGEST_WAIT = 20;

export function feedOf<Event, Query extends object>(
  read: (query: object, options: CallOptions | undefined) => Promise<FeedPage<Event>>,
) {
  return {
    /** One page, as it is asked for. `after: 'now'` gives the cursor of the present end. */
    page: (query?: Query, options?: CallOptions): Promise<FeedPage<Event>> => read(query ?? {}, options),
    /** All events from `after` to the present end; each has its `cursor`. */
    list: (query?: Query, options?: CallOptions): List<Event> =>
      paged<Event, object>({ limit: 500, ...query }, async (asked) => {
        const { events, nextCursor, hasMore } = await read(asked, options);
        return { items: events, next: hasMore ? { ...asked, after: nextCursor } : undefined };
      }),
    /** The same, and then each event as it happens, until the loop is left or `signal` ends it. */
    async *follow(query?: Query, options?: CallOptions): AsyncGenerator<Event, never> {
      for (let asked: object = { limit: 500, wait: LONGEST_WAIT, ...query }; ; ) {
        const { events, nextCursor } = await read(asked, options);
        yield* events;
        asked = { ...asked, after: nextCursor };
      }
    },
  };
}
