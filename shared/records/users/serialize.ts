// Serializes users for responses and webhooks.

import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import { externalIdFor } from '../external-ids.ts';
import type { UserRecord } from './queries.ts';
import type { UserResponse } from './schema.ts';

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
