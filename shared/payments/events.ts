// Events of payments for webhooks and the event feed. Their data has the format of the resource's GET endpoint.
import type { Context } from '../platform/access/context.ts';
import type { Query } from '../platform/query.ts';
import type { StoredEvent } from '../webhooks/event.ts';
import { parseFeedQuery } from '../webhooks/feed/parse-query.ts';
import { type FeedEvent, readFeed } from '../webhooks/feed/read-feed.ts';
import { serializeEventData } from './snapshots.ts';
import { derivedMembersByEvent, paymentsEventTypes } from './webhooks/event-types.ts';

/** Sorted names of the members of `data` that changed. Internal columns are omitted. */
function changedNames(type: string, changed: readonly string[], data: object): string[] {
  const names = [...changed, ...(derivedMembersByEvent[type] ?? [])];
  return [...new Set(names)].filter((name) => Object.hasOwn(data, name)).sort();
}

/** Renders events. `functionsUrl` is the public base URL of the payer's files. */
export const paymentEvent =
  (functionsUrl: string) =>
  ({ id, type, createdAt, data: stored, fold }: Omit<StoredEvent, 'variant' | 'clientId'>) => {
    const data = serializeEventData(type, stored, functionsUrl);
    return {
      id,
      type,
      created_at: createdAt,
      data,
      ...(fold && { changed: changedNames(type, fold.changed, data), folded: fold.folded }),
    };
  };

const known = new Map(paymentsEventTypes.map((type) => [type as string, type as string]));

/** A page of the feed. Throws `validation` and `cursor_expired`. */
export async function listEvents(context: Context, query: Query, functionsUrl: string, signal: AbortSignal) {
  const feed = { tenantId: context.tenantId, interface: 'payments' } as const;
  const { events, ...page } = await readFeed(context, feed, parseFeedQuery(query, feed, known), signal);
  const render = paymentEvent(functionsUrl);
  const shown = (event: FeedEvent) => {
    const { type, changed, silent, origin, cursor } = event;
    const payload = render(event);
    return {
      ...payload,
      changed: changedNames(type, changed, payload.data),
      silent,
      ...(origin !== null && { origin }),
      cursor,
    };
  };
  return { events: events.map(shown), ...page };
}
