/**
 * The fake of RD Station CRM: API v2 of contacts, deals, organizations, tasks, users, pipelines, stages, custom fields, lost reasons and
 * webhooks, and OAuth 2. Base URLs: `{url}/crm/v2`, `{url}/oauth2/token`, and the authorization page `{url}/oauth/authorize`.
 *
 * Documented: members and types, `PUT` with `{data}`, deals that are created as ongoing and tasks as open, filters and sorts by kind
 * (contacts cannot be sorted by `updated_at`, tasks not filtered by it), pages of 20, the first 10 000 rows, 120 requests a minute with
 * `Retry-After`, webhooks by `event_name` with `status`, five retries, 5 s, tokens of 2 h, codes of 5 minutes, refresh tokens used once and
 * dead after 14 days, bodies of errors of tokens.
 *
 * Observed: pages of at most 100, an order that differs without a sort, links to `/api/v2/`, which is 404, `auth_header` and `auth_key`.
 *
 * Unconfirmed: the members of `errors`, 400 for unknown parameters, empty pages after row 10 000, names of webhook bodies (`webhookBody`),
 * delays of retries, that contacts are merged without events, which rules of deals are checked.
 *
 * Left out, although documented: webhooks that fail are suspended, and unknown events are refused.
 */
import type { FakeOptions, RunningFake } from '../../fakes/fake.ts';
import { startCrm, type Vendor } from '../frame.ts';
import { controls } from './controls.ts';
import { oauthRoutes } from './oauth.ts';
import { refusal } from './records.ts';
import { routes } from './routes.ts';
import type { Account } from './state.ts';

const vendor: Vendor<Account, ReturnType<typeof controls>> = {
  ...{ name: 'rd-station', base: '/crm/v2', routes, controls, refusal, publicRoutes: oauthRoutes },
  isOwner: ({ grants }, headers, nowMs) =>
    grants
      .filter(({ accessUntilMs }) => accessUntilMs > nowMs)
      .some(({ access }) => headers.get('authorization') === `Bearer ${access}`),
  tooMany: (_, waitMs) =>
    refusal(429, 'rate limit exceeded', { 'retry-after': String(Math.ceil(waitMs / 1000)) }),
  limits: ({ requestsPerMinute: most }) => [{ name: 'all', most, windowMs: 60_000 }],
  costOf: () => 0,
  webhooks: {
    timeoutMs: 5000,
    retriesSeconds: [60, 300, 900, 1800, 3600],
    urlOf: ({ url }) => url,
    proof: (_, { auth_header: name, auth_key: key = '' }): Record<string, string> =>
      name === undefined ? {} : { [name]: key },
  },
};

type RdStationControls = ReturnType<typeof controls>;
export type RdStation = RunningFake<RdStationControls>;

/** `url` has no path. Create accounts with `control.createAccount`. */
export const startRdStation = (options?: FakeOptions): Promise<RdStation> => startCrm(vendor, options);
