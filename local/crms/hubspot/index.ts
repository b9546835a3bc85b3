/**
 * The fake of HubSpot: objects (contacts, companies, deals, calls, meetings, emails, tasks) with lists, batches, search and associations,
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
import { randomBytes, randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import {
  type FakeEnvironment,
  type FakeKit,
  type FakeOptions,
  partsOf,
  type RunningFake,
  startFake,
} from '../../fakes/fake.ts';
import { members, parse } from '../members.ts';
import { createWindows, type Row, recordControls, rowOf, type Windows } from '../shared.ts';
import { type Desk, deskOf, invalid, missing, refusal } from './objects.ts';
import { searchIn } from './search.ts';
import {
  type Account,
  ASSOCIATION_TYPES,
  type HubspotObject,
  KINDS,
  type Kind,
  LIST,
  type Options,
  type Pipeline,
  propertiesOf,
  READ,
} from './state.ts';
import { configure, flush, webhookRules } from './webhooks.ts';

type Environment = FakeEnvironment & { Variables: { desk: Desk } };
type HubspotContext = Context<Environment>;

export interface AccountOrder {
  /** Whether the token is a service key, which has no webhooks. */
  isServiceKey?: boolean;
  owners?: { name: string; email: string }[];
  /** Default: one pipeline with five stages. Two closed ones are added to each. */
  pipelines?: { name: string; stages: string[] }[];
  options?: Partial<Options>;
}

const DEFAULTS: Options = { per10Seconds: 100, perDay: 250_000, searchesPerSecond: 4, searchLagMs: 0 };
const STAGES = ['Prospecção', 'Qualificação', 'Proposta enviada', 'Negociação', 'Contrato enviado'];
const OWNER = { name: 'Administração Geral', email: 'admin@crm.example' };
const kindsOf = <T>(value: (kind: Kind) => T) =>
  Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, value(kind as Kind)])) as Record<Kind, T>;

function pipelineOf(kit: FakeKit<Account>, label: string, stages: string[]): Pipeline {
  const stage = (name: string, isClosed: boolean, probability: number) => ({
    ...{ id: String(kit.nextNumber()), label: name },
    metadata: { isClosed: String(isClosed), probability: probability.toFixed(1) },
  });
  const open = stages.map((name, index) => stage(name, false, Math.min((index + 1) / 10, 0.9)));
  const closed = [stage('Negócio fechado', true, 1), stage('Negócio perdido', true, 0)];
  return { id: String(kit.nextNumber()), label, stages: [...open, ...closed] };
}

