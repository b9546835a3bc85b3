/**
 * The fake of HubSpot: objects (contacts, deals, calls, meetings, emails, tasks) with lists, batches, search and associations,
 * properties, owners, pipelines of deals, account details, and webhooks of an app.
 *
 * Documented: paths with a version, property values as texts (an empty one clears), unknown properties that reads ignore and writes
 * refuse, pages of 100, batches of 100 with 207 for what is missing, searches of 200 and 10 000 in all, four searches a second, 100 requests
 * in 10 s, 250 000 a day, archived objects that lists leave out, unique e-mails of contacts, signature version 3, `contact.merge` with
 * `primaryObjectId`, `mergedObjectIds` and `newObjectId`, no API for subscriptions of a project app, no webhooks for a service key.
 *
 * Observed: the body of 429 with `policyName`, 409 with the existing id, that a merged id is answered with the object it was merged into.
 *
 * Unconfirmed: codes of invalid values, 429 without `Retry-After`, batches of up to 100 events, delays of ten retries, that the first
 * values of an object are events too, refusal of unknown query parameters, which events a merge emits.
 */
import { Hono } from 'hono';
import { type FakeEnvironment, type FakeOptions, type RunningFake, startFake } from '../../fakes/fake.ts';
import { createWindows, rowOf, type Windows } from '../shared.ts';
import { createControls } from './controls.ts';
import { missing, refusal } from './errors.ts';
import { type Desk, deskOf } from './objects.ts';
import { type Environment, readRoutes, writeRoutes } from './routes.ts';
import { linkRoutes, settingRoutes } from './settings.ts';
import { type Account, kinds } from './state.ts';
import { flush, webhookRules } from './webhooks.ts';

const tooMany = (policyName: string) =>
  refusal(429, 'RATE_LIMITS', `You have reached your ${policyName.toLowerCase()} limit.`, {
    errorType: 'RATE_LIMIT',
    policyName,
  });

/** Counts a request. Returns the headers, which searches do not have. */
function count({ account, kit }: Desk, windows: Windows, path: string): Record<string, string> {
  const { per10Seconds, perDay, searchesPerSecond } = account.options;
  const day = new Date(kit.clock.now()).toISOString().slice(0, 10);
  if (account.used.day !== day) account.used = { day, requests: 0 };
  if (account.used.requests >= perDay) throw tooMany('DAILY');
  const isSearch = path.endsWith('/search');
  if (isSearch && windows.take(`${account.id}:search`, searchesPerSecond, 1000) !== undefined)
    throw tooMany('SECONDLY');
  if (windows.take(account.id, per10Seconds, 10_000) !== undefined) throw tooMany('TEN_SECONDLY_ROLLING');
  account.used.requests += 1;
  if (isSearch) return {};
  return {
    'x-hubspot-ratelimit-max': String(per10Seconds),
    'x-hubspot-ratelimit-remaining': String(per10Seconds - windows.used(account.id)),
    'x-hubspot-ratelimit-interval-milliseconds': '10000',
    'x-hubspot-ratelimit-daily': String(perDay),
    'x-hubspot-ratelimit-daily-remaining': String(perDay - account.used.requests),
  };
}

export type HubspotControls = ReturnType<typeof createControls>;
export type Hubspot = RunningFake<HubspotControls>;

/**
 * Create portals with `control.createAccount`.
 *
 * @param options.version the version in paths
 */
export function startHubspot({
  version = '2026-09',
  ...options
}: FakeOptions & { version?: string | undefined } = {}): Promise<Hubspot> {
  return startFake<Account, HubspotControls>('hubspot', options, (kit) => {
    const windows = createWindows(() => kit.clock.now());
    const accounts = () => Object.values(kit.state.accounts);
    const ownerOf = (headers: Headers) =>
      accounts().find(({ token }) => headers.get('authorization') === `Bearer ${token}`);
    const account = (id: string) => rowOf(accounts(), id, missing);
    const app = new Hono<FakeEnvironment>();
    const api = new Hono<Environment>();
    api.use(async (c, next) => {
      const owner = ownerOf(c.req.raw.headers);
      if (owner === undefined)
        throw refusal(401, 'INVALID_AUTHENTICATION', 'Authentication credentials not found.');
      c.set('desk', deskOf(kit, owner, 'INTEGRATION'));
      const headers = count(c.get('desk'), windows, c.req.path);
      await next();
      for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    });
    for (const kind of kinds) {
      readRoutes(api, kind, version);
      writeRoutes(api, kind, version);
    }
    linkRoutes(api, version);
    settingRoutes(api, version);
    api.all('*', () => {
      throw refusal(404, 'OBJECT_NOT_FOUND', 'No such path');
    });
    app.route('/', api);
    return {
      ...{ app, rules: webhookRules(kit) },
      controls: createControls(kit, (id) => deskOf(kit, account(id), 'CRM_UI')),
      jobs: { 'hubspot:flush': ({ account: id = '' }) => flush(kit, account(id)) },
      accountOf: (headers) => ownerOf(headers)?.id,
      rateLimited: () => tooMany('TEN_SECONDLY_ROLLING').toResponse(),
      serverError: (status) => refusal(status, 'INTERNAL_ERROR', 'internal error').toResponse(),
    };
  });
}
