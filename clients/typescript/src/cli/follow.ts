// Follows event feeds until Ctrl-C, and retries after network and service failures.
import { wait } from '../core/wait.ts';
import { PlacarError } from '../errors.ts';
import { type Feed, type FeedEvent, type Interface, interfaceOf, type Page, typeFilter } from './feed.ts';

/** The types to request from a feed. Undefined if a pattern has an asterisk: events are then filtered locally. */
function askedTypes(feed: Feed, patterns: readonly string[]): string | undefined {
  const own = patterns.filter((pattern) => (interfaceOf(pattern) ?? feed.interface) === feed.interface);
  return own.length > 0 && !own.some((pattern) => pattern.includes('*')) ? own.join(',') : undefined;
}

const LONGEST_WAIT_MS = 30_000;
const WAIT_SECONDS = 20;
const PAGE_SIZE = 100;

export interface Follow {
  feeds: readonly Feed[];
  patterns: readonly string[];
  /** Start cursor of each feed. */
  start: Readonly<Record<Interface, string | undefined>>;
  signal: AbortSignal;
  onEvents(events: FeedEvent[], page: Page, feed: Feed): void | Promise<void>;
  /** Called when a feed fails. It is read again after `waitMs`. */
  onTrouble(error: PlacarError, waitMs: number, feed: Feed): void;
}

/** Follows the feeds until the signal aborts, and retries after network and service failures. Throws permanent errors. */
export async function follow({ feeds, signal, ...options }: Follow): Promise<void> {
  const one = new AbortController();
  const ended = AbortSignal.any([signal, one.signal]);
  try {
    await Promise.all(feeds.map((feed) => followOne(feed, { ...options, feeds, signal: ended })));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    one.abort();
  }
}

async function followOne(
  feed: Feed,
  { patterns, start, signal, onEvents, onTrouble }: Follow,
): Promise<void> {
  const matches = typeFilter(patterns);
  const types = askedTypes(feed, patterns);
  let cursor = start[feed.interface];
  for (let failures = 0; !signal.aborted; ) {
    let page: Page;
    try {
      page = await feed.read({ after: cursor, types, limit: PAGE_SIZE, wait: WAIT_SECONDS }, signal);
    } catch (error) {
      if (!(error instanceof PlacarError) || !isPassing(error)) throw error;
      const backoffMs = Math.min(LONGEST_WAIT_MS, 1000 * 2 ** failures++);
      const waitMs = Math.max(backoffMs, (error.retryAfter ?? 0) * 1000);
      onTrouble(error, waitMs, feed);
      await wait(waitMs, signal);
      continue;
    }
    failures = 0;
    cursor = page.nextCursor;
    await onEvents(
      page.events.filter(({ type }) => matches(type)),
      page,
      feed,
    );
  }
}

const isPassing = ({ status }: PlacarError): boolean =>
  status === undefined || status === 429 || status >= 500;
