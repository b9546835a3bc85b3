// Endpoints of /teams.
import type { Endpoints } from '../../shared/platform/http/endpoint.ts';
import { recordsEndpoint } from './records-endpoint.ts';

const reads = () => import('../../shared/records/teams/reads.ts');
const writes = () => import('../../shared/records/teams/writes.ts');
const read = { scopes: ['read:teams'], body: 'none', resource: 'team' } as const;
const write = { scopes: ['write:teams', 'write:users'], body: 'required', resource: 'team' } as const;

export const teamEndpoints = {
  listTeams: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/teams',
    handle: async (request) => request.list('team', (await reads()).teamList),
  }),
  createTeam: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/teams',
    async handle(request) {
      const { newTeam, createTeam } = await writes();
      const team = request.parse(newTeam);
      return request.record(201, 'team', (context) => createTeam(context, team));
    },
  }),
  getTeam: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/teams/:id',
    conditional: 'team',
    async handle(request) {
      const { getTeam } = await reads();
      return request.record(
        200,
        'team',
        (context) => getTeam(context, request.params.id),
        (team) => ({ members: team.members.map((member) => request.shape('user', member)) }),
      );
    },
  }),
  updateTeam: recordsEndpoint({
    ...write,
    method: 'patch',
    path: '/teams/:id',
    conditional: 'team',
    async handle(request) {
      const { teamChange, updateTeam } = await writes();
      const change = request.parse(teamChange);
      return request.record(200, 'team', (context) => updateTeam(context, request.params.id, change));
    },
  }),
  listMembers: recordsEndpoint({
    ...read,
    method: 'get',
    path: '/teams/:id/members',
    async handle(request) {
      const { userList, listMembers } = await reads();
      return request.list('user', userList, (context, query) =>
        listMembers(context, request.params.id, query),
      );
    },
  }),
  addMember: recordsEndpoint({
    ...write,
    method: 'post',
    path: '/teams/:id/members',
    async handle(request) {
      const { newMember, addMember } = await writes();
      const { user_id: userId } = request.parse(newMember);
      return request.record(201, 'user', (context) => addMember(context, request.params.id, userId));
    },
  }),
  removeMember: recordsEndpoint({
    ...write,
    method: 'delete',
    path: '/teams/:id/members/:user_id',
    body: 'none',
    async handle(request) {
      const { removeMember } = await writes();
      const { id, user_id: userId } = request.params;
      return request.noContent((context) => removeMember(context, id, userId));
    },
  }),
} satisfies Endpoints;