function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  return {
    ...recordControls(desk),
    createAccount({ isServiceKey = false, ...order }: AccountOrder = {}) {
      const id = String(40_000_000 + kit.nextNumber());
      const token = `pat-na1-${randomUUID()}`;
      const clientSecret = isServiceKey ? null : randomUUID();
      const owners = (order.owners ?? [OWNER]).map(({ name, email }) => {
        const [firstName = '', ...rest] = name.split(' ');
        return { id: String(kit.nextNumber()), email, firstName, lastName: rest.join(' '), archived: false };
      });
      const pipelines = order.pipelines ?? [{ name: 'Pipeline de vendas', stages: STAGES }];
      kit.state.accounts[id] = {
        ...{ id, token, clientSecret, owners, app: null, associations: [], pending: [] },
        ...{ options: { ...DEFAULTS, ...order.options }, used: { day: '', requests: 0 } },
        pipelines: pipelines.map(({ name, stages }) => pipelineOf(kit, name, stages)),
        ...{ objects: kindsOf(() => []), properties: kindsOf(propertiesOf) },
      };
      return { id, token, clientSecret };
    },
    /** The data of an account, or only these members of it. */
    account: (id: string, ...parts: (keyof Account)[]) => partsOf(desk(id).account, parts),
    associate: (id: string, from: Kind, fromId: string, to: Kind, toId: string) =>
      desk(id).associate(from, fromId, to, toId),
    /** Merges as a person does. With `isNew`, the merge makes a new object. Returns the object that remains. */
    merge: (id: string, kind: Kind, primary: string, merged: string, isNew = false) =>
      desk(id).merge(kind, primary, merged, isNew),
    /** Marks a task as done or undone. */
    setDone: (id: string, task: string, done: boolean) =>
      desk(id).change('tasks', task, { hs_task_status: done ? 'COMPLETED' : 'NOT_STARTED' }),
    /** Adds a property, of an enumeration if there are options. */
    addProperty(
      id: string,
      kind: Kind,
      { name, type, options = [] }: { name: string; type: string; options?: string[] },
    ) {
      const values = options.map((label, index) => ({ label, value: `option_${index}` }));
      desk(id).account.properties[kind].push({ name, label: name, type, options: values, readOnly: false });
    },
    /** Configures webhooks as a person does who uploads the file `webhooks-hsmeta.json`: its content. */
    configureWebhooks: (id: string, meta: unknown) => configure(desk(id), meta),
    webhooks: (id: string) => desk(id).account.app?.subscriptions ?? [],
    /** Removes the app's webhooks without notice. */
    dropWebhooks(id: string) {
      desk(id).account.app = null;
    },
    setOptions: (id: string, options: Partial<Options>) =>
      void Object.assign(desk(id).account.options, options),
    /** Archives an owner, as a person does who removes a user. */
    archiveOwner(id: string, owner: string) {
      rowOf(desk(id).account.owners, owner, missing).archived = true;
    },
    /** Replaces the token. Returns the new one. */
    replaceToken(id: string): string {
      desk(id).account.token = `pat-na1-${randomBytes(8).toString('hex')}`;
      return desk(id).account.token;
    },
  };
}

/** An object with the properties that are asked for. Those that do not exist are ignored. */
function shown(
  { account, linked }: Desk,
  kind: Kind,
  object: HubspotObject,
  names: string[],
  associations = '',
) {
  const wanted =
    names.length > 0 ? [...names, 'hs_object_id', KINDS[kind].changed] : KINDS[kind].shown.split(' ');
  const known = account.properties[kind].filter(({ name }) => wanted.includes(name));
  const { id, createdAt, updatedAt, archived } = object;
  const kinds = associations.split(',').filter((to): to is Kind => to in KINDS);
  const links = kinds.flatMap((to) => {
    const results = linked(kind, id, to).map((other) => ({
      id: other,
      type: `${KINDS[kind].singular}_to_${KINDS[to].singular}`,
    }));
    return results.length > 0 ? [[to, { results }]] : [];
  });
  const properties = Object.fromEntries(known.map(({ name }) => [name, object.properties[name] ?? null]));
  return {
    ...{ id, properties, createdAt, updatedAt, archived, ...(archived && { archivedAt: object.archivedAt }) },
    ...(links.length > 0 && { associations: Object.fromEntries(links) }),
  };
}

const namesIn = (text: unknown): string[] => (text === undefined ? [] : String(text).split(','));
const bodyOf = (c: HubspotContext): Promise<unknown> =>
  c.req.json().catch(() => {
    throw invalid('Invalid input JSON');
  });

const Texts = z.record(z.string(), z.string());
const Link = z.object({
  to: z.object({ id: z.coerce.string() }),
  types: z.array(z.object({ associationTypeId: z.int() })),
});
const Create = z.strictObject({ properties: Texts, associations: z.array(Link).optional() });
const Change = z.strictObject({ properties: Texts });
const Inputs = z.array(z.strictObject({ id: z.coerce.string() })).min(1);
const BatchRead = members('idProperty:text', {
  ...{ inputs: Inputs.max(100), properties: z.array(z.string()).default([]) },
  propertiesWithHistory: z.array(z.string()).optional(),
});

/** `COMPLETE`, with 207 and the errors if something is missing. */
function batch(c: HubspotContext, results: unknown[], lost: string[], more: Row = {}) {
  const at = new Date().toISOString();
  const error = {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: 'Could not get some objects',
    context: { ids: lost },
    ...more,
  };
  const errors = lost.length > 0 ? { numErrors: lost.length, errors: [error] } : {};
  return c.json(
    { status: 'COMPLETE', results, startedAt: at, completedAt: at, ...errors },
    lost.length > 0 ? 207 : 200,
  );
}

