// Event feeds of both interfaces: the events that webhooks push, in commit order.
import type { FeedPage } from '../core/feeds.ts';
import type { CallOptions } from '../core/options.ts';
import { type Context, placarOf } from './context.ts';
import { usageError } from './exit-codes.ts';

/** An event of the feed. */
export interface FeedEvent {
  id: string;
  type: string;
  created_at: string;
  data: unknown;
  changed: string[];
  silent?: boolean;
  origin?: string;
  /** Position of the event. Later events follow this cursor. */
  cursor: string;
}

export type Interface = 'payments' | 'records';

export type Page = FeedPage<FeedEvent>;

export interface FeedQuery {
  /** `now` returns only the current cursor. If absent, the page starts at the oldest retained event. */
  after?: string | undefined;
  types?: string | undefined;
  limit?: number;
  /** Seconds to wait for an event if there is none (long polling). */
  wait?: number;
}

export interface Feed {
  interface: Interface;
  /** One page. Throws a `PlacarError`, or the signal's reason. */
  read(query: FeedQuery, signal?: AbortSignal): Promise<Page>;
}

const PAYMENTS = ['invoice', 'tax_document', 'payout'];

/** The interface that has the events of a type; undefined for patterns that begin with an asterisk. */
export function interfaceOf(type: string): Interface | undefined {
  const [resource = ''] = type.split('.');
  if (resource.includes('*')) return undefined;
  return PAYMENTS.includes(resource) ? 'payments' : 'records';
}

/** The client's feed. It retries only once, because `follow` also retries. */
function feedOf(name: Interface, context: Context, what: string): Feed {
  const few = { maxRetries: 1 };
  const placar = placarOf(
    context,
    name === 'payments' ? ['apiKey'] : ['clientId', 'clientSecret'],
    what,
    few,
  );
  const { page } = name === 'payments' ? placar.paymentEvents : placar.events;
  // The types come from the command line; the API rejects unknown ones.
  const read = page as (query: FeedQuery, options?: CallOptions) => Promise<FeedPage<FeedEvent>>;
  return { interface: name, read: (query, signal) => read(query, signal && { signal }) };
}

/** The feeds with events of these patterns. Without patterns: the feeds for which credentials are set. */
export function feedsFor(patterns: readonly string[], context: Context, what: string): Feed[] {
  const { apiKey, clientId, clientSecret } = context.settings;
  const wanted = new Set(patterns.map(interfaceOf));
  const all = patterns.length === 0 || wanted.has(undefined);
  const given = { payments: Boolean(apiKey), records: Boolean(clientId && clientSecret) };
  const names = (['payments', 'records'] as const).filter((name) => (all ? given[name] : wanted.has(name)));
  if (names.length > 0) return names.map((name) => feedOf(name, context, what));
  throw usageError(
    `${what} needs PLACAR_API_KEY for payments, or PLACAR_CLIENT_ID and PLACAR_CLIENT_SECRET for records. Set them or use .placarrc.`,
  );
}

/** Whether a type matches one of the patterns (an asterisk matches anything). An empty list matches every type. */
export function typeFilter(patterns: readonly string[]): (type: string) => boolean {
  if (patterns.length === 0) return () => true;
  const bodies = patterns.map((pattern) => pattern.split('*').map(escaped).join('.*'));
  const expression = new RegExp(`^(?:${bodies.join('|')})$`);
  return (type) => expression.test(type);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Splits `a,b.*` into a list. Rejects empty parts. */
export function patternsOf(text: string | undefined): string[] {
  if (text === undefined) return [];
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const wrong = patterns.find((pattern) => !/^[a-z_*]+(?:\.[a-z_*]+)?$/.test(pattern));
  if (wrong === undefined) return patterns;
  throw usageError(
    `"${wrong}" is not a valid event type. Use types such as invoice.paid or lead.*, separated by commas.`,
  );
}

/** The start cursor of each feed: the current one, or that of `--since`: `oldest`, a cursor, or `payments:<cursor>,records:<cursor>`. */
export async function startOf(
  feeds: readonly Feed[],
  since: string | undefined,
  signal: AbortSignal,
): Promise<Record<Interface, string | undefined>> {
  const start: Record<Interface, string | undefined> = { payments: undefined, records: undefined };
  if (since === 'oldest') return start;
  if (since === undefined) {
    for (const feed of feeds) start[feed.interface] = (await feed.read({ after: 'now' }, signal)).nextCursor;
    return start;
  }
  const given = sinceOf(since, feeds);
  for (const { interface: name } of feeds) {
    start[name] = given[name];
    if (start[name] === undefined) {
      throw usageError(
        `--since has no cursor for ${name}. Use payments:<cursor>,records:<cursor>, or choose types of one interface.`,
      );
    }
  }
  return start;
}

function sinceOf(since: string, feeds: readonly Feed[]): Partial<Record<Interface, string>> {
  const parts = since.split(',').map((part) => /^(payments|records):(.+)$/.exec(part));
  // A cursor without a prefix is valid if there is a single feed.
  const [feed, another] = feeds;
  if (feed && !another && parts.every((part) => part === null)) return { [feed.interface]: since };
  // The regular expression accepts only these two names.
  return Object.fromEntries(parts.flatMap((part) => (part ? [[part[1], part[2]]] : [])));
}

/** The value of `--since` that continues from here. */
export const sinceText = (cursors: Partial<Record<Interface, string | undefined>>): string =>
  Object.entries(cursors)
    .flatMap(([name, cursor]) => (cursor === undefined ? [] : [`${name}:${cursor}`]))
    .join(',');
