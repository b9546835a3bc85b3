/**
 * The fake of RD Station CRM: API v2 of contacts, deals, organizations, tasks, users, pipelines, stages, custom fields, lost reasons and
 * webhooks, and OAuth 2. Base URLs: `{url}/crm/v2`, `{url}/oauth2/token`, and the authorization page `{url}/oauth/authorize`.
 *
 * Documented: members and types, `PUT` with `{data}`, deals that are created as ongoing and tasks as open, filters and sorts by kind
 * (contacts cannot be sorted by `updated_at`, tasks not filtered by it), pages of 20, the first 10 000 rows, 120 requests a minute with
 * `Retry-After`, webhooks by `event_name` with `status`, five retries, 5 s, suspension, tokens of 2 h, codes of 5 minutes, refresh tokens
 * used once and dead after 14 days, bodies of errors of tokens.
 *
 * Observed: pages of at most 100, an order that differs without a sort, links to `/api/v2/`, which is 404, `auth_header` and `auth_key`.
 *
 * Unconfirmed: the members of `errors`, 400 for unknown parameters, empty pages after row 10 000, names of webhook bodies (`webhookBody`),
 * delays of retries, ten failed events before suspension, that contacts are merged without events, which rules of deals are checked.
 */
import { Hono } from 'hono';
import { type FakeEnvironment, type FakeOptions, type RunningFake, startFake } from '../../fakes/fake.ts';
import type { VendorError } from '../../fakes/vendor-error.ts';
import { createWindows, rowOf } from '../shared.ts';
import { createControls } from './controls.ts';
import { oauthRoutes } from './oauth.ts';
import { deskOf, refusal } from './records.ts';
import { type Environment, recordRoutes } from './routes.ts';
import type { Account } from './state.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';

const MINUTE_MS = 60_000;

export type RdStationControls = ReturnType<typeof createControls>;
export type RdStation = RunningFake<RdStationControls>;

/** `url` has no path. Create accounts with `control.createAccount`. */
export function startRdStation(options: FakeOptions = {}): Promise<RdStation> {
  return startFake<Account, RdStationControls>('rd-station', options, (kit) => {
    const windows = createWindows(() => kit.clock.now());
    const accounts = () => Object.values(kit.state.accounts);
    const desk = (id: string) =>
      deskOf(
        kit,
        rowOf(accounts(), id, () => refusal(404, 'no such account')),
      );
    const ownerOf = (headers: Headers) => {
      const token = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];
      const isValid = ({ access, accessUntilMs }: Account['grants'][number]) =>
        access === token && accessUntilMs > kit.clock.now();
      return accounts().find(({ grants }) => grants.some(isValid));
    };
    const api = new Hono<Environment>();
    api.use(async (c, next) => {
      const account = ownerOf(c.req.raw.headers);
      if (account === undefined) throw refusal(401, 'The access token is invalid or has expired');
      const waitMs = windows.take(account.id, account.options.requestsPerMinute, MINUTE_MS);
      if (waitMs !== undefined) throw tooMany(waitMs);
      c.set('desk', deskOf(kit, account));
      await next();
    });
    recordRoutes(api);
    webhookRoutes(api);
    const app = new Hono<FakeEnvironment>();
    app.route('/', oauthRoutes(kit));
    app.route('/crm/v2', api);
    app.notFound(() => refusal(404, 'not found').toResponse());
    const tooMany = (waitMs: number): VendorError =>
      refusal(429, 'rate limit exceeded', { 'retry-after': String(Math.ceil(waitMs / 1000)) });
    return {
      ...{ app, controls: createControls(kit, desk), rules: webhookRules(kit), jobs: {} },
      accountOf: (headers) => ownerOf(headers)?.id,
      rateLimited: () => tooMany(MINUTE_MS).toResponse(),
      serverError: (status) => refusal(status, 'internal error').toResponse(),
    };
  });
}
