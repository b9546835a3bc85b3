// Events of both feeds. A feed only continues forward, so the process keeps what it has read and pages show the newest first.
import { KEY, opens } from './access.ts';
import type { Deployment } from './deployment.ts';
import { asText, type Json } from './json.ts';
import type { PageApi } from './page-api.ts';

export type EventFeed = 'records' | 'payments';

export interface ReadEvent extends Json {
  id: string;
  type: string;
  created_at: string;
  feed: EventFeed;
}

const PATHS: Readonly<Record<EventFeed, string>> = { records: '/v1/events', payments: '/payments/events' };
/** Maximum page size of the feed. */
const FEED_ROWS = 500;
/** Maximum API calls per feed for one console page, which may make six calls in total. */
const MAX_READS = 2;
const MAX_KEPT = 20_000;

interface FeedState {
  cursor: string | undefined;
  isAtEnd: boolean;
  events: ReadEvent[];
  /** The reads of concurrent console pages run one after another. */
  reading: Promise<void>;
}

export class EventHistory {
  readonly #deployment: Deployment;
  readonly #feeds: Record<EventFeed, FeedState> = { records: emptyFeed(), payments: emptyFeed() };

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /** Feeds that the credentials can read. */
  get feeds(): EventFeed[] {
    const { scopes } = this.#deployment;
    const records = ['read:leads', 'read:deals', 'read:users'].some((scope) => opens(scopes, scope));
    const payments = opens(scopes, KEY);
    return [...(records ? (['records'] as const) : []), ...(payments ? (['payments'] as const) : [])];
  }

  /** An event that was read earlier. */
  kept(id: string): ReadEvent | undefined {
    return this.feeds.flatMap((feed) => this.#feeds[feed].events).find((event) => event.id === id);
  }

  /** Reads the next events. Returns all events read so far, newest first, and whether the end of the feeds was reached. */
  async read(api: PageApi): Promise<{ events: ReadEvent[]; isAtEnd: boolean }> {
    const states = this.feeds.map((feed) => ({ feed, state: this.#feeds[feed] }));
    await Promise.all(
      states.map(({ feed, state }) => {
        const reading = state.reading.then(() => readOn(feed, state, api));
        state.reading = reading.catch(() => {});
        return reading;
      }),
    );
    const events = states.flatMap(({ state }) => state.events);
    events.sort((one, other) => other.created_at.localeCompare(one.created_at));
    return { events, isAtEnd: states.every(({ state }) => state.isAtEnd) };
  }
}

const emptyFeed = (): FeedState => ({
  cursor: undefined,
  isAtEnd: false,
  events: [],
  reading: Promise.resolve(),
});

async function readOn(feed: EventFeed, state: FeedState, api: PageApi): Promise<void> {
  state.isAtEnd = false;
  for (let count = 0; count < MAX_READS && !state.isAtEnd; count++) {
    const { rows, next } = await api.rows(PATHS[feed], { after: state.cursor, limit: FEED_ROWS });
    const read = rows.map((row) => ({
      ...row,
      id: asText(row.id),
      type: asText(row.type),
      created_at: asText(row.created_at),
      feed,
    }));
    state.events = [...state.events, ...read].slice(-MAX_KEPT);
    const last = rows.at(-1);
    state.cursor = (last && asText(last.cursor)) || state.cursor;
    state.isAtEnd = rows.length === 0 || next === undefined;
  }
}
