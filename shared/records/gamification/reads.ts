// Showing gamification; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Query } from '../../platform/query.ts';
import { isUuid } from '../../platform/uuid.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type List, type ListQuery, type ListResult, readList } from '../list.ts';
import { checkUserExists, checkUserKnown } from '../users/queries.ts';
import {
  type BadgeRecord,
  badgeRecord,
  type ChallengeRecord,
  challengeRecord,
  type EarnedBadgeRecord,
  type MissionRecord,
  missionRecord,
  type PointEntryRecord,
  pointEntryRecord,
  type SeasonRecord,
  type StandingRecord,
  seasonRecord,
  selectEarnedBadges,
  selectStandings,
} from './queries.ts';
import type { StandingsQuery } from './standings-query.ts';

export { parseStandingsQuery } from './standings-query.ts';

/** Reads `user_id` of a list that tells of everybody or of one. Throws `validation`. */
export function parseUser(query: Query): string | undefined {
  const userId = query.take(['user_id']).get('user_id') || undefined;
  if (userId === undefined || isUuid(userId)) return userId;
  throw new ApiError('validation', 'Fix these query parameters.', {
    details: [{ field: 'user_id', message: 'must be a UUID' }],
  });
}

/** Completions are those of the user, or of everybody. */
export const missionList = (userId?: string): List<MissionRecord> => ({
  table: 'missions',
  filters: {},
  sorts: ['created_at', 'name', 'points'],
  record: (sql) => missionRecord(sql, userId),
});

export const badgeList: List<BadgeRecord> = {
  table: 'badges',
  filters: {},
  sorts: ['created_at', 'name', 'threshold'],
  record: badgeRecord,
};

/** Progress is that of the user, or of everybody. */
export const challengeList = (userId?: string): List<ChallengeRecord> => ({
  table: 'challenges',
  filters: {},
  sorts: ['created_at', 'starts_at', 'ends_at', 'name'],
  record: (sql) => challengeRecord(sql, userId),
});

export const seasonList: List<SeasonRecord> = {
  table: 'seasons',
  filters: {},
  sorts: ['starts_at', 'ends_at', 'created_at', 'name'],
  record: seasonRecord,
};

export const pointEntryList: List<PointEntryRecord> = {
  table: 'point_entries',
  idType: 'bigint',
  filters: {},
  sorts: ['created_at'],
  record: pointEntryRecord,
};

/** A page that tells of everybody or of one user. Throws `unprocessable` where there is no such user. */
export async function listFor<R extends object>(
  context: Context,
  list: List<R>,
  query: ListQuery,
  userId: string | undefined,
): Promise<ListResult<R>> {
  const checks = userId === undefined ? [] : [userId];
  return await withDomainErrors(
    readList(context, list, query, [], (sql) =>
      checks.map((id) => checkUserKnown(sql, context.tenantId, id)),
    ),
  );
}

/** A page of a user's entries of the ledger. Throws `not_found`. */
export async function listPoints(
  context: Context,
  userId: string,
  query: ListQuery,
): Promise<ListResult<PointEntryRecord>> {
  const ofUser = { op: 'of_user', value: userId };
  return await withDomainErrors(
    readList(context, pointEntryList, query, [ofUser], (sql) =>
      checkUserExists(sql, context.tenantId, userId),
    ),
  );
}

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

/**
 * Users and collaborators by points. Throws `validation` where `to` is not after `from`, `unprocessable` for a season that is
 * not there and a user who has no place in these standings.
 */
export async function getStandings(
  { read, tenantId }: Context,
  query: StandingsQuery,
): Promise<ListResult<StandingRecord>> {
  const rows = await withDomainErrors(read((sql) => selectStandings(sql, tenantId, query)));
  const { records, total, page } = oneRow(rows);
  return { records, total: Number(total), page: Number(page), perPage: query.perPage };
}
