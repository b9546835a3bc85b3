// OpenAPI descriptions of users.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { statisticsResponse } from '../../shared/records/users/schema.ts';
import { periods } from '../../shared/records/users/statistics-period.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { variantValues } from './naming.openapi.ts';
import { type DescriptionsOf, externalDescriptions, tagged } from './openapi.ts';
import { externalIdFilter, idFilter, paging, searchFilter, updated } from './parameters.openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { userEndpoints } from './users.ts';

const accessMembers = {
  scopes: z.array(z.string()).optional().describe('Only for a person: the scopes of the token.'),
  access: z
    .string()
    .nullable()
    .optional()
    .describe("Only for a person: the preset that the user's access equals, or null."),
};

/** Query parameters of lists of users. */
export function userQuery(variant: NamingVariant) {
  const naming = variants[variant].namings.user;
  return z.object({
    ...paging(variant, ['created_at', 'updated_at', 'name', 'email', 'total_points']),
    ...updated,
    role: variantValues(naming, 'role').optional().describe('Only users with this role.'),
    team_id: idFilter.describe('Only members of this team.'),
    ...externalIdFilter,
    status: variantValues(naming, 'status').optional().describe('Only users with this status.'),
    search: searchFilter.describe('Searches name and email, ignoring case and accents.'),
  });
}

export function userDescriptions(schemas: Schemas): DescriptionsOf<typeof userEndpoints> {
  const { id: variant, user } = schemas;
  const external = externalDescriptions({
    one: 'a user',
    body: z.union([schemas.newUser, schemas.userChange]),
    data: user,
    shown: user,
  });
  return tagged('Users', {
    listUsers: {
      summary: 'List users',
      query: userQuery(variant),
      data: z.array(user),
    },
    createUser: {
      entityTag: 'shown',
      summary: 'Invite a user',
      description: 'Returns the user. POST /invitations does the same and returns the invitation.',
      body: schemas.newUser,
      status: 201,
      data: user,
      failures: [409, 422],
    },
    getCurrentUser: {
      entityTag: 'conditional',
      summary: 'Get the person who signed in, or the user that the client acts for',
      description:
        'A person needs no scope, and the response also has the `scopes` of the token and `access`. For a client, it returns ' +
        '404 if the client does not act for a user.',
      data: user.extend(accessMembers).meta({ id: 'CurrentUser' }),
      failures: [404],
    },
    getUserByExternalId: external.get,
    putUser: external.put,
    getUser: {
      entityTag: 'conditional',
      summary: 'Get a user',
      data: user,
    },
    updateUser: {
      entityTag: 'conditional',
      summary: 'Update a user',
      description: 'Omitted members stay unchanged; null clears a member.',
      body: schemas.userChange,
      data: user,
      failures: [409, 422],
    },
    removeUser: {
      entityTag: 'demanded',
      summary: 'Deactivate or permanently delete a user',
      query: z.object({
        permanent: z
          .enum(['true', 'false'])
          .optional()
          .describe('Default: false, which deactivates the user.'),
      }),
    },
    getStatistics: {
      summary: 'Get statistics of a user for a period',
      query: z.object({
        period: z
          .enum(periods)
          .optional()
          .describe("From the start of the period in the tenant's calendar until now. Default: month."),
      }),
      data: statisticsResponse,
    },
    getMetrics: {
      summary: 'Get statistics of a user for a period or date range',
      query: z.object({
        period: z
          .enum(periods)
          .optional()
          .describe(
            "From the start of the period in the tenant's calendar until now. Default: month, if no date is sent.",
          ),
        start_date: z.iso.date().optional().describe('Inclusive. Overrides `period`.'),
        end_date: z.iso.date().optional().describe('Inclusive.'),
      }),
      data: statisticsResponse,
    },
  });
}
