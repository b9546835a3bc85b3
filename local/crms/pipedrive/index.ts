/**
 * The fake of Pipedrive: API v2 of deals, persons, organizations, activities, pipelines, stages and fields, API v1 of users and webhooks,
 * and webhooks v2. The token selects the company, because `{domain}.pipedrive.com` does not exist here.
 *
 * Documented: paths, members and types, cursors, `sort_by`, archived deals that lists leave out, deletion that can be undone for 30 days,
 * costs in tokens, the burst limits of 2 s, 403 for a job title without contact sync, `person_id` of activities that is read-only, the
 * required name of a webhook, 40 webhooks, Basic auth, `merged_to_id`, three retries, bans, removal after three days of failures.
 *
 * Observed: the body of 401, `x-daily-ratelimit-token-*`, refusal of fractions of a second in `updated_since`.
 *
 * Unconfirmed: bodies and codes of 400, 404 and 429, refusal of unknown query parameters, what reading a deleted record returns
 * (`deletedReads`), UTC as the budget's time zone, the block page after 30 refused requests in 10 s, the ban's score and duration, and that
 * a merge moves references without events.
 */
import { Hono } from 'hono';
import { type FakeEnvironment, type FakeOptions, type RunningFake, startFake } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { createWindows, rowOf, type Windows } from '../shared.ts';
import { createControls, dayOf } from './controls.ts';
import { type Desk, deskOf, refusal } from './records.ts';
import { type PipedriveEnvironment, routes } from './routes.ts';
import type { Account } from './state.ts';
import { webhookRoutes, webhookRules } from './webhooks.ts';

/** Tokens of a request. Version 1 costs twice as many. */
function costOf(method: string, path: string): number {
  const isOne = /\/(\d+|me)$/.test(path);
  const read = path.endsWith('/search') ? 20 : isOne ? 1 : /\/(pipelines|stages)$/.test(path) ? 5 : 10;
  const cost = method === 'GET' ? read : method === 'DELETE' ? 3 : 5;
  return path.startsWith('/api/v1/') ? cost * 2 : cost;
}

const BURST_MS = 2000;
const SEARCHES = 10;
const BLOCK_PAGE = '<!doctype html><title>Attention Required! | Cloudflare</title>';
const unauthorized = { success: false, error: 'unauthorized access', errorCode: 401 };
const tooMany = () => refusal(429, 'request over limit');

/** Counts a request against the burst limits and the day's budget. */
function count({ account, kit }: Desk, windows: Windows, method: string, path: string) {
  const { burst, daily } = account.options;
  const key = (name: string) => `${account.id}:${name}`;
  const today = dayOf(kit.clock.now());
  if (account.used.day !== today) account.used = { day: today, tokens: 0 };
  const isSearch = path.endsWith('/search');
  const waitMs =
    (isSearch ? windows.take(key('search'), SEARCHES, BURST_MS) : undefined) ??
    windows.take(key('all'), burst, BURST_MS);
  const cost = costOf(method, path);
  const isSpent = account.used.tokens + cost > daily;
  const isRefused = waitMs !== undefined || isSpent;
  if (!isRefused) account.used.tokens += cost;
  const headers = {
    'x-ratelimit-limit': String(burst),
    'x-ratelimit-remaining': String(burst - windows.used(key('all'))),
    'x-ratelimit-reset': String(Math.ceil((waitMs ?? BURST_MS) / 1000)),
    'x-daily-ratelimit-token-limit': String(daily),
    'x-daily-ratelimit-token-remaining': String(isSpent ? 0 : daily - account.used.tokens),
  };
  const isBlocked = isRefused && windows.take(key('refused'), 30, 10_000) !== undefined;
  return { headers, isRefused, isBlocked };
}

export type PipedriveControls = ReturnType<typeof createControls>;
export type Pipedrive = RunningFake<PipedriveControls>;

/** Create companies with `control.createAccount`. */
export function startPipedrive(options: FakeOptions = {}): Promise<Pipedrive> {
  return startFake<Account, PipedriveControls>('pipedrive', options, (kit) => {
    const windows = createWindows(() => kit.clock.now());
    const accounts = () => Object.values(kit.state.accounts);
    const ownerOf = (headers: Headers) =>
      accounts().find(({ apiToken }) => apiToken === headers.get('x-api-token'));
    const desk = (id: string) =>
      deskOf(
        kit,
        rowOf(accounts(), id, () => refusal(404, 'no such company')),
      );
    const api = new Hono<PipedriveEnvironment>();
    api.use(async (c, next) => {
      const account = ownerOf(c.req.raw.headers);
      if (account === undefined) throw new VendorError(401, unauthorized);
      c.set('desk', deskOf(kit, account));
      const { headers, isRefused, isBlocked } = count(c.get('desk'), windows, c.req.method, c.req.path);
      if (isBlocked) return c.html(BLOCK_PAGE, 403);
      if (isRefused) throw new VendorError(429, tooMany().body, headers);
      await next();
      for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    });
    api.route('/', webhookRoutes());
    api.route('/', routes());
    const app = new Hono<FakeEnvironment>();
    app.route('/api', api);
    app.notFound(() => refusal(404, 'Unknown method').toResponse());
    const open = (account: Account) => {
      kit.state.accounts[account.id] = account;
      return deskOf(kit, account);
    };
    return {
      ...{ app, controls: createControls(desk, open), rules: webhookRules(kit), jobs: {} },
      accountOf: (headers) => ownerOf(headers)?.id,
      rateLimited: () => tooMany().toResponse(),
      serverError: (status) => refusal(status, 'Internal error').toResponse(),
    };
  });
}
