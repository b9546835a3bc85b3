// All routes of records, each with a valid body.
import { inject } from 'vitest';
import { recordsOperations } from '../../../functions/v1/all.openapi.ts';
import { recordsEndpoints } from '../../../functions/v1/app.ts';

/** The routes of the service. Listing them does not call any resolvers. */
export const endpoints = recordsEndpoints({ allowInsecure: true, resolve: async () => [] });

/** Records of one tenant. */
export interface Ids {
  lead: string;
  /** Another lead of the same person. */
  duplicate: string;
  deal: string;
  stage: string;
  /** A member of `team`; the tenant's client acts for this user. */
  user: string;
  team: string;
  /** Another team. */
  parent: string;
  invitation: string;
  webhook: string;
  delivery: string;
  /** Of the webhook. */
  replay: string;
  /** The external ids that the client of the tenant uses for `lead`, `deal` and `user`. */
  external: string;
}

export type Body = Record<string, unknown>;

export const newLead = (): Body => ({
  name: 'Ana Souza',
  email: `${crypto.randomUUID()}@example.com`,
  phone: '+55 11 98765-4321',
  company: 'Ação Ltda',
  source: 'site',
  owner_id: '{user}',
  team_id: '{team}',
  custom_fields: { crm_id: '42' },
  tags: ['hot'],
});
export const newDeal = (): Body => ({
  name: 'Yearly plan',
  value: 1250.5,
  stage_id: '{stage}',
  contact_name: 'Ana',
  contact_email: 'ana@example.com',
  owner_id: '{user}',
  lead_id: '{lead}',
  expected_close_date: '2026-12-31',
  priority: 'high',
  tags: ['new'],
});
const newOpportunity = (): Body => ({
  name: 'Yearly plan',
  value: 1250.5,
  stage: '{stage}',
  contact: { name: 'Ana', email: 'ana@example.com' },
  assigned_to: '{user}',
  lead_id: '{lead}',
});
export const newActivity = (): Body => ({
  type: 'call',
  title: 'Call',
  date: '2026-01-02',
  duration_minutes: 30,
});
export const newUser = (): Body => ({
  name: 'Bia Lima',
  email: `${crypto.randomUUID()}@example.com`,
  role: 'sales_rep',
  team_id: '{team}',
});
export const newWebhook = (): Body => ({
  url: `${inject('stack').inbox_url}/records/${crypto.randomUUID()}`,
  events: ['lead.created', 'deal.won'],
  secret: 'a secret',
});

/** A batch that creates one record from this body. */
const batchOf = (data: Body): Body => ({ operations: [{ method: 'create', data }] });

/** A valid body for each route that accepts one. `{user}` and the like are placeholders of ids. */
const examples: Record<string, () => Body> = {
  'POST /leads': newLead,
  'POST /leads/batch': () => batchOf(newLead()),
  'PUT /leads/external/:external_id': newLead,
  'PATCH /leads/:id': () => ({ ...newLead(), status: 'qualified' }),
  'POST /leads/:id/convert': () => ({ deal_name: 'Plan', deal_value: 10, stage_id: '{stage}' }),
  'POST /leads/:id/merge': () => ({ loser_id: '{duplicate}' }),
  'POST /deals': newDeal,
  'POST /deals/batch': () => batchOf(newDeal()),
  'PUT /deals/external/:external_id': newDeal,
  'PATCH /deals/:id': () => ({ ...newDeal(), value: 7 }),
  'POST /deals/:id/move': () => ({ stage_id: '{stage}', note: 'They called.' }),
  'POST /deals/:id/close': () => ({ result: 'won', final_value: 1000, note: 'Signed.' }),
  'POST /deals/:id/activities': newActivity,
  'POST /opportunities': newOpportunity,
  'POST /opportunities/batch': () => batchOf(newOpportunity()),
  'PUT /opportunities/external/:external_id': newOpportunity,
  'PATCH /opportunities/:id': () => ({ ...newOpportunity(), value: 7 }),
  'POST /opportunities/:id/move': () => ({ stage_id: '{stage}', note: 'They called.' }),
  'POST /opportunities/:id/close': () => ({
    status: 'lost',
    loss_reason: 'Price',
    close_notes: 'Next year.',
  }),
  'POST /opportunities/:id/activities': newActivity,
  'POST /activities': () => ({ ...newActivity(), deal_id: '{deal}' }),
  'POST /activities/batch': () => batchOf({ ...newActivity(), deal_id: '{deal}' }),
  'POST /users': newUser,
  'PUT /users/external/:external_id': newUser,
  'PATCH /users/:id': () => ({ name: 'Bia', role: 'manager', team_id: '{team}' }),
  'PATCH /me': () => ({
    phone: '+55 11 98765-4321',
    avatar_url: 'https://example.com/bia.png',
    standings_opt_out: false,
  }),
  'POST /invitations': newUser,
  'POST /invitations/:id/resend': () => ({}),
  'POST /teams': () => ({
    name: 'North',
    leader_id: '{user}',
    parent_team_id: '{parent}',
    member_ids: ['{user}'],
  }),
  'PATCH /teams/:id': () => ({ name: 'South', leader_id: '{user}', parent_team_id: '{parent}' }),
  'POST /teams/:id/members': () => ({ user_id: '{user}' }),
  'POST /webhooks': newWebhook,
  'PATCH /webhooks/:id': () => ({
    ...newWebhook(),
    active: true,
    filters: [{ field: 'source', op: 'in', value: ['website', 'fair'] }],
    changed: ['email', 'phone'],
    headers: { Authorization: 'Bearer of-the-receiver' },
  }),
  'POST /webhooks/:id/pause': () => ({}),
  'POST /webhooks/:id/resume': () => ({}),
  'POST /webhooks/:id/test': () => ({}),
  'POST /webhooks/:id/replay': () => ({ since: '2026-01-01T00:00:00Z', failed: true }),
  'POST /webhooks/:id/deliveries/:delivery_id/replay': () => ({}),
};

