// What OpenAPI says of users, invitations and teams.
import { z } from 'zod';
import { newMember, newTeam, teamChange } from '../../shared/records/teams/schema.ts';
import { newUser, userChange } from '../../shared/records/users/schema.ts';
import { PERIODS } from '../../shared/records/users/statistics.ts';
import { changed, created, describe, id, idFilter, nullable, paging, searchFilter, time } from './openapi.ts';

const role = z.enum(['admin', 'manager', 'sales_rep']);
const status = z.enum(['active', 'invited', 'deactivated']);
const params = ['id'] as const;

const user = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    phone: nullable,
    avatar_url: nullable,
    role: z.enum(['admin', 'manager', 'sales_rep', 'viewer']),
    team: z.object({ id, name: z.string() }).nullable(),
    status,
    ranking_tier: nullable,
    total_points: z.int(),
    created_at: time,
    updated_at: time,
    last_active_at: time.nullable(),
  })
  .meta({ id: 'User' });

const count = z.int().min(0);
const statistics = z
  .object({
    user_id: id,
    period: z.string(),
    points: z.int(),
    ranking_position: z.int().min(1),
    deals_created: count,
    deals_won: count,
    deals_lost: count,
    revenue_closed: z.number(),
    leads_created: count,
    leads_qualified: count,
    conversion_rate: z.number().describe('Won by won and lost; 0 when nothing was closed.'),
    average_deal_size: z.number(),
    average_sales_cycle_days: z.number(),
    badges_earned: count,
    activities_logged: count,
  })
  .meta({ id: 'Statistics' });

const invitation = z
  .object({
    id,
    user_id: id,
    email: z.string(),
    role: z.enum(['admin', 'manager', 'sales_rep', 'viewer']),
    team_id: id.nullable(),
    status: z.enum(['pending', 'accepted', 'revoked', 'expired']),
    invited_at: time,
    expires_at: time,
  })
  .meta({ id: 'Invitation' });

const team = z
  .object({
    id,
    name: z.string(),
    leader_id: id.nullable(),
    member_count: count,
    parent_team_id: id.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Team' });

/** Roles that variant A can give; `viewer` is given by variant C alone. */
const newUserA = newUser.extend({ role }).meta({ id: 'NewUser' });
const userChangeA = userChange.extend({ role: role.optional() }).meta({ id: 'UserChange' });
const userSorts = ['created_at', 'updated_at', 'name', 'email', 'total_points'];
const userFilters = {
  ...changed,
  role: role.optional(),
  team_id: idFilter,
  status: status.optional(),
  search: searchFilter.describe('In name and e-mail, without case and accents.'),
};

const users = { tag: 'Users' };
export const listUsers = describe({
  ...users,
  summary: 'List users',
  query: z.object({ ...paging(userSorts), ...userFilters }),
  data: z.array(user),
  list: 'meta',
});
export const createUser = describe({
  ...users,
  summary: 'Invite a user',
  body: newUserA,
  status: 201,
  data: user,
  writes: true,
  failures: [409, 422],
});
export const getCurrentUser = describe({
  ...users,
  summary: 'Get the user that the client acts for',
  data: user,
  failures: [404],
});
export const getUser = describe({ ...users, summary: 'Get a user', params, data: user, failures: [404] });
export const changeUser = describe({
  ...users,
  summary: 'Change a user',
  params,
  body: userChangeA,
  data: user,
  writes: true,
  failures: [404, 422],
});
export const removeUser = describe({
  ...users,
  summary: 'Deactivate a user, or remove one for good',
  params,
  query: z.object({ permanent: z.enum(['true', 'false']).optional() }),
  writes: true,
  failures: [404],
});
export const getStatistics = describe({
  ...users,
  summary: 'What a user did in a period',
  params,
  query: z.object({
    period: z.enum(PERIODS).optional().describe("Of the tenant's calendar; month when absent."),
  }),
  data: statistics,
  failures: [404],
});
export const getMetrics = describe({
  ...users,
  summary: 'What a user did in a period, or between two days',
  params,
  query: z.object({
    period: z.enum(PERIODS).optional(),
    start_date: z.iso.date().optional().describe('Takes the place of the period. The day is included.'),
    end_date: z.iso.date().optional().describe('The day is included.'),
  }),
  data: statistics,
  failures: [404],
});

const invitations = { tag: 'Invitations' };
export const listInvitations = describe({
  ...invitations,
  summary: 'List invitations',
  query: z.object({ ...paging(['invited_at']), ...created, status: invitation.shape.status.optional() }),
  data: z.array(invitation),
  list: 'meta',
});
export const createInvitation = describe({
  ...invitations,
  summary: 'Invite a user',
  body: newUserA,
  status: 201,
  data: invitation,
  writes: true,
  failures: [409, 422],
});
export const resendInvitation = describe({
  ...invitations,
  summary: 'Send an invitation again',
  params,
  data: invitation,
  writes: true,
  failures: [404, 409],
});
export const revokeInvitation = describe({
  ...invitations,
  summary: 'Take an invitation back',
  params,
  writes: true,
  failures: [404, 409],
});

const teams = { tag: 'Teams' };
export const listTeams = describe({
  ...teams,
  summary: 'List teams',
  query: z.object({ ...paging(['created_at', 'updated_at', 'name']), ...changed }),
  data: z.array(team),
  list: 'meta',
});
export const createTeam = describe({
  ...teams,
  summary: 'Create a team',
  body: newTeam,
  status: 201,
  data: team,
  writes: true,
  failures: [422],
});
export const getTeam = describe({
  ...teams,
  summary: 'Get a team with its members',
  params,
  data: team.extend({ members: z.array(user) }).meta({ id: 'TeamWithMembers' }),
  failures: [404],
});
export const changeTeam = describe({
  ...teams,
  summary: 'Change a team',
  params,
  body: teamChange,
  data: team,
  writes: true,
  failures: [404, 422],
});
export const listMembers = describe({
  ...teams,
  summary: 'List the members of a team',
  params,
  query: z.object({ ...paging(userSorts), ...userFilters }),
  data: z.array(user),
  list: 'meta',
  failures: [404],
});
export const addMember = describe({
  ...teams,
  summary: 'Add a member, who leaves the team they were in',
  params,
  body: newMember,
  status: 201,
  data: user,
  writes: true,
  failures: [404, 422],
});
export const removeMember = describe({
  ...teams,
  summary: 'Remove a member',
  params: ['id', 'user_id'],
  writes: true,
  failures: [404],
});
