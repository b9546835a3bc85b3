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
import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { DeliveryRules } from '../../fakes/deliveries.ts';
import {
  type FakeEnvironment,
  type FakeKit,
  type FakeOptions,
  type RunningFake,
  startFake,
} from '../../fakes/fake.ts';
import type { VendorError } from '../../fakes/vendor-error.ts';
import { parse } from '../members.ts';
import {
  accountControls,
  COMPANY,
  type CompanyOrder,
  createWindows,
  type Row,
  recordControls,
  retriedAfter,
  rowOf,
} from '../shared.ts';
import { pageOf } from './lists.ts';
import { grant, oauthRoutes } from './oauth.ts';
import { type Desk, deskOf, invalid, newId, refusal } from './records.ts';
import {
  type Account,
  BODIES,
  type Kind,
  LISTS,
  type Options,
  type RdRow,
  WEBHOOK,
  type Webhook,
} from './state.ts';

type Environment = FakeEnvironment & { Variables: { desk: Desk } };
type RdContext = Context<Environment>;

export interface AccountOrder extends CompanyOrder {
  lostReasons?: string[];
  options?: Partial<Options>;
}

const DEFAULTS: Options = { requestsPerMinute: 120, webhookBody: 'document', agrees: true };

function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  return {
    ...recordControls(desk),
    ...accountControls(desk),
    /** Returns the credentials of an app, with a refresh token of a person who agreed. */
    createAccount(order: AccountOrder = {}) {
      const empty = () =>
        Object.fromEntries(Object.keys(LISTS).map((kind) => [kind, []])) as unknown as Account['rows'];
      const [id, clientId, clientSecret] = [newId(), randomUUID(), randomUUID().replaceAll('-', '')];
      kit.state.accounts[id] = {
        ...{ id, clientId, clientSecret, options: { ...DEFAULTS, ...order.options }, codes: [], grants: [] },
        ...{ rows: empty(), bin: empty(), webhooks: [] },
      };
      const { create, account } = desk(id);
      const { users, pipelines } = { ...COMPANY, ...order };
      for (const user of users) create('users', user);
      for (const name of order.lostReasons ?? ['Preço', 'Sem retorno']) create('lost_reasons', { name });
      for (const { name, stages } of pipelines) {
        const pipeline = create('pipelines', { name, order: 1 });
        for (const [index, stage] of stages.entries())
          create('stages', { name: stage, order: index + 1, pipeline_id: pipeline.id });
      }
      return { id, clientId, clientSecret, refreshToken: grant({ kit, account }).refresh };
    },
    merge: (id: string, winner: string, loser: string) => desk(id).merge(winner, loser),
    /** Marks a task as done or undone. */
    setDone: (id: string, task: string, done: boolean) =>
      desk(id).change('tasks', task, { status: done ? 'completed' : 'open' }),
    /** Ends all tokens, as a person does who uninstalls the app. */
    revoke(id: string) {
      desk(id).account.grants = [];
    },
  };
}

async function dataOf(c: RdContext): Promise<unknown> {
  const body: unknown = await c.req.json().catch(() => null);
  const isWrapped =
    typeof body === 'object' && body !== null && 'data' in body && Object.keys(body).length === 1;
  if (!isWrapped) throw refusal(400, 'the body must be {"data": {...}}');
  return body.data;
}

const CREATED_AS: Partial<Record<Kind, string>> = { deals: 'ongoing', tasks: 'open' };

/** A record as the API shows it. */
function shown({ account }: Desk, kind: Kind, row: RdRow): Row {
  const { pipeline_id: _, ...stage } = row;
  if (kind === 'stages') return { ...stage, description: null, objective: null };
  if (kind !== 'pipelines') return row;
  const stages = account.rows.stages.filter(({ pipeline_id: pipeline }) => pipeline === row.id);
  return { ...row, stage_ids: stages.map(({ id }) => id) };
}

