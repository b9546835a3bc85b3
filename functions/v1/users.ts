// /users and /invitations
import { ApiError } from '../../shared/platform/errors.ts';
import type { Endpoint } from '../../shared/platform/http/app.ts';
import {
  invitationList,
  resendInvitation,
  revokeInvitation,
} from '../../shared/records/invitations/operations.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import {
  changeUser,
  getCurrentUser,
  getUser,
  inviteUser,
  removeUser,
  userList,
} from '../../shared/records/users/operations.ts';
import { getStatistics, parseSpan } from '../../shared/records/users/statistics.ts';
import { listAnswer, nothing, one, type RecordsRequest, recordsEndpoint, single } from './endpoint.ts';

const docs = () => import('./users.openapi.ts');
const schemas = () => import('../../shared/records/users/schema.ts');
const reads = { scope: 'read:users', successStatus: 200, body: 'none', resource: 'user' } as const;
const writes = { scope: 'write:users', body: 'required', resource: 'user' } as const;

async function invite(request: RecordsRequest) {
  const user = parseBody((await schemas()).newUser, request.variant.namings.user, request.json);
  return await inviteUser(request.context, user);
}

function readForGood(query: URLSearchParams): boolean {
  const value = query.get('permanent') ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ApiError('validation', 'Fix these query parameters.', {
    details: [{ field: 'permanent', message: 'must be true or false' }],
  });
}

export const userEndpoints: Endpoint[] = [
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/users',
    docs: async () => (await docs()).listUsers,
    run: (request) => listAnswer(request, 'user', userList),
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/users',
    successStatus: 201,
    docs: async () => (await docs()).createUser,
    run: async (request) => one(request, 201, 'user', (await invite(request)).user),
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/users/me',
    docs: async () => (await docs()).getCurrentUser,
    run: async (request) => one(request, 200, 'user', await getCurrentUser(request.context)),
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/users/:id',
    docs: async () => (await docs()).getUser,
    run: async (request) =>
      one(request, 200, 'user', await getUser(request.context, request.params.id ?? '')),
  }),
  recordsEndpoint({
    ...writes,
    method: 'patch',
    path: '/users/:id',
    successStatus: 200,
    docs: async () => (await docs()).changeUser,
    async run(request) {
      const change = parseBody((await schemas()).userChange, request.variant.namings.user, request.json);
      return one(request, 200, 'user', await changeUser(request.context, request.params.id ?? '', change));
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'delete',
    path: '/users/:id',
    successStatus: 204,
    body: 'none',
    docs: async () => (await docs()).removeUser,
    async run({ context, params, query }) {
      await removeUser(context, params.id ?? '', readForGood(query));
      return nothing;
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/users/:id/stats',
    docs: async () => (await docs()).getStatistics,
    async run(request) {
      const span = parseSpan(request.query);
      return single(request, 200, await getStatistics(request.context, request.params.id ?? '', span));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/users/:id/metrics',
    docs: async () => (await docs()).getMetrics,
    async run(request) {
      const span = parseSpan(request.query, { days: true });
      return single(request, 200, await getStatistics(request.context, request.params.id ?? '', span));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/invitations',
    resource: 'invitation',
    docs: async () => (await docs()).listInvitations,
    run: (request) => listAnswer(request, 'invitation', invitationList),
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/invitations',
    successStatus: 201,
    docs: async () => (await docs()).createInvitation,
    run: async (request) => one(request, 201, 'invitation', (await invite(request)).invitation),
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/invitations/:id/resend',
    successStatus: 200,
    body: 'optional',
    resource: 'invitation',
    docs: async () => (await docs()).resendInvitation,
    run: async (request) =>
      one(request, 200, 'invitation', await resendInvitation(request.context, request.params.id ?? '')),
  }),
  recordsEndpoint({
    ...writes,
    method: 'delete',
    path: '/invitations/:id',
    successStatus: 204,
    body: 'none',
    resource: 'invitation',
    docs: async () => (await docs()).revokeInvitation,
    async run({ context, params }) {
      await revokeInvitation(context, params.id ?? '');
      return nothing;
    },
  }),
];