function objectRoutes(app: Hono<Environment>, kind: Kind, version: string): void {
  const path = `/crm/objects/${version}/${kind}`;
  const readOf = (c: HubspotContext, id: string, query: Row): HubspotObject => {
    const { account, read, find } = c.get('desk');
    const { idProperty: name, archived } = query;
    if (archived === 'true')
      return rowOf(
        [find(kind, id)].filter((one) => one.archived),
        id,
        missing,
      );
    if (name === undefined) return read(kind, id);
    const wanted = id.toLowerCase();
    return rowOf(
      account.objects[kind],
      account.objects[kind].find(
        (one) => !one.archived && one.properties[String(name)]?.toLowerCase() === wanted,
      )?.id,
      missing,
    );
  };
  app.get(path, (c) => {
    const query: Row = parse(LIST, c.req.query(), invalid);
    const { limit = 10, after = '0', properties, associations, archived = 'false' } = query;
    if (!/^\d+$/.test(String(after))) throw invalid('after is not valid');
    const all = c
      .get('desk')
      .account.objects[kind].filter(
        (one) =>
          String(one.archived) === archived &&
          one.mergedInto === undefined &&
          Number(one.id) >= Number(after),
      );
    const page = all.slice(0, Number(limit));
    const next = all[page.length];
    const results = page.map((one) =>
      shown(c.get('desk'), kind, one, namesIn(properties), String(associations ?? '')),
    );
    return c.json({ results, ...(next && { paging: { next: { after: next.id, link: '' } } }) });
  });
  app.get(`${path}/:id`, (c) => {
    const query: Row = parse(READ, c.req.query(), invalid);
    const object = readOf(c, c.req.param('id'), query);
    return c.json(
      shown(c.get('desk'), kind, object, namesIn(query.properties), String(query.associations ?? '')),
    );
  });
  app.post(path, async (c) => {
    const { properties, associations = [] } = parse(Create, await bodyOf(c), invalid);
    const desk = c.get('desk');
    const ends = associations.map(({ to, types }) => {
      const to_ = Object.keys(KINDS).find(
        (other) => ASSOCIATION_TYPES[`${kind}:${other}`] === types[0]?.associationTypeId,
      );
      if (to_ === undefined) throw invalid('associationTypeId is not valid');
      return { kind: to_ as Kind, id: desk.read(to_ as Kind, to.id).id };
    });
    const object = desk.create(kind, properties);
    for (const end of ends) desk.associate(kind, object.id, end.kind, end.id);
    return c.json(shown(desk, kind, object, Object.keys(properties)), 201);
  });
  app.patch(`${path}/:id`, async (c) => {
    const { id } = readOf(c, c.req.param('id'), c.req.query());
    const { properties } = parse(Change, await bodyOf(c), invalid);
    return c.json(
      shown(c.get('desk'), kind, c.get('desk').change(kind, id, properties), Object.keys(properties)),
    );
  });
  app.delete(`${path}/:id`, (c) => {
    const object = c.get('desk').account.objects[kind].find(({ id }) => id === c.req.param('id'));
    if (object && !object.archived) c.get('desk').remove(kind, object.id);
    return c.body(null, 204);
  });
  app.post(`${path}/search`, async (c) => {
    const { total, found, paging, properties } = searchIn(c.get('desk'), kind, await bodyOf(c));
    const results = found.map((one) => shown(c.get('desk'), kind, one, properties));
    return c.json({ total, results, ...(paging && { paging }) });
  });
  app.post(`${path}/batch/read`, async (c) => {
    const { inputs, properties, idProperty } = parse(BatchRead, await bodyOf(c), invalid) as z.output<
      typeof BatchRead
    > & { inputs: { id: string }[]; properties: string[] };
    const lost: string[] = [];
    const results = inputs.flatMap(({ id }) => {
      try {
        return [shown(c.get('desk'), kind, readOf(c, id, { idProperty }), properties)];
      } catch {
        lost.push(id);
        return [];
      }
    });
    return batch(c, results, lost);
  });
}

