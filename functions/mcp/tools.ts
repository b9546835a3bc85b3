// The tools: their scopes, their operations, and how arguments become requests. docs/openapi/mcp-tools.ts describes them.
import type { Scope } from '../../shared/platform/access/scopes.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import { activityEndpoints } from '../v1/activities.ts';
import { dealEndpoints } from '../v1/deals.ts';
import { gamificationEndpoints } from '../v1/gamification.ts';
import { leadEndpoints } from '../v1/leads.ts';
import { teamEndpoints } from '../v1/teams.ts';
import { userEndpoints } from '../v1/users.ts';
import { listPages } from './lists.ts';
import type { RunOperation } from './operations.ts';
import { isObject } from './protocol.ts';

export type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  title: string;
  /** Any one of these scopes shows the tool. */
  scopes: readonly Scope[];
  /** The scopes of a call, if they depend on its arguments. Any one of them is enough. */
  scopesOf?(given: Arguments): readonly Scope[] | undefined;
  /** Whether its arguments are parameters or the members of a body, which the operation checks. */
  sends: 'query' | 'body';
  reads: boolean;
  /** Whether the same call a second time changes nothing. */
  idempotent: boolean;
  /** The operations whose schemas it uses. Several if an argument chooses one of them. */
  operations: readonly OperationName[];
  run(given: Arguments, operation: RunOperation): Promise<object>;
}

const records = {
  ...leadEndpoints,
  ...dealEndpoints,
  ...userEndpoints,
  ...teamEndpoints,
  ...activityEndpoints,
  ...gamificationEndpoints,
};

/** The `operationId` of an endpoint. */
export type OperationName = keyof typeof records;

/** The endpoint of an operation. */
export const endpointOf = async (name: OperationName): Promise<Endpoint> => records[name];

/** A tool that lists what an operation lists, with the same parameters. */
const pagesOf = (operation: OperationName, title: string, scopes: readonly Scope[]): Tool => ({
  title,
  scopes,
  ...reading,
  operations: [operation],
  run: (given, run) => listPages(run, { operation, given }),
});

const reading = { sends: 'query', reads: true, idempotent: true } as const;

/** The record of a response. */
function recordIn({ data }: Arguments): Record<string, unknown> {
  return isObject(data) ? { ...data } : {};
}

const recordKinds = {
  lead: { operation: 'getLead', scopes: ['read:leads'] },
  deal: { operation: 'getDeal', scopes: ['read:deals'] },
  user: { operation: 'getUser', scopes: ['read:users'] },
  team: { operation: 'getTeam', scopes: ['read:teams'] },
} as const;

/** The entry that `kind` names; undefined if there is none. */
function chosen<T>(kinds: Readonly<Record<string, T>>, { kind }: Arguments): T | undefined {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
}

/** Finds a user by id or e-mail address. Throws 404. */
async function findUserId(user: string, run: RunOperation): Promise<string> {
  if (isUuid(user)) return user;
  const { data } = await run('listUsers', { query: { search: user.slice(0, 200), per_page: 100 } });
  const email = user.trim().toLowerCase();
  const found = Array.isArray(data) ? data.filter(isObject) : [];
  const match = found.find((one) => typeof one.email === 'string' && one.email.toLowerCase() === email);
  if (typeof match?.id === 'string') return match.id;
  throw new ApiError('not_found', 'There is no user with this id or e-mail address.', {
    reason: 'user_missing',
  });
}

/** By name, in the order of their names. */
export const tools = {
  find_deals: pagesOf('listDeals', 'Find deals', ['read:deals']),
  find_leads: pagesOf('listLeads', 'Find leads', ['read:leads']),
  get_points: {
    title: 'Get the points of a user',
    scopes: ['read:users'],
    ...reading,
    operations: ['listPoints'],
    async run({ user, ...given }, run) {
      const id = await findUserId(String(user), run);
      return await listPages(run, { operation: 'listPoints', params: { id }, given });
    },
  },
  get_record: {
    title: 'Get a lead, deal, user or team',
    scopes: ['read:leads', 'read:deals', 'read:users', 'read:teams'],
    scopesOf: (given) => chosen(recordKinds, given)?.scopes,
    ...reading,
    operations: ['getLead', 'getDeal', 'getUser', 'getTeam'],
    async run(given, run) {
      const params = { id: String(given.id) };
      const operation = chosen(recordKinds, given)?.operation ?? 'getLead';
      const record = recordIn(await run(operation, { params }));
      if (operation !== 'getDeal') return record;
      const { data: activities } = await run('listDealActivities', { params, query: { per_page: 100 } });
      return { ...record, activities };
    },
  },
  get_standings: pagesOf('getStandings', 'Get the standings', ['read:users']),
  log_activity: {
    title: 'Log an activity',
    scopes: ['write:deals'],
    sends: 'body',
    reads: false,
    idempotent: false,
    operations: ['createActivity'],
    async run({ idempotency_key: key, ...json }, run) {
      const activity = recordIn(
        await run('createActivity', { json, ...(typeof key === 'string' && { key }) }),
      );
      return { ...activity, summary: `Logged an activity of type ${activity.type}.` };
    },
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;
