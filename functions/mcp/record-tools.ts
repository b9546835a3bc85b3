// Tools of leads, deals, users and teams, their points and activities.
import { ApiError } from '../../shared/platform/errors.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import { listPages } from './lists.ts';
import type { RunOperation } from './operations.ts';
import { isObject } from './protocol.ts';
import { chosen, pagesOf, reading, recordIn, type Tool, writing } from './tool.ts';

const recordKinds = {
  lead: { operation: 'getLead', scopes: ['read:leads'] },
  deal: { operation: 'getDeal', scopes: ['read:deals'] },
  user: { operation: 'getUser', scopes: ['read:users'] },
  team: { operation: 'getTeam', scopes: ['read:teams'] },
} as const;

const getRecord: Tool = {
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
};

const getPoints: Tool = {
  title: 'Get the points of a player',
  scopes: ['read:users', 'self'],
  scopesOf: ({ user }) => (user === undefined ? ['self', 'read:users'] : ['read:users']),
  ...reading,
  operations: ['adminListPlayerPoints', 'listOwnPoints'],
  async run({ user, ...given }, run) {
    if (user === undefined) return await listPages(run, { operation: 'listOwnPoints', given });
    const id = await findPlayerId(String(user).trim(), run);
    return await listPages(run, { operation: 'adminListPlayerPoints', params: { player_id: id }, given });
  },
};

/** Finds a user or collaborator by id or email address. Throws 404. */
async function findPlayerId(user: string, run: RunOperation): Promise<string> {
  if (isUuid(user)) return user;
  const { data } = await run('adminListPlayers', { query: { search: user.slice(0, 200), per_page: 100 } });
  const found = Array.isArray(data) ? data.filter(isObject) : [];
  const match = found.find(({ email }) => email === user.toLowerCase());
  const id = match?.user_id ?? match?.collaborator_id;
  if (typeof id === 'string') return id;
  const named = found.filter(({ name }) => String(name).toLowerCase().includes(user.toLowerCase()));
  const ids = named.slice(0, 20).map((one) => `${one.name}: ${one.user_id ?? one.collaborator_id}`);
  const hint = ids.length > 0 ? ` Players with this name: ${ids.join(', ')}.` : '';
  const message = `There is no player with this id or email address.${hint}`;
  throw new ApiError('not_found', message, { reason: 'user_missing' });
}

const logActivity: Tool = {
  title: 'Log an activity',
  scopes: ['write:deals'],
  ...writing,
  idempotent: false,
  operations: ['createActivity'],
  async run({ idempotency_key: key, ...json }, run) {
    const body = await run('createActivity', { json, ...(typeof key === 'string' && { key }) });
    const activity = recordIn(body);
    return { ...activity, summary: `Logged an activity of type ${activity.type}.` };
  },
};

export const recordTools = {
  find_deals: pagesOf('listDeals', 'Find deals', ['read:deals']),
  find_leads: pagesOf('listLeads', 'Find leads', ['read:leads']),
  get_points: getPoints,
  get_record: getRecord,
  get_standings: pagesOf('getStandings', 'Get the standings', ['read:standings', 'read:users']),
  log_activity: logActivity,
} satisfies Record<string, Tool>;
