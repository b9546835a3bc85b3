// Event feeds, read by cursor.
import type { CallOptions } from './options.ts';
import { type List, paged } from './pages.ts';

export interface FeedPage<Event> {
  events: Event[];
  /** Always present. Store it together with the results of processing the events, and continue with `after`. */
  nextCursor: string;
  hasMore: boolean;
}

/** Longest long-polling wait that the API accepts, in seconds. */
const LONGEST_WAIT = 20;

export function feedOf<Event, Query extends object>(
  read: (query: object, options: CallOptions | undefined) => Promise<FeedPage<Event>>,
) {
  return {
    /** One page. `after: 'now'` returns the current end of the feed as a cursor. */
    page: (query?: Query, options?: CallOptions): Promise<FeedPage<Event>> => read(query ?? {}, options),
    /** All events from `after` to the current end. Each event has its `cursor`. */
    list: (query?: Query, options?: CallOptions): List<Event> =>
      paged<Event, object>({ limit: 500, ...query }, async (asked) => {
        const { events, nextCursor, hasMore } = await read(asked, options);
        return { items: events, next: hasMore ? { ...asked, after: nextCursor } : undefined };
      }),
    /** Like `list`, and then each event as it happens, until the loop ends or `signal` aborts. */
    async *follow(query?: Query, options?: CallOptions): AsyncGenerator<Event, never> {
      for (let asked: object = { limit: 500, wait: LONGEST_WAIT, ...query }; ; ) {
        const { events, nextCursor } = await read(asked, options);
        yield* events;
        asked = { ...asked, after: nextCursor };
      }
    },
  };
}
