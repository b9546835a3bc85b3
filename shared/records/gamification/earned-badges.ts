import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import type { List, ListQuery, ListResult } from '../list.ts';
import { checkUserExists } from '../users/queries.ts';
import { badgeRecord, type EarnedBadgeRecord, selectEarnedBadges } from './queries.ts';

/** What badges of a user may be sorted by. */
export const earnedBadgeList: List<EarnedBadgeRecord> = {
  table: 'badges',
  filters: {},
  sorts: ['earned_at', 'name'],
  record: badgeRecord,
};

/** A page of a user's badges. Throws `not_found`. */
export async function listEarnedBadges(
  { read, tenantId }: Context,
  userId: string,
  query: ListQuery,
): Promise<ListResult<EarnedBadgeRecord>> {
  const { page } = await withDomainErrors(
    read((sql) => ({
      page: selectEarnedBadges(sql, tenantId, userId, query),
      user: checkUserExists(sql, tenantId, userId),
    })),
  );
  const { records, total } = oneRow(page);
  return { records, total: Number(total), page: query.page, perPage: query.perPage };
}
