// Reads users.
import { type Context, clientOf, personOf } from '../../platform/access/context.ts';
import { oneRow, type Statement } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { uuid, word } from '../../platform/lists/filters.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { externalIdFilter, keyIn, type RecordKey } from '../external-ids.ts';
import { type List, search, updatedFilters } from '../list.ts';
import {
  selectStatistics,
  selectUser,
  selectUserOfClient,
  selectUserWithAccess,
  type UserRecord,
} from './queries.ts';
import type { StatisticsResponse } from './schema.ts';
import type { StatisticsPeriod } from './statistics-period.ts';

export { parseStatisticsPeriod } from './statistics-period.ts';

/** Throws `not_found`. */
export async function getUser(context: Context, user: RecordKey): Promise<UserRecord> {
  const rows = await withDomainErrors(
    context.read((sql) => selectUser(sql, context.tenantId, keyIn(sql, context, 'users', user))),
  );
  return oneRow(rows).record;
}

/** The current user, and for a person what the user may do after signing in: a preset or null. */
export type CurrentUser = UserRecord & { access?: string | null };

/** The person, or the user that the client acts for. Throws `not_found` if there is none. */
export async function getCurrentUser({ read, tenantId, actor }: Context): Promise<CurrentUser> {
  const clientId = clientOf(actor);
  const personId = personOf(actor);
  const [row] = await read(
    (sql): Statement<{ record: CurrentUser }> =>
      personId === null
        ? selectUserOfClient(sql, tenantId, clientId)
        : selectUserWithAccess(sql, tenantId, personId),
  );
  if (!row)
    throw new ApiError('not_found', 'This client does not act for a user.', { reason: 'user_missing' });
  return row.record;
}

export const userList: List<UserRecord> = {
  table: 'users',
  filters: {
    ...updatedFilters,
    external_id: externalIdFilter('users'),
    role: word,
    team_id: uuid,
    status: word,
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'total_points'],
  record: (sql) => sql`app.user_record(r)`,
};

/** A user's statistics for a period in the tenant's time zone, computed from the records. Throws `not_found`. */
export async function getStatistics(
  { read, tenantId }: Context,
  userId: string,
  period: StatisticsPeriod,
): Promise<StatisticsResponse> {
  const rows = await withDomainErrors(read((sql) => selectStatistics(sql, tenantId, userId, period)));
  return oneRow(rows).record;
}
