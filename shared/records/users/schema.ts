// Users in requests and responses, in canonical names.
import { z } from 'zod';
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import { email, required, text } from '../../platform/validation.ts';
import { externalId, externalIdFor, shownExternalId } from '../external-ids.ts';
import { id, name, nullableText, reference, time } from '../fields.ts';
import { commonRoles, userRoles } from '../roles.ts';
import type { UserRecord } from './queries.ts';
import { userStatuses } from './states.ts';

const role = z.enum(userRoles, {
  error: required(`must be one of ${commonRoles.join(', ')}`),
});
export const phone = text({ maxLength: 50 }).nullable().optional();

export const newUser = z
  .object({
    name,
    email: email.describe(
      'Unique in the workspace, case-insensitive. The invitation is sent to this address.',
    ),
    role,
    team_id: reference,
    phone,
    external_id: externalId,
  })
  .meta({ id: 'NewUser' });

export const userChange = z
  .object({
    name: name.optional(),
    phone,
    role: role.optional(),
    team_id: reference,
    external_id: externalId,
  })
  .meta({ id: 'UserChange' });

/** A user in a response. */
export const userResponse = z
  .object({
    id,
    name: z.string(),
    email: z.string(),
    phone: nullableText,
    avatar_url: nullableText,
    role: z.enum(userRoles),
    team: z.object({ id, name: z.string() }).nullable(),
    status: z.enum(userStatuses),
    ranking_tier: nullableText,
    total_points: z.int(),
    external_id: shownExternalId,
    created_at: time,
    updated_at: time,
    last_active_at: time.nullable(),
  })
  .meta({ id: 'User' });

const count = z.int().min(0);

/** A user's statistics in a response. */
export const statisticsResponse = z
  .object({
    user_id: id,
    period: z.string(),
    points: z.int(),
    ranking_position: z.int().min(1).nullable().describe('Null if the user opted out of rankings.'),
    deals_created: count,
    deals_won: count,
    deals_lost: count,
    revenue_closed: z.number(),
    leads_created: count,
    leads_qualified: count,
    conversion_rate: z.number().describe('Won deals divided by closed deals; 0 if no deal was closed.'),
    average_deal_size: z.number(),
    average_sales_cycle_days: z.number(),
    badges_earned: count,
    activities_logged: count,
  })
  .meta({ id: 'Statistics' });

export type NewUser = z.output<typeof newUser>;
export type UserChange = z.output<typeof userChange>;
type UserResponse = z.output<typeof userResponse>;
export type StatisticsResponse = z.output<typeof statisticsResponse>;

/** `clientId` is the client whose external id is shown. */
export const serializeUser = (user: UserRecord, clientId: string | null): UserResponse => ({
  id: user.id,
  name: user.name,
  email: user.email,
  phone: user.phone,
  avatar_url: user.avatar_url,
  role: user.role,
  team: user.team && { id: user.team.id, name: user.team.name },
  status: user.status,
  ranking_tier: user.ranking_tier,
  total_points: user.total_points,
  external_id: externalIdFor(user, clientId),
  created_at: utcTime(user.created_at),
  updated_at: utcTime(user.updated_at),
  last_active_at: utcTimeOrNull(user.last_active_at),
});
