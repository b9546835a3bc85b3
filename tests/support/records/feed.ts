// Following an event feed as an integrator does.

import type { Json, Reply } from '../gamification/sync.ts';
import { records } from './records.ts';

/** Asks for a page; `query` is without its question mark. */
export const feed = (token: string, query = '', headers: Record<string, string> = {}): Promise<Reply> =>
  records(token, 'GET', `/events${query && `?${query}`}`, undefined, { headers });

/** Reads until the end, by pages of these sizes; gives the events and the cursor of the end. */
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
