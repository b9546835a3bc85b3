// Parses the query of an event feed.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import type { Query } from '../../platform/query.ts';
import { type Feed, positionOf } from './cursor.ts';

export const FEED_LIMIT = 500;
export const DEFAULT_FEED_LIMIT = 100;
export const MAX_WAIT_SECONDS = 20;

export interface FeedQuery {
  /** Position after which to start; `now` for the current end. Default: before the oldest stored event. */
  after: number | 'now' | undefined;
  /** Canonical event types; all if absent. */
  types: string[] | undefined;
  limit: number;
  waitSeconds: number;
}

const wholeNumber = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : Number.NaN);

/** Parses a query. `known` maps the caller's event type names to canonical types. Throws `validation` listing every invalid parameter. */
export function parseFeedQuery(query: Query, feed: Feed, known: ReadonlyMap<string, string>): FeedQuery {
  const params = query.take(['after', 'types', 'limit', 'wait']);
  const details: ErrorDetail[] = [];
  const number = (field: string, absent: number, least: number, most: number): number => {
    const value = wholeNumber(params.get(field) ?? String(absent));
    if (!(value >= least && value <= most)) {
      details.push({ field, message: `must be an integer from ${least} to ${most}` });
    }
    return value;
  };

  const cursor = params.get('after');
  const after = cursor === undefined || cursor === 'now' ? cursor : positionOf(feed, cursor);
  if (cursor !== undefined && after === undefined) {
    details.push({ field: 'after', message: 'must be a cursor of this feed, or now' });
  }
  const names = params.get('types')?.split(',');
  if (names?.some((name) => !known.has(name))) {
    details.push({ field: 'types', message: `must contain only ${[...known.keys()].join(', ')}` });
  }
  const limit = number('limit', DEFAULT_FEED_LIMIT, 1, FEED_LIMIT);
  const waitSeconds = number('wait', 0, 0, MAX_WAIT_SECONDS);
  if (details.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details });
  const types = names && [...new Set(names.map((name) => known.get(name) ?? name))];
  return { after, types, limit, waitSeconds };
}
