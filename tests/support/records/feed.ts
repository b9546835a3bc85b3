// Reads an event feed like an integration.

import type { Json, Reply } from '../gamification/sync.ts';
import { records } from './records.ts';

/** Requests a page. `query` does not include the question mark. */
export const feed = (token: string, query = '', headers: Record<string, string> = {}): Promise<Reply> =>
  records(token, 'GET', `/events${query && `?${query}`}`, undefined, { headers });

/** Reads to the end with these page sizes. Returns the events and the last cursor. */
export async function follow(
  token: string,
  { after, limit = () => 100 }: { after?: string | undefined; limit?: () => number } = {},
): Promise<{ events: Json[]; cursor: string }> {
  const events: Json[] = [];
  let cursor = after;
  for (;;) {
    const { status, body } = await feed(token, `limit=${limit()}${cursor ? `&after=${cursor}` : ''}`);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    events.push(...body.data);
    cursor = body.meta.next_cursor;
    if (!body.meta.has_more) return { events, cursor: body.meta.next_cursor };
  }
}
