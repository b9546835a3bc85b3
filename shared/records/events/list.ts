// The event feed of records: the events that webhooks push, for clients that poll.

import { type Context, clientOf } from '../../platform/access/context.ts';
import type { Query } from '../../platform/query.ts';
import type { Payload } from '../../webhooks/event.ts';
import { parseFeedQuery } from '../../webhooks/feed/parse-query.ts';
import { type FeedEvent, readFeed } from '../../webhooks/feed/read-feed.ts';
import type { Variant } from '../variants/variant.ts';
import { changedNames, eventPayload } from './event-payload.ts';
import { readableTypes, requireReadable } from './event-scopes.ts';
import { knownEvents } from './event-types.ts';

interface EventsPage {
  events: FeedEventResponse[];
  nextCursor: string;
  hasMore: boolean;
}

/**
 * A page of the feed in the names of a variant. By default it contains the types that the actor may read. Throws `validation`,
 * `cursor_expired`, and `insufficient_scope` if the query names a type that the actor may not read.
 */
export async function listEvents(
  context: Context,
  query: Query,
  variant: Variant,
  signal: AbortSignal,
): Promise<EventsPage> {
  const { tenantId, actor } = context;
  const feed = { tenantId, interface: 'records' } as const;
  const feedQuery = parseFeedQuery(query, feed, knownEvents(variant));
  if (feedQuery.types) requireReadable(actor, feedQuery.types);
  const types = feedQuery.types ?? readableTypes(actor);
  const { events, ...page } = await readFeed(context, feed, { ...feedQuery, types }, signal);
  return { events: events.map((event) => serializeFeedEvent(event, variant, clientOf(actor))), ...page };
}

function serializeFeedEvent(event: FeedEvent, variant: Variant, clientId: string | null): FeedEventResponse {
  const { changed, silent, cursor } = event;
  const payload = eventPayload({ ...event, variant: variant.id, clientId });
  return { ...payload, changed: changedNames(variant, event.type, changed, payload.data), silent, cursor };
}

/** The payload of a webhook, and the members that only the feed has. */
interface FeedEventResponse extends Payload {
  changed: string[];
  silent: boolean;
  /** Continues the feed after this event. */
  cursor: string;
}
