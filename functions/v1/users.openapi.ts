// What OpenAPI says of users.
import { z } from 'zod';
import type { OperationsOf } from '../../shared/platform/http/openapi.ts';
import { commonRoles } from '../../shared/records/users/roles.ts';
import { newUser, statisticsResponse, userChange, userResponse } from '../../shared/records/users/schema.ts';
import { periods } from '../../shared/records/users/span.ts';
import { userStatuses } from '../../shared/records/users/states.ts';
import { describe, idFilter, paging, searchFilter, updated } from './openapi.ts';
import type { userEndpoints } from './users.ts';

const tag = 'Users';
const params = ['id'] as const;
// The document is that of variant A, whose roles are the common ones.
const role = z.enum(commonRoles);
/** What POST /users and POST /invitations take. */
export const newUserBody = newUser.extend({ role }).meta({ id: 'NewUser' });
const userChangeBody = userChange.extend({ role: role.optional() }).meta({ id: 'UserChange' });

/** What lists of users may be asked for. */
export const userQuery = z.object({
  ...paging(['created_at', 'updated_at', 'name', 'email', 'total_points']),
  ...updated,
  role: role.optional(),
  team_id: idFilter,
  status: z.enum(userStatuses).optional(),
  search: searchFilter.describe('In name and e-mail, without case and accents.'),
});

export const userOperations: OperationsOf<typeof userEndpoints> = {
  listUsers: describe({
    tag,
    summary: 'List users',
    query: userQuery,
    data: z.array(userResponse),
    list: 'meta',
  }),
  createUser: describe({
    tag,
    summary: 'Invite a user',
    body: newUserBody,
    status: 201,
    data: userResponse,
    writes: true,
    failures: [409, 422],
  }),
  getCurrentUser: describe({
    tag,
    summary: 'Get the user that the client acts for',
    data: userResponse,
    failures: [404],
  }),
  getUser: describe({ tag, summary: 'Get a user', params, data: userResponse, failures: [404] }),
  updateUser: describe({
    tag,
    summary: 'Change a user',
    params,
    body: userChangeBody,
    data: userResponse,
    writes: true,
    failures: [404, 422],
  }),
  removeUser: describe({
    tag,
    summary: 'Deactivate a user, or remove one for good',
    params,
    query: z.object({ permanent: z.enum(['true', 'false']).optional() }),
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