function linkRoutes(app: Hono<Environment>, version: string): void {
  const kinds = (c: HubspotContext) => {
    const [from, to] = [c.req.param('from'), c.req.param('to')].map((given) =>
      Object.keys(KINDS).find((kind) => [kind, KINDS[kind as Kind].singular].includes(String(given))),
    );
    if (from === undefined || to === undefined) throw invalid('Unable to infer object type');
    return [from as Kind, to as Kind] as const;
  };
  app.post(`/crm/associations/${version}/:from/:to/batch/read`, async (c) => {
    const [from, to] = kinds(c);
    const { inputs } = parse(z.strictObject({ inputs: Inputs.max(1000) }), await bodyOf(c), invalid);
    const { linked } = c.get('desk');
    const type = { category: 'HUBSPOT_DEFINED', typeId: ASSOCIATION_TYPES[`${from}:${to}`], label: null };
    const all = inputs.map(({ id }) => ({
      from: { id },
      to: linked(from, id, to).map((other) => ({ toObjectId: Number(other), associationTypes: [type] })),
    }));
    const lost = all.filter(({ to: ends }) => ends.length === 0).map(({ from: { id } }) => id);
    return batch(
      c,
      all.filter(({ to: ends }) => ends.length > 0),
      lost,
      { subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND' },
    );
  });
  app.put(`/crm/objects/${version}/:from/:id/associations/default/:to/:toId`, (c) => {
    const [from, to] = kinds(c);
    c.get('desk').associate(from, c.req.param('id'), to, c.req.param('toId'));
    return batch(c, [], []);
  });
}

function settingRoutes(app: Hono<Environment>, version: string): void {
  app.get(`/crm/owners/${version}`, (c) => {
    const query: Row = parse(
      members('limit:<=500 after:text email:text archived:flag'),
      c.req.query(),
      invalid,
    );
    const { limit = 100, after = '0', email, archived = 'false' } = query;
    const all = c
      .get('desk')
      .account.owners.filter(
        (one) =>
          String(one.archived) === archived &&
          (email ?? one.email) === one.email &&
          Number(one.id) >= Number(after),
      );
    const page = all.slice(0, Number(limit));
    const next = all[page.length];
    const results = page.map((one) => ({
      ...one,
      type: 'PERSON',
      userId: one.archived ? null : Number(one.id),
    }));
    return c.json({ results, ...(next && { paging: { next: { after: next.id, link: '' } } }) });
  });
  app.get(`/crm/pipelines/${version}/deals`, (c) =>
    c.json({
      results: c.get('desk').account.pipelines.map(({ stages, ...pipeline }, displayOrder) => ({
        ...{ ...pipeline, displayOrder, archived: false },
        stages: stages.map((stage, order) => ({ ...stage, displayOrder: order, archived: false })),
      })),
    }),
  );
  for (const kind of Object.keys(KINDS) as Kind[])
    app.get(`/crm/properties/${version}/${kind}`, (c) =>
      c.json({
        results: c.get('desk').account.properties[kind].map(({ readOnly, type, ...property }) => ({
          ...{ ...property, type: ['email', 'owner', 'stage', 'pipeline'].includes(type) ? 'string' : type },
          modificationMetadata: { readOnlyValue: readOnly },
        })),
      }),
    );
  for (const path of ['v3', version])
    app.get(`/account-info/${path}/details`, (c) =>
      c.json({
        ...{
          portalId: Number(c.get('desk').account.id),
          accountType: 'STANDARD',
          timeZone: 'America/Sao_Paulo',
        },
        ...{ companyCurrency: 'BRL', uiDomain: 'app.hubspot.com', dataHostingLocation: 'na1' },
      }),
    );
}

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
}: FakeOptions & { version?: string } = {}): Promise<Hubspot> {
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
    for (const kind of Object.keys(KINDS) as Kind[]) objectRoutes(api, kind, version);
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