function recordRoutes(app: Hono<Environment>, kind: Kind): void {
  const body = BODIES[kind];
  app.get(`/${kind}`, (c) => {
    const desk = c.get('desk');
    return c.json(pageOf(kind, desk.account.rows[kind], new URL(c.req.url), (row) => shown(desk, kind, row)));
  });
  const answer = (c: RdContext, row: RdRow, status: 200 | 201 = 200) =>
    c.json({ data: shown(c.get('desk'), kind, row) }, status);
  app.get(`/${kind}/:id`, (c) => answer(c, c.get('desk').find(kind, c.req.param('id'))));
  if (!body) return;
  app.post(`/${kind}`, async (c) => {
    const values: Row = parse(body, await dataOf(c), invalid);
    if (!('name' in values)) throw invalid('name is required');
    const only = CREATED_AS[kind];
    if ((values.status ?? only) !== only) throw invalid(`status must be ${only} at creation`);
    return answer(c, c.get('desk').create(kind, values), 201);
  });
  app.put(`/${kind}/:id`, async (c) => {
    const { id } = c.get('desk').find(kind, c.req.param('id'));
    return answer(c, c.get('desk').change(kind, id, parse(body, await dataOf(c), invalid)));
  });
}

const EVENTS =
  /^crm_(campaign|contact|deal|lost_reason|organization|product|source|task)_(created|updated|deleted)$/;

function webhookRoutes(app: Hono<Environment>): void {
  const render = ({ id, order, status, createdAt }: Webhook) => {
    const { auth_key: _, auth_header: __, ...rest } = order;
    return { id, name: null, ...rest, status, created_at: createdAt, updated_at: createdAt };
  };
  app.get('/webhooks', (c) => {
    const rows = c.get('desk').account.webhooks.map((webhook): RdRow => render(webhook));
    return c.json(pageOf('users', rows, new URL(c.req.url), (row) => row));
  });
  app.get('/webhooks/:id', (c) => {
    const missing = () => refusal(404, 'webhook not found');
    return c.json({ data: render(rowOf(c.get('desk').account.webhooks, c.req.param('id'), missing)) });
  });
  app.post('/webhooks', async (c) => {
    const { account, kit } = c.get('desk');
    const order = parse(WEBHOOK, await dataOf(c), invalid) as Webhook['order'];
    if (!EVENTS.test(order.event_name)) throw invalid('event_name is not included in the list');
    const createdAt = new Date(kit.clock.now()).toISOString();
    const webhook: Webhook = { id: randomUUID(), order, status: 'active', createdAt, failures: 0 };
    account.webhooks.push(webhook);
    return c.json({ data: render(webhook) }, 201);
  });
  app.delete('/webhooks/:id', (c) => {
    const { account, kit } = c.get('desk');
    const gone = rowOf(account.webhooks, c.req.param('id'), () => refusal(404, 'webhook not found'));
    account.webhooks = account.webhooks.filter((webhook) => webhook !== gone);
    kit.webhooks.resume(gone.id);
    return c.body(null, 204);
  });
}

const MINUTE_MS = 60_000;
const RETRIED = retriedAfter(
  5000,
  [1, 5, 15, 30, 60].map((minutes) => minutes * MINUTE_MS),
);
const SUSPENDED_AFTER = 10;

function webhookRules(kit: FakeKit<Account>): DeliveryRules {
  const find = (id: string) =>
    Object.values(kit.state.accounts)
      .flatMap(({ webhooks }) => webhooks)
      .find((one) => one.id === id);
  return {
    ...RETRIED,
    endpoint(id) {
      const webhook = find(id);
      return webhook && { id, url: webhook.order.url, sequential: false, paused: false };
    },
    headers({ id }): Record<string, string> {
      const { auth_header: name, auth_key: key } = find(id)?.order ?? {
        auth_header: undefined,
        auth_key: undefined,
      };
      return { 'content-type': 'application/json', ...(name && key !== undefined && { [name]: key }) };
    },
    succeeded: ({ id }) => void Object.assign(find(id) ?? {}, { failures: 0 }),
    failed(endpoint, delivery) {
      const next = RETRIED.failed(endpoint, delivery);
      const webhook = find(endpoint.id);
      if (next === 'drop' && webhook && ++webhook.failures >= SUSPENDED_AFTER) webhook.status = 'suspended';
      return next;
    },
  };
}

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
    for (const kind of Object.keys(LISTS) as Kind[]) if (kind !== 'stages') recordRoutes(api, kind);
    api.get('/pipelines/:pipeline/stages', (c) => {
      const at = c.get('desk');
      const { id } = at.find('pipelines', c.req.param('pipeline'));
      const rows = at.account.rows.stages.filter(({ pipeline_id: pipeline }) => pipeline === id);
      return c.json(pageOf('stages', rows, new URL(c.req.url), (row) => shown(at, 'stages', row)));
    });
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
