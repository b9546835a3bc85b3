// The feed of events of payments: what webhooks bring, for those who ask for it.
import type { Context } from '../../platform/context.ts';
import type { Query } from '../../platform/http/query.ts';
import { parseFeedQuery } from '../../webhooks/feed/parse-query.ts';
import { type FeedEvent, readFeed } from '../../webhooks/feed/read-feed.ts';
import { serializeEventData } from '../snapshot.ts';
import { paymentsEventTypes } from './types.ts';

/** Members that have a value from this event on, and are no columns, or were set before. */
export const shownThen: Readonly<Record<string, readonly string[]>> = {
  'invoice.paid': ['fee', 'net'],
  'tax_document.issued': ['document_number', 'issued_at', 'pdf_url', 'xml_url'],
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
  const names = [...changed, ...(shownThen[type] ?? [])];
  return {
    id,
    type,
    created_at: createdAt,
    data,
    // Columns that callers do not see are none of theirs.
    changed: [...new Set(names)].filter((name) => Object.hasOwn(data, name)).sort(),
    silent,
    ...(origin !== null && { origin }),
    cursor,
  };
}
