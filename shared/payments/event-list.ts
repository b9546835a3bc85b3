// The feed of events of payments: what webhooks bring, for those who ask for it.
import type { Context } from '../platform/access/context.ts';
import type { Query } from '../platform/query.ts';
import { parseFeedQuery } from '../webhooks/feed/parse-query.ts';
import { type FeedEvent, readFeed } from '../webhooks/feed/read-feed.ts';
import { changedNames } from './event-payload.ts';
import { serializeEventData } from './snapshots.ts';
import { paymentsEventTypes } from './webhooks/event-types.ts';

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
