// OpenAPI descriptions of teams.
import { z } from 'zod';
import { newMember } from '../../shared/records/teams/schema.ts';
import { type DescriptionsOf, tagged } from './openapi.ts';
import { paging, updated } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { teamEndpoints } from './teams.ts';
import { userQuery } from './users.openapi.ts';

export function teamDescriptions(schemas: Schemas): DescriptionsOf<typeof teamEndpoints> {
  const { id: variant, team, user } = schemas;
  const teamWithMembers = team
    .extend({
      members: z.array(user).describe('The first 100 by name. GET /teams/{id}/members lists all.'),
    })
    .meta({ id: 'TeamWithMembers' });
  return tagged('Teams', {
    listTeams: {
      summary: 'List teams',
      query: z.object({ ...paging(variant, ['created_at', 'updated_at', 'name']), ...updated }),
      data: z.array(team),
    },
    createTeam: {
      entityTag: 'shown',
      summary: 'Create a team',
      body: schemas.newTeam,
      status: 201,
      data: team,
      failures: [422],
    },
    getTeam: {
      entityTag: 'conditional',
      summary: 'Get a team with its members',
      data: teamWithMembers,
    },
    updateTeam: {
      entityTag: 'conditional',
      summary: 'Update a team',
      body: schemas.teamChange,
      data: team,
      failures: [422],
    },
    listMembers: {
      summary: 'List the members of a team',
      query: userQuery(variant),
      data: z.array(user),
    },
    addMember: {
      entityTag: 'shown',
      summary: 'Add a member',
      description: 'A user who is a member of another team leaves that team.',
      body: newMember,
      status: 201,
      data: user,
      failures: [422],
    },
    removeMember: {
      summary: 'Remove a member',
    },
  });
}
