import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type ListQuery, type ListResult, readList } from '../list.ts';
import { userList } from '../users/list.ts';
import type { UserRecord } from '../users/queries.ts';
import { checkTeamExists } from './queries.ts';

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
