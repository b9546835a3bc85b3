// Reads a page of an event feed, or waits for one. Waiting polls the database and holds no connection.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { DatabaseUnavailable } from '../../platform/db/unavailable.ts';
import { ApiError } from '../../platform/errors.ts';
import { cursorAt, type Feed } from './cursor.ts';
import { type FeedLongPoll, startLongPoll } from './long-polls.ts';
import type { FeedQuery } from './parse-query.ts';
import { assignPositions, type FeedRow, selectPage } from './queries.ts';

/** An event of a page, as stored. */
export interface FeedEvent {
  id: string;
  type: string;
  /** Stored names of the changed members. */
  changed: string[];
  data: unknown;
  origin: string | null;
  silent: boolean;
  createdAt: string;
  cursor: string;
}

export interface FeedPage {
  events: FeedEvent[];
  /** Continues the feed after this page. */
  nextCursor: string;
  hasMore: boolean;
}

/** Delays between polls. New events are found within a second. */
const POLL_DELAYS_MS = [200, 300, 500];
const MAX_POLL_DELAY_MS = 600;

/**
 * Events of these types after a position, in the same order for all readers. If there are none, waits up to `waitSeconds` or until
 * `signal` aborts. Throws `cursor_expired`, 429 if too many requests wait, and 401 if the caller loses access in the meantime.
 */
export async function readFeed(
  context: Context,
  feed: Feed,
  query: FeedQuery,
  signal: AbortSignal,
): Promise<FeedPage> {
  const endsAtMs = performance.now() + query.waitSeconds * 1000;
  const { rows, end } = await readPage(context, feed, query);
  const page = toPage(feed, rows, end, query.limit);
  if (!isEmpty(page) || query.waitSeconds === 0) return page;
  const waiting = startLongPoll(feed);
  try {
    return await waitForPage(context, feed, { ...query, after: end.position }, { waiting, endsAtMs, signal });
  } finally {
    waiting.end();
  }
}

const isEmpty = ({ events, hasMore }: FeedPage): boolean => events.length === 0 && !hasMore;

/** Polls the end of the feed, and reads a page when it has advanced. */
async function waitForPage(
  context: Context,
  feed: Feed,
  query: FeedQuery & { after: number },
  { waiting, endsAtMs, signal }: { waiting: FeedLongPoll; endsAtMs: number; signal: AbortSignal },
): Promise<FeedPage> {
  let { after } = query;
  for (let poll = 0; ; poll += 1) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0 || signal.aborted) return toPage(feed, [], { position: after, more: false }, query.limit);
    await pause(Math.min(leftMs, POLL_DELAYS_MS[poll] ?? MAX_POLL_DELAY_MS), signal);
    const [lastPosition] = await Promise.all([
      waiting.lastPosition(() => readEnd(context, feed, query)),
      context.recheck(),
    ]);
    if (lastPosition <= after) continue;
    const { rows, end } = await readPage(context, feed, { ...query, after });
    const page = toPage(feed, rows, end, query.limit);
    if (!isEmpty(page)) return page;
    // Skips events of other types that this page has already seen.
    after = end.position;
  }
}

async function readEnd(context: Context, feed: Feed, query: FeedQuery): Promise<number> {
  const { end } = await readPage(context, feed, { ...query, after: 'now' });
  return end.position;
}

/** The end of a page that is not full. */
interface End {
  position: number;
  /** Whether events without a position may follow. */
  more: boolean;
}

/** The rows of a page, including all events that are committed. */
async function readPage(
  { read, checkpoint }: Context,
  feed: Feed,
  { after, types, limit }: FeedQuery,
): Promise<{ rows: FeedRow[]; end: End }> {
  const position = after === 'now' ? undefined : after;
  // `now` needs only the end of the feed, no events.
  const pageQuery = { after: position, types: after === 'now' ? [] : types, atMost: limit + 1 };
  const firstRows = await read((sql) => selectPage(sql, feed, pageQuery));
  let rows: FeedRow[] = firstRows;
  let more = false;
  while (oneRow(rows.slice(0, 1)).behind) {
    const next = await checkpoint((sql) => ({
      numbered: assignPositions(sql),
      page: selectPage(sql, feed, pageQuery),
    })).catch(ignoreReadOnly);
    // A read-only database cannot assign positions: return the events that have one, the rest follows later.
    if (!next) break;
    rows = next.page;
    ({ more } = oneRow(next.numbered));
    if (!(more && after === 'now')) break;
  }
  const { lastPosition, droppedPosition } = oneRow(rows.slice(0, 1));
  // A position beyond the end was assigned before the database was restored from a backup.
  if (position !== undefined && (position < droppedPosition || position > lastPosition)) throw expired();
  return { rows, end: { position: lastPosition, more } };
}

function ignoreReadOnly(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable) || error.reason !== 'database_read_only') throw error;
}

function expired(): ApiError {
  const message =
    'Events after this cursor are no longer stored. Read the feed without `after`, which starts with the oldest stored event, ' +
    'and compare it with your data.';
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
  // If the page is not full, all numbered events after it are of other types.
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
