// What OpenAPI says of teams.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { newMember, newTeam, teamChange, teamResponse } from '../../shared/records/teams/schema.ts';
import { userResponse } from '../../shared/records/users/schema.ts';
import { describe, paging, updated } from './openapi.ts';
import type { teamEndpoints } from './teams.ts';
import { userQuery } from './users.openapi.ts';

const tag = 'Teams';
const params = ['id'] as const;

const teamWithMembers = teamResponse
  .extend({
    members: z.array(userResponse).describe('The first 100 by name; GET /teams/{id}/members has all.'),
  })
  .meta({ id: 'TeamWithMembers' });

export const teamOperations: OperationsOf<typeof teamEndpoints> = {
  listTeams: describe({
    tag,
    summary: 'List teams',
    query: z.object({ ...paging(['created_at', 'updated_at', 'name']), ...updated }),
    data: z.array(teamResponse),
    list: 'meta',
  }),
  createTeam: describe({
    tag,
    summary: 'Create a team',
    body: newTeam,
    status: 201,
    data: teamResponse,
    writes: true,
    failures: [422],
  }),
  getTeam: describe({
    tag,
    summary: 'Get a team with its members',
    params,
    data: teamWithMembers,
    failures: [404],
  }),
  updateTeam: describe({
    tag,
    summary: 'Change a team',
    params,
    body: teamChange,
    data: teamResponse,
    writes: true,
    failures: [404, 422],
  }),
  listMembers: describe({
    tag,
    summary: 'List the members of a team',
    params,
    query: userQuery,
    data: z.array(userResponse),
    list: 'meta',
    failures: [404],
  }),
  addMember: describe({
    tag,
    summary: 'Add a member, who leaves the team they were in',
    params,
    body: newMember,
    status: 201,
    data: userResponse,
    writes: true,
    failures: [404, 422],
  }),
  removeMember: describe({
    tag,
    summary: 'Remove a member',
    params: ['id', 'user_id'],
    writes: true,
    failures: [404],
  }),
};
