// Reads teams.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type List, type ListQuery, type ListResult, readList, updatedFilters } from '../list.ts';
import type { UserRecord } from '../users/queries.ts';
import { userList } from '../users/reads.ts';
import { checkTeamExists, selectTeamWithMembers, type TeamRecord, type TeamWithMembers } from './queries.ts';

export { userList } from '../users/reads.ts';

/** The team with its first members. Throws `not_found`. */
export async function getTeam({ read, tenantId }: Context, teamId: string): Promise<TeamWithMembers> {
  const rows = await withDomainErrors(read((sql) => selectTeamWithMembers(sql, tenantId, teamId)));
  return oneRow(rows).record;
}

export const teamList: List<TeamRecord> = {
  table: 'teams',
  filters: updatedFilters,
  sorts: ['created_at', 'updated_at', 'name'],
  record: (sql) => sql`app.team_record(r)`,
};

/** A page of a team's members. Throws `not_found`. */
export async function listMembers(
  context: Context,
  teamId: string,
  query: ListQuery,
): Promise<ListResult<UserRecord>> {
  const ofTeam = { op: 'eq', column: 'team_id', value: teamId };
  return await withDomainErrors(
    readList(context, userList, query, [ofTeam], (sql) => checkTeamExists(sql, context.tenantId, teamId)),
  );
}
