// /teams
import type { Endpoint } from '../../shared/platform/http/app.ts';
import { parseBody } from '../../shared/records/parse-body.ts';
import {
  addMember,
  changeTeam,
  createTeam,
  getTeam,
  listMembers,
  removeMember,
  teamList,
} from '../../shared/records/teams/operations.ts';
import { userList } from '../../shared/records/users/operations.ts';
import type { Row } from '../../shared/records/variants/naming.ts';
import { show } from '../../shared/records/variants/variant.ts';
import { listAnswer, listQuery, many, nothing, one, recordsEndpoint, single } from './endpoint.ts';

const docs = () => import('./users.openapi.ts');
const schemas = () => import('../../shared/records/teams/schema.ts');
const reads = { scope: 'read:teams', successStatus: 200, body: 'none', resource: 'team' } as const;
const writes = { scope: 'write:teams write:users', body: 'required', resource: 'team' } as const;

export const teamEndpoints: Endpoint[] = [
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/teams',
    docs: async () => (await docs()).listTeams,
    run: (request) => listAnswer(request, 'team', teamList),
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/teams',
    successStatus: 201,
    docs: async () => (await docs()).createTeam,
    async run(request) {
      const team = parseBody((await schemas()).newTeam, request.variant.namings.team, request.json);
      return one(request, 201, 'team', await createTeam(request.context, team));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/teams/:id',
    docs: async () => (await docs()).getTeam,
    async run(request) {
      const record = await getTeam(request.context, request.params.id ?? '');
      const members = (record.members as Row[]).map((member) => show(request.variant, 'user', member));
      return single(request, 200, { ...show(request.variant, 'team', record), members });
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'patch',
    path: '/teams/:id',
    successStatus: 200,
    docs: async () => (await docs()).changeTeam,
    async run(request) {
      const change = parseBody((await schemas()).teamChange, request.variant.namings.team, request.json);
      return one(request, 200, 'team', await changeTeam(request.context, request.params.id ?? '', change));
    },
  }),
  recordsEndpoint({
    ...reads,
    method: 'get',
    path: '/teams/:id/members',
    docs: async () => (await docs()).listMembers,
    async run(request) {
      const query = listQuery(request, 'user', userList);
      const result = await listMembers(request.context, request.params.id ?? '', query);
      return many(request, result, (record) => show(request.variant, 'user', record));
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'post',
    path: '/teams/:id/members',
    successStatus: 201,
    docs: async () => (await docs()).addMember,
    async run(request) {
      const { context, params, variant, json } = request;
      const { user_id: userId } = parseBody((await schemas()).newMember, variant.namings.team, json);
      return one(request, 201, 'user', await addMember(context, params.id ?? '', userId));
    },
  }),
  recordsEndpoint({
    ...writes,
    method: 'delete',
    path: '/teams/:id/members/:user_id',
    successStatus: 204,
    body: 'none',
    docs: async () => (await docs()).removeMember,
    async run({ context, params: { id = '', user_id: userId = '' } }) {
      await removeMember(context, id, userId);
      return nothing;
    },
  }),
];
