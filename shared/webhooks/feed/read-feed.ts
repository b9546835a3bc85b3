// Reading an event feed: a page, or the wait for one. Nothing is held while it waits: it asks again.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts';
import { ApiError } from '../../platform/errors.ts';
import { cursorAt, type Feed } from './cursor.ts';
import type { FeedQuery } from './parse-query.ts';
import { type FeedRow, numberEvents, selectPage } from './queries.ts';

/** An event of a page as it is stored. */
export interface FeedEvent {
  id: string;
  type: string;
  /** Members in stored form. */
  changed: string[];
  data: unknown;
  origin: string | null;
  silent: boolean;
  createdAt: string;
  cursor: string;
}

export interface FeedPage {
  events: FeedEvent[];
  /** What to go on after. */
  nextCursor: string;
  hasMore: boolean;
}

/** Pauses between looks: what is committed is seen within a second. */
const PAUSES_MS = [200, 300, 500];
const LONGEST_PAUSE_MS = 700;

/**
 * Events of these types after a place, in the order that all readers see. Waits for one as long as the query says, unless `signal` ends
 * it. Throws `cursor_expired`.
 */
export async function readFeed(
  context: Context,
  feed: Feed,
  query: FeedQuery,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endsAtMs = performance.now() + query.waitSeconds * 1000;
  let { after } = query;
  for (let look = 0; ; look += 1) {
    const { rows, end } = await lookUp(context, feed, { ...query, after });
    const page = toPage(feed, rows, end, query.limit);
    const leftMs = endsAtMs - performance.now();
    if (page.events.length > 0 || page.hasMore || leftMs <= 0 || signal.aborted) return page;
    // Those of other types are not looked at again.
    after = end.position;
    await pause(Math.min(leftMs, PAUSES_MS[look] ?? LONGEST_PAUSE_MS), signal);
  }
}

/** Where a page ends that has room left. */
interface End {
  position: number;
  /** Whether events that have no place yet may follow. */
  more: boolean;
}

/** The rows of the page, events that were committed until now among them. */
async function lookUp(
  { read, checkpoint }: Context,
  feed: Feed,
  { after, types, limit }: FeedQuery,
): Promise<{ rows: FeedRow[]; end: End }> {
  const place = after === 'now' ? undefined : after;
  // Of `now` nothing but the end is asked.
  const asked = { after: place, types: after === 'now' ? [] : types, atMost: limit + 1 };
  const found = await read((sql) => selectPage(sql, feed, asked));
  let rows: FeedRow[] = found;
  let more = false;
  while (oneRow(rows.slice(0, 1)).behind) {
    const next = await checkpoint((sql) => ({
      numbered: numberEvents(sql),
      page: selectPage(sql, feed, asked),
    })).catch(ignoreReadOnly);
    // What has its place is served; the rest follows once the database takes writes again.
    if (!next) break;
    rows = next.page;
    ({ more } = oneRow(next.numbered));
    if (!(more && after === 'now')) break;
  }
  const { lastPosition, droppedPosition } = oneRow(rows.slice(0, 1));
  // A place that was not given yet is one of before the database was set back.
  if (place !== undefined && (place < droppedPosition || place > lastPosition)) throw expired();
  return { rows, end: { position: lastPosition, more } };
}

function ignoreReadOnly(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable) || error.reason !== 'database_read_only') throw error;
}

function expired(): ApiError {
  const message =
    'Events after this cursor are no longer kept. Read without after, which begins with the oldest that are, and compare with what you have.';
  return new ApiError('cursor_expired', message, { details: [{ field: 'after', message: 'has expired' }] });
}

function toPage(feed: Feed, rows: FeedRow[], end: End, limit: number): FeedPage {
  const all = rows.flatMap(({ position, createdAt, ...row }) =>
    position === null ? [] : [{ ...row, position, createdAt: createdAt.toISOString() }],
  );
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = all.length > limit;
  const events = shown.map(({ id, type, changed, data, origin, silent, createdAt, position }) => ({
    id,
    type,
    changed,
    data,
    origin,
    silent,
    createdAt,
    cursor: cursorAt(feed, position),
  }));
  // Beyond the page there are only other types, as far as the feed was numbered.
  const next = hasMore && last ? last.position : end.position;
  return { events, nextCursor: cursorAt(feed, next), hasMore: hasMore || end.more };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
