/** The frame of a CRM's fake: authentication, limits, webhooks, and the controls that each of them has. A vendor says what differs. */
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Controls } from '../fakes/controls.ts';
import { type FakeEnvironment, type FakeKit, type FakeOptions, startFake } from '../fakes/fake.ts';
import type { VendorError } from '../fakes/vendor-error.ts';
import { dayOf } from './account.ts';
import { type CrmAccount, type CrmRecord, type Desk, now, type Row, rowOf, type Webhook } from './records.ts';

type CrmEnvironment<A> = FakeEnvironment & { Variables: { desk: Desk<A> } };
export type CrmContext<A> = Context<CrmEnvironment<A>>;
export type CrmApp<A> = Hono<CrmEnvironment<A>>;
type AnyAccount = CrmAccount<string, CrmRecord, object>;

/** A limit of requests in a sliding window. */
export interface Limit {
  name: string;
  most: number;
  windowMs: number;
}

/** A delivery of webhooks. */
export interface Sent {
  url: string;
  body: string;
  nowMs: number;
}

export interface Vendor<A extends AnyAccount, C extends Controls> {
  name: string;
  /** Path of the API. */
  base: string;
  routes(api: CrmApp<A>): void;
  /** Routes without authentication. */
  publicRoutes?(app: Hono<FakeEnvironment>, kit: FakeKit<A>): void;
  controls(kit: FakeKit<A>, desk: (id: string) => Desk<A>): C;
  jobs?(desk: (id: string) => Desk<A>): Record<string, (data: Record<string, string>) => void>;
  isOwner(account: A, headers: Headers, nowMs: number): boolean;
  refusal(status: number, words: string): VendorError;
  /** Status 429. `headers` are those of the daily limit. */
  tooMany(limit: string, waitMs: number, headers: Record<string, string>): VendorError;
  limits(options: A['options'], path: string): Limit[];
  /** Share of a request in the daily limit. */
  costOf(method: string, path: string): number;
  dailyHeaders?(path: string, limit: number, left: number): Record<string, string>;
  webhooks: {
    timeoutMs: number;
    /** Delays of retries, each from the attempt before. */
    retriesSeconds: number[];
    urlOf(order: Webhook['order']): string | undefined;
    /** Headers that prove a delivery. */
    proof(account: A, order: Webhook['order'], sent: Sent): Record<string, string>;
  };
}

/** Counts requests. Returns the wait in ms if a limit is reached, and counts nothing then. Counters do not survive a restart. */
function createWindows(now: () => number) {
  const counted = new Map<string, number[]>();
  return (key: string, { most, windowMs }: Limit): number | undefined => {
    const from = now() - windowMs;
    const recent = (counted.get(key) ?? []).filter((at) => at > from);
    counted.set(key, recent);
    const [oldest = now()] = recent;
    if (recent.length >= most) return Math.max(oldest - from, 1);
    recent.push(now());
    return undefined;
  };
}

/** Starts a vendor's fake. */
export function startCrm<A extends AnyAccount, C extends Controls>(
  vendor: Vendor<A, C>,
  options: FakeOptions = {},
) {
  return startFake<A, C>(vendor.name, options, (kit) => {
    const take = createWindows(() => kit.clock.now());
    const accounts = () => Object.values(kit.state.accounts);
    const ownerOf = (headers: Headers) =>
      accounts().find((account) => vendor.isOwner(account, headers, kit.clock.now()));
    const accountOf = (id: string) => rowOf(accounts(), id, () => vendor.refusal(404, 'no such account'));
    const desk = (id: string): Desk<A> => ({ kit, account: accountOf(id) });

    /** Counts a request. Returns the headers of its response. */
    function count(account: A, method: string, path: string): Record<string, string> {
      const { daily = Number.POSITIVE_INFINITY } = account.options;
      const day = dayOf(kit.clock.now());
      if (account.used.day !== day) account.used = { day, amount: 0 };
      const headers = (left: number) => vendor.dailyHeaders?.(path, daily, left) ?? {};
      const cost = vendor.costOf(method, path);
      const left = daily - account.used.amount - cost;
      if (left < 0) throw vendor.tooMany('daily', 0, headers(0));
      for (const limit of vendor.limits(account.options, path)) {
        const waitMs = take(`${account.id}:${limit.name}`, limit);
        if (waitMs !== undefined) throw vendor.tooMany(limit.name, waitMs, headers(left));
      }
      account.used.amount += cost;
      return headers(left);
    }

    const app = new Hono<FakeEnvironment>();
    app.notFound(() => vendor.refusal(404, 'no such path').toResponse());
    vendor.publicRoutes?.(app, kit);
    const api = new Hono<CrmEnvironment<A>>();
    api.use(async (c, next) => {
      const account = ownerOf(c.req.raw.headers);
      if (account === undefined) throw vendor.refusal(401, 'unauthorized access');
      c.set('desk', { kit, account });
      const headers = count(account, c.req.method, c.req.path);
      await next();
      for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    });
    vendor.routes(api);
    app.route(vendor.base, api);
    const { timeoutMs, retriesSeconds, urlOf, proof } = vendor.webhooks;
    /** The account of an endpoint, and its webhook unless that was removed. */
    const at = (endpoint: string) => {
      const [id = '', webhook] = endpoint.split(' ');
      const account = accountOf(id);
      return { account, order: account.webhooks.find((one) => one.id === webhook)?.order };
    };
    return {
      app,
      controls: vendor.controls(kit, desk),
      jobs: vendor.jobs?.(desk) ?? {},
      accountOf: (headers) => ownerOf(headers)?.id,
      rateLimited: () => vendor.tooMany('secondly', 60_000, {}).toResponse(),
      serverError: (status) => vendor.refusal(status, 'internal error').toResponse(),
      rules: {
        ...{ timeoutMs, keepMs: Number.POSITIVE_INFINITY },
        endpoint(id) {
          const { order } = at(id);
          const url = order && urlOf(order);
          return url === undefined ? undefined : { id, url, sequential: false, paused: false };
        },
        headers({ id, url }, { event: { body } }) {
          const { account, order = {} } = at(id);
          const sent = { url, body, nowMs: kit.clock.now() };
          return { 'content-type': 'application/json', ...proof(account, order, sent) };
        },
        isDelivered: (status) => status >= 200 && status < 300,
        failed(_, { attempts }) {
          const seconds = retriesSeconds[attempts.length - 1];
          return seconds === undefined ? 'drop' : { retryInMs: seconds * 1000 };
        },
      },
    };
  });
}

/** Sends an event to a webhook. */
export function publish<A extends AnyAccount>(
  { kit, account }: Desk<A>,
  webhook: string,
  name: string,
  body: unknown,
): void {
  const event = { id: randomUUID(), name, account: account.id, body: JSON.stringify(body) };
  kit.webhooks.publish(event, [`${account.id} ${webhook}`]);
}

export const bodyOf = (c: Context): Promise<unknown> => c.req.json().catch(() => null);

/** Adds a webhook that was registered by API. Returns it. */
export function addWebhook<A extends AnyAccount>({ kit, account }: Desk<A>, id: string, order: Row): Webhook {
  // All members of registrations are texts.
  const texts = order as Webhook['order'];
  const webhook = { id, order: texts, status: 'active', createdAt: now({ kit }) };
  account.webhooks.push(webhook);
  return webhook;
}

export function removeWebhook<A extends AnyAccount>(
  { account }: Desk<A>,
  id: string,
  missing: () => Error,
): void {
  const gone = rowOf(account.webhooks, id, missing);
  account.webhooks = account.webhooks.filter((one) => one !== gone);
}