export interface Route {
  operationId: string;
  /** Such as `PATCH /leads/:id`. */
  name: string;
  method: string;
  /** As defined by the service, with `:id`. */
  path: string;
  /** Each of these scopes is sufficient, and so is `admin`. */
  scopes: string[];
  /** The body of the example in variant A. */
  successStatus: number;
  takesBody: 'required' | 'optional' | 'none';
  example: (() => Body) | undefined;
}

const operations = recordsOperations('a');

/** The status of success in the document of variant A. */
function documentedSuccess(operationId: string): number {
  const { responses } = operations[operationId as keyof typeof operations];
  return Number(Object.keys(responses).find((status) => status < '300'));
}

const all: Route[] = Object.entries(endpoints).map(([operationId, endpoint]) => {
  const { method, path, scopes, body } = endpoint;
  const name = `${method.toUpperCase()} ${path}`;
  return {
    operationId,
    name,
    method: method.toUpperCase(),
    path,
    scopes: [...scopes],
    successStatus: documentedSuccess(operationId),
    takesBody: body,
    example: examples[name],
  };
});

const isOfPersons = ({ scopes }: Route) => scopes.some((scope) => scope === 'self');

/** The routes that clients can use. */
export const routes = all.filter((route) => !isOfPersons(route));

/** The routes that only persons can use. */
export const personRoutes = all.filter(isOfPersons);

/** All values for the first route of each method, and one for every other: the same code checks them on each route. */
export const sampleFor = <T>({ name, method }: Route, values: readonly T[]): readonly T[] =>
  routes.find((route) => route.method === method)?.name === name ? values : values.slice(0, 1);

/** The kind of record that `:id` of a path refers to. */
const kindOf: Record<string, keyof Ids> = {
  leads: 'lead',
  deals: 'deal',
  opportunities: 'deal',
  users: 'user',
  teams: 'team',
  invitations: 'invitation',
  webhooks: 'webhook',
};

/** The kinds of record that path parameters refer to, by parameter name. */
export function paramsOf(path: string): [name: string, kind: keyof Ids][] {
  const [, first = ''] = path.replace('/me/', '/').split('/');
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const kind = name === 'id' ? kindOf[first] : (name.replace(/_id$/, '') as keyof Ids);
    if (!kind) throw new Error(`${path}: what is :${name}?`);
    return [name, kind];
  });
}

/** Replaces the placeholders in a path. */
export const fillPath = (path: string, ids: Ids): string =>
  paramsOf(path).reduce((filling, [name, kind]) => filling.replace(`:${name}`, ids[kind]), path);

/** Replaces the placeholders of record ids in a body. */
export function fillBody(body: Body | undefined, ids: Ids): Body | undefined {
  const text = body && JSON.stringify(body);
  return text && JSON.parse(text.replace(/\{(\w+)\}/g, (_, kind: keyof Ids) => ids[kind]));
}

const REFERENCE = /"\{\w+\}"/;

/** Removes all members that refer to records. */
export const withoutReferences = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => !REFERENCE.test(JSON.stringify(value))));

/** The members of the example that refer to records. For each: the body in which this member refers to a record of another tenant. */
export function bodiesWithForeignIds(body: Body, ids: Ids, theirs: Ids): { field: string; body: Body }[] {
  const own = fillBody(body, ids);
  const foreign = fillBody(body, theirs);
  return Object.keys(body)
    .filter((field) => REFERENCE.test(JSON.stringify(body[field])))
    .map((field) => ({ field, body: { ...own, [field]: foreign?.[field] } }));
}
