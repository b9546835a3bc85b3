/**
 * The fake of HubSpot: objects (contacts, deals, calls, meetings, emails, tasks) with batches, search and the contacts of deals,
 * properties, owners, pipelines of deals, account details, and webhooks of an app.
 *
 * Documented: paths with a version, property values as texts (an empty one clears), unknown properties that reads ignore and writes
 * refuse, batches of 100 with 207 for what is missing, searches of 200, four searches a second, 100 requests in 10 s, 250 000 a day, archived
 * objects that nothing finds, unique e-mails of contacts, signature version 3, `contact.merge` with `primaryObjectId`, `mergedObjectIds` and
 * `newObjectId`, no API for subscriptions of a project app, no webhooks for a service key.
 *
 * Observed: the body of 429 with `policyName`, 409 with the existing id, that a merged id is answered with the object it was merged into.
 *
 * Unconfirmed: words for invalid values, 429 without `Retry-After`, batches of up to 100 events, delays of ten retries, that the first
 * values of an object are events too, refusal of unknown query parameters, which events a merge emits.
 *
 * Left out, although documented: checks of the webhooks' file, numbers of attempts, `num_associated_contacts`.
 */
import { createHmac } from 'node:crypto';
import type { FakeOptions, RunningFake } from '../../fakes/fake.ts';
import { startCrm, type Vendor } from '../frame.ts';
import { controls } from './controls.ts';
import { type Account, flush, refusal } from './records.ts';
import { routesOf } from './routes.ts';

/** Characters of a URL that HubSpot decodes before it signs. */
const DECODED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;
const CATEGORIES: Record<number, string> = { 401: 'INVALID_AUTHENTICATION', 404: 'OBJECT_NOT_FOUND' };
const HEADER = 'x-hubspot-ratelimit-daily';
const isSearch = (path: string): boolean => path.endsWith('/search');

const vendor: Omit<Vendor<Account, ReturnType<typeof controls>>, 'routes'> = {
  ...{ name: 'hubspot', base: '/', controls, costOf: () => 1 },
  jobs: (desk) => ({ 'hubspot:flush': ({ account = '' }) => flush(desk(account)) }),
  isOwner: ({ token }, headers) => headers.get('authorization') === `Bearer ${token}`,
  refusal: (status, words) => refusal(status, CATEGORIES[status] ?? 'INTERNAL_ERROR', words),
  tooMany: (name) =>
    refusal(429, 'RATE_LIMITS', `You have reached your ${name} limit.`, { policyName: name.toUpperCase() }),
  limits: ({ per10Seconds, searchesPerSecond }, path) => [
    ...(isSearch(path) ? [{ name: 'secondly', most: searchesPerSecond, windowMs: 1000 }] : []),
    { name: 'ten_secondly_rolling', most: per10Seconds, windowMs: 10_000 },
  ],
  // Responses of searches have none.
  dailyHeaders: (path, limit, left): Record<string, string> =>
    isSearch(path) ? {} : { [HEADER]: String(limit), [`${HEADER}-remaining`]: String(left) },
  webhooks: {
    timeoutMs: 5000,
    retriesSeconds: [1, 3, 10, 30, 60, 120, 180, 240, 300, 360].map((minutes) => minutes * 60),
    urlOf: ({ url }) => url,
    proof({ clientSecret }, _, { url, body, nowMs }) {
      const hmac = createHmac('sha256', clientSecret ?? '');
      hmac.update(`POST${url.replace(DECODED, decodeURIComponent)}${body}${nowMs}`);
      const signature = hmac.digest('base64');
      return { 'x-hubspot-request-timestamp': `${nowMs}`, 'x-hubspot-signature-v3': signature };
    },
  },
};

type HubspotControls = ReturnType<typeof controls>;
export type Hubspot = RunningFake<HubspotControls>;

interface HubspotOptions extends FakeOptions {
  /** In paths. */
  version?: string | undefined;
}

/** Create portals with `control.createAccount`. */
export const startHubspot = ({ version = '2026-09', ...options }: HubspotOptions = {}): Promise<Hubspot> =>
  startCrm({ ...vendor, routes: routesOf(version) }, options);
