import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../platform/errors.ts';
import { selectUserOfClient, type UserRecord } from './queries.ts';

/** The user that the client acts for. Throws `not_found` when it acts for none. */
export async function getCurrentUser({ read, tenantId, actor }: Context): Promise<UserRecord> {
  const clientId = actor.type === 'oauth_client' ? actor.clientId : null;
  const [row] = await read((sql) => selectUserOfClient(sql, tenantId, clientId));
  if (!row) throw new ApiError('not_found', 'This client acts for no user.', { reason: 'user_missing' });
  return row.record;
}
