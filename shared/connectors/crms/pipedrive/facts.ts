// What this adapter assumes of Pipedrive. Each line is documented (developers.pipedrive.com, pipedrive.readme.io), observed in public
// programs that run, or unconfirmed, so that a correction is one line.

import type { RecordKind } from '../crm.ts';

/** Documented: v2 accepts only `/api/v2/`. Users, activity types and webhooks exist only in v1. */
export const paths = {
  lead: '/api/v2/persons',
  deal: '/api/v2/deals',
  activity: '/api/v2/activities',
  /** Documented: lists of deals leave archived ones out, reading one by its id does not, and they cannot be changed. */
  archivedDeals: '/api/v2/deals/archived',
  organizations: '/api/v2/organizations',
  personSearch: '/api/v2/persons/search',
  pipelines: '/api/v2/pipelines',
  stages: '/api/v2/stages',
  /** Documented since 2025-12. Those of v1 cost twice as much. */
  fields: { lead: '/api/v2/personFields', deal: '/api/v2/dealFields' },
  me: '/api/v1/users/me',
  users: '/api/v1/users',
  activityTypes: '/api/v1/activityTypes',
  webhooks: '/api/v1/webhooks',
} as const;

/** Lists that are empty where a company has none (404). */
export const OPTIONAL_PATHS: readonly string[] = [paths.archivedDeals, ...Object.values(paths.fields)];

/** Documented. */
export const TOKEN_HEADER = 'x-api-token';

/** Documented: at most 500 in a list, at most 100 in `ids`. */
export const PAGE_SIZE = 500;
export const IDS_PER_REQUEST = 100;

/** Documented: the cheapest plan allows 20 requests per 2 s and token. We send 60 % of that. */
export const INTERVAL_MS = 167;
/** Requests of an account at the same time. */
export const AT_ONCE = 4;
/** Documented: 10 searches per 2 s on every plan. We send 60 % of that. */
export const searchPace = { intervalMs: 334 };

/**
 * Headers with what is left of the day's budget, and the least that another request needs: with less, status 429 means that the budget is
 * used up. Observed: the company's tokens, of which our dearest request takes 20. Documented: writes. Both can be missing.
 * Unconfirmed: `Retry-After` of a response with status 429. Observed: it is about the burst, also if the day's budget is used up.
 */
export const BUDGET_HEADERS = {
  'x-daily-ratelimit-token-remaining': 20,
  'x-daily-requests-left': 1,
} as const;
/** Unconfirmed: a message about the day's budget. */
export const BUDGET_MESSAGE = /\bdaily\b/i;
/** Documented: a page with status 403, and what is in it, for tokens that go on after status 429. */
export const BLOCK_PAGE = 'Cloudflare';
/**
 * When the day's budget starts again. Documented: at midnight of the server's time zone, which is not named; requests left are counted
 * by UTC days.
 */
export const secondsUntilReset = (nowMs: number): number =>
  Math.ceil((new Date(nowMs).setUTCHours(24, 0, 0, 0) - nowMs) / 1000);
/** Observed: the company's tokens of the day. */
export const DAY = {
  headers: { limit: 'x-daily-ratelimit-token-limit', left: 'x-daily-ratelimit-token-remaining' },
  secondsUntilReset,
};

/** Documented: lists by time of change. Unconfirmed: records without one come first. */
export const byChange = { sort_by: 'update_time', sort_direction: 'asc' } as const;
/** Observed: `updated_since` with fractions of a second is rejected with status 400. Documented: it is inclusive. */
export const toFilterTime = (iso: string): string => `${iso.slice(0, 19)}Z`;

/** Documented: the events of one object per webhook, and the actions `create`, `change`, `delete`. */
export const WEBHOOK_VERSION = '2.0';
export const WEBHOOK_ACTION = '*';
export const kindsByObject: ReadonlyMap<string, RecordKind> = new Map([
  ['person', 'lead'],
  ['deal', 'deal'],
  ['activity', 'activity'],
]);
/** The user name of the Basic authentication with which Pipedrive calls us. */
export const WEBHOOK_USER = 'placar';
