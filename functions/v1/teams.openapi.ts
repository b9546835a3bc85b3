// OpenAPI descriptions of teams.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { newMember } from '../../shared/records/teams/schema.ts';
import { describeIn, listOf, paging, updated } from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { teamEndpoints } from './teams.ts';
import { userQuery } from './users.openapi.ts';

const tag = 'Teams';
const params = ['id'] as const;

export function teamOperations(schemas: Schemas): OperationsOf<typeof teamEndpoints> {
  const { id: variant, team, user } = schemas;
  const describe = describeIn(variant);
  const teamWithMembers = team
    .extend({
      members: z.array(user).describe('The first 100 by name. GET /teams/{id}/members lists all.'),
    })
    .meta({ id: 'TeamWithMembers' });
  return {
    listTeams: describe({
      tag,
      summary: 'List teams',
      query: z.object({ ...paging(variant, ['created_at', 'updated_at', 'name']), ...updated }),
      data: z.array(team),
      list: listOf(variant),
    }),
    createTeam: describe({
      entityTag: 'shown',
      tag,
      summary: 'Create a team',
      body: schemas.newTeam,
      status: 201,
      data: team,
      writes: true,
      failures: [422],
    }),
    getTeam: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Get a team with its members',
      params,
      data: teamWithMembers,
      failures: [404],
    }),
    updateTeam: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Update a team',
      params,
      body: schemas.teamChange,
      data: team,
      writes: true,
      failures: [404, 422],
    }),
    listMembers: describe({
      tag,
      summary: 'List the members of a team',
      params,
      query: userQuery(variant),
      data: z.array(user),
      list: listOf(variant),
      failures: [404],
    }),
    addMember: describe({
      entityTag: 'shown',
      tag,
      summary: 'Add a member',
      description: 'A user who is a member of another team leaves that team.',
      params,
      body: newMember,
      status: 201,
      data: user,
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
}
