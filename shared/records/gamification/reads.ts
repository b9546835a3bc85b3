// Reads gamification.
import type { Context } from '../../platform/access/context.ts';
import { allows } from '../../platform/access/scopes.ts';
import { oneRow } from '../../platform/db/database.ts';
import { invalid } from '../../platform/errors.ts';
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

/** Parses the optional filter `user_id`. Throws `validation`. */
export function parseUser(query: Query): string | undefined {
  const userId = query.take(['user_id']).get('user_id') || undefined;
  if (userId === undefined || isUuid(userId)) return userId;
  throw invalid('parameter', 'user_id', 'must be a UUID');
}

/** Counts the completions of this user, or of all players without a user. */
export const missionList = (userId?: string): List<MissionRecord> => ({
  table: 'missions',
  sorts: ['created_at', 'name', 'points'],
  record: (sql) => missionRecord(sql, userId),
});

export const badgeList: List<BadgeRecord> = {
  table: 'badges',
  sorts: ['created_at', 'name', 'threshold'],
  record: badgeRecord,
};

/** Includes the progress of this user, or of all players without a user. */
export const challengeList = (userId?: string): List<ChallengeRecord> => ({
  table: 'challenges',
  sorts: ['created_at', 'starts_at', 'ends_at', 'name'],
  record: (sql) => challengeRecord(sql, userId),
});

export const seasonList: List<SeasonRecord> = {
  table: 'seasons',
  sorts: ['starts_at', 'ends_at', 'created_at', 'name'],
  record: seasonRecord,
};

export const pointEntryList: List<PointEntryRecord> = {
  table: 'point_entries',
  idType: 'bigint',
  sorts: ['created_at'],
  record: pointEntryRecord,
};

/** A page for all players or for one user. Throws `unprocessable` if the user does not exist. */
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

/** A page of a user's point entries. Throws `not_found`. */
export async function listPoints(
  context: Context,
  userId: string,
  query: ListQuery,
): Promise<ListResult<PointEntryRecord>> {
  const ofUser = { op: 'of_user', value: userId };
  const found = await withDomainErrors(
    readList(context, pointEntryList, query, [ofUser], (sql) =>
      checkUserExists(sql, context.tenantId, userId),
    ),
  );
  return { ...found, records: found.records.map((entry) => withPermittedName(entry, context.actor.scopes)) };
}

/** Without the name of a deal or lead that the caller may not read. */
function withPermittedName(entry: PointEntryRecord, scopes: readonly string[]): PointEntryRecord {
  const { subject } = entry;
  const mayRead =
    !subject || subject.resource === 'activity' || allows(scopes, [`read:${subject.resource}s`]);
  return mayRead ? entry : { ...entry, subject: { ...subject, name: null } };
}

/** Sort fields of a user's badges. */
export const earnedBadgeList: List<EarnedBadgeRecord> = {
  table: 'badges',
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
 * Users and collaborators ranked by points. Throws `validation` if `to` is not later than `from`, and `unprocessable` if the season
 * does not exist or the user is not in these standings.
 */
export async function getStandings(
  { read, tenantId }: Context,
  query: StandingsQuery,
): Promise<ListResult<StandingRecord>> {
  const rows = await withDomainErrors(read((sql) => selectStandings(sql, tenantId, query)));
  const { records, total, page } = oneRow(rows);
  return { records, total: Number(total), page: Number(page), perPage: query.perPage };
}
