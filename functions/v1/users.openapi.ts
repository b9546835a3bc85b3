// What OpenAPI says of users.
import { z } from 'zod';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { statisticsResponse } from '../../shared/records/users/schema.ts';
import { periods } from '../../shared/records/users/statistics-period.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { variantValues } from './naming.openapi.ts';
import {
  describeIn,
  externalIdFilter,
  externalOperations,
  idFilter,
  listOf,
  paging,
  searchFilter,
  updated,
} from './openapi.ts';
import type { Schemas } from './schemas.openapi.ts';
import type { userEndpoints } from './users.ts';

const tag = 'Users';
const params = ['id'] as const;

/** What lists of users may be asked for. */
export function userQuery(variant: NamingVariant) {
  const naming = variants[variant].namings.user;
  return z.object({
    ...paging(variant, ['created_at', 'updated_at', 'name', 'email', 'total_points']),
    ...updated,
    role: variantValues(naming, 'role').optional(),
    team_id: idFilter,
    ...externalIdFilter,
    status: variantValues(naming, 'status').optional(),
    search: searchFilter.describe('In name and e-mail, without case and accents.'),
  });
}

export function userOperations(schemas: Schemas): OperationsOf<typeof userEndpoints> {
  const { id: variant, user } = schemas;
  const describe = describeIn(variant);
  const external = externalOperations(describe, {
    tag,
    one: 'a user',
    body: z.union([schemas.newUser, schemas.userChange]),
    data: user,
    shown: user,
  });
  return {
    listUsers: describe({
      tag,
      summary: 'List users',
      query: userQuery(variant),
      data: z.array(user),
      list: listOf(variant),
    }),
    createUser: describe({
      entityTag: 'shown',
      tag,
      summary: 'Invite a user',
      description:
        'Answered with the user; POST /invitations does the same and is answered with the invitation.',
      body: schemas.newUser,
      status: 201,
      data: user,
      writes: true,
      failures: [409, 422],
    }),
    getCurrentUser: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Get the user that the client acts for',
      description: 'A client that acts for nobody is answered 404.',
      data: user,
      failures: [404],
    }),
    getUserByExternalId: external.get,
    putUser: external.put,
    getUser: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Get a user',
      params,
      data: user,
      failures: [404],
    }),
    updateUser: describe({
      entityTag: 'conditional',
      tag,
      summary: 'Change a user',
      description: 'What is absent stays as it is; null empties.',
      params,
      body: schemas.userChange,
      data: user,
      writes: true,
      failures: [404, 409, 422],
    }),
    removeUser: describe({
      entityTag: 'demanded',
      tag,
      summary: 'Deactivate a user, or remove one for good',
      params,
      query: z.object({
        permanent: z.enum(['true', 'false']).optional().describe('false when absent: deactivated.'),
      }),
      writes: true,
      failures: [404],
    }),
    getStatistics: describe({
      tag,
      summary: 'What a user did in a period',
      params,
      query: z.object({
        period: z.enum(periods).optional().describe("Of the tenant's calendar; month when absent."),
      }),
      data: statisticsResponse,
      failures: [404],
    }),
    getMetrics: describe({
      tag,
      summary: 'What a user did in a period, or between two days',
      params,
      query: z.object({
        period: z.enum(periods).optional(),
        start_date: z.iso.date().optional().describe('Takes the place of the period. The day is included.'),
        end_date: z.iso.date().optional().describe('The day is included.'),
      }),
      data: statisticsResponse,
      failures: [404],
    }),
  };
}
