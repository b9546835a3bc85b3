// Events of payments for webhooks and the event feed. Their data has the format of the resource's GET endpoint.
import type { Context } from '../platform/access/context.ts';
import type { Query } from '../platform/query.ts';
import type { EventRenderer } from '../webhooks/event.ts';
import { parseFeedQuery } from '../webhooks/feed/parse-query.ts';
import { type FeedEvent, readFeed } from '../webhooks/feed/read-feed.ts';
import { serializeEventData } from './snapshots.ts';
import { derivedMembersByEvent, paymentsEventTypes } from './webhooks/event-types.ts';

/** Sorted names of the members of `data` that changed. Internal columns are omitted. */
export function changedNames(type: string, changed: readonly string[], data: object): string[] {
  const names = [...changed, ...(derivedMembersByEvent[type] ?? [])];
  return [...new Set(names)].filter((name) => Object.hasOwn(data, name)).sort();
}

/** Renders events. `functionsUrl` is the public base URL of the payer's files. */
export const paymentEvent =
  (functionsUrl: string): EventRenderer =>
  ({ id, type, createdAt, data: stored, burst }) => {
    const data = serializeEventData(type, stored, functionsUrl);
    return {
      id,
      type,
      created_at: createdAt,
      data,
      ...(burst && { changed: changedNames(type, burst.changed, data), folded: burst.folded }),
    };
  };

const known = new Map(paymentsEventTypes.map((type) => [type as string, type as string]));

/** A page of the feed. Throws `validation` and `cursor_expired`. */
export async function listEvents(context: Context, query: Query, functionsUrl: string, signal: AbortSignal) {
  const feed = { tenantId: context.tenantId, interface: 'payments' } as const;
  const { events, ...page } = await readFeed(context, feed, parseFeedQuery(query, feed, known), signal);
  return { events: events.map((event) => serializeFeedEvent(event, functionsUrl)), ...page };
}

function serializeFeedEvent(
  { id, type, createdAt, data: stored, changed, silent, origin, cursor }: FeedEvent,
  functionsUrl: string,
) {
  const data = serializeEventData(type, stored, functionsUrl);
  return {
    id,
    type,
    created_at: createdAt,
    data,
    changed: changedNames(type, changed, data),
    silent,
    ...(origin !== null && { origin }),
    cursor,
  };
}
