import type { Database } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { acceptByToken } from './queries.ts';

const TOKEN = /^[0-9A-Za-z]{40}$/;

/** Accepts the invitation that was mailed with this token, for whoever opens its link. Throws `not_found`. */
export async function acceptInvitation(database: Database, token: string): Promise<void> {
  const [row] = TOKEN.test(token) ? await database.asOwner('writes', (sql) => acceptByToken(sql, token)) : [];
  if (row?.accepted) return;
  throw new ApiError('not_found', 'This invitation is not open any more. Ask for another one.', {
    reason: 'invitation_missing',
  });
}
