// Endpoints of /users.
import { invalid } from '../../shared/platform/errors.ts';
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import type { Query } from '../../shared/platform/query.ts';
import { externalEndpoints } from './by-external-id.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/users/reads.ts');
const writes = () => import('../../shared/records/users/writes.ts');
const read = { scopes: ['read:users'], body: 'none', resource: 'user' } as const;
const write = { scopes: ['write:users'], body: 'required', resource: 'user' } as const;

function parsePermanent(query: Query): boolean {
  const value = query.take(['permanent']).get('permanent') ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid('parameter', 'permanent', 'must be true or false');
}

const external = externalEndpoints({
  resource: 'user',
  base: '/users',
  source: 'users',
  scopes: { read: read.scopes, write: write.scopes },
  get: async () => (await reads()).getUser,
  async writes() {
    const { newUser, userChange, upsertUser: upsert } = await writes();
    return {
      create: (request) => request.parse(newUser),
      change: (request) => request.parse(userChange),
      upsert,
    };
  },
});

const statisticsAt = (path: '/users/:id/stats' | '/users/:id/metrics', options?: { days: true }) =>
  recordsEndpoint({
    ...read,
    method: 'get',
    path,
    async handle(request) {
      const { parseStatisticsPeriod, getStatistics } = await reads();
      const period = parseStatisticsPeriod(request.query, options);
      return await request.answer(200, (context) => getStatistics(context, request.params.id, period));
    },
  });

export const userEndpoints = {
  listUsers: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/users',
    handle: async (request) => request.list('user', (await reads()).userList),
  }),
  createUser: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/users',
    async handle(request) {
      const { newUser, inviteUser } = await writes();
      const input = request.parse(newUser);
      return request.record(201, 'user', async (context) => (await inviteUser(context, input)).user);
    },
  }),
  getCurrentUser: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/users/me',
    conditional: 'user',
    everyPerson: true,
    async handle(request) {
      const { getCurrentUser } = await reads();
      const { actor } = request;
      return request.record(200, 'user', getCurrentUser, ({ access }) =>
        actor.type === 'person' ? { scopes: actor.scopes, access } : {},
      );
    },
  }),
  getUserByExternalId: external.get,
  putUser: external.put,
  getUser: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/users/:id',
    conditional: 'user',
    async handle(request) {
      const { getUser } = await reads();
      return request.record(200, 'user', (context) => getUser(context, request.params.id));
    },
  }),
  updateUser: recordsEndpoint({
    ...write,
    method: 'patch',
    path: '/users/:id',
    conditional: 'user',
    async handle(request) {
      const { userChange, updateUser } = await writes();
      const change = request.parse(userChange);
      return request.record(200, 'user', (context) => updateUser(context, request.params.id, change));
    },
  }),
  removeUser: recordsEndpoint({
    ...write,
    method: 'delete',
    path: '/users/:id',
    conditional: 'user',
    body: 'none',
    async handle(request) {
      const { removeUser } = await writes();
      const permanent = parsePermanent(request.query);
      return request.noContent((context) => removeUser(context, request.params.id, { permanent }));
    },
  }),
  getStatistics: statisticsAt('/users/:id/stats'),
  getMetrics: statisticsAt('/users/:id/metrics', { days: true }),
} satisfies Endpoints;
