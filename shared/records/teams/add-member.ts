import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import type { UserRecord } from '../users/queries.ts';
import { checkTeamExists, insertMember } from './queries.ts';

/** Moves a user into the team; gives the user. Throws `not_found` for the team, `unprocessable` for the user. */
export async function addMember(
  { write, tenantId }: Context,
  teamId: string,
  userId: string,
): Promise<UserRecord> {
  const { member } = await withDomainErrors(
    write((sql) => ({
      team: checkTeamExists(sql, tenantId, teamId),
      member: insertMember(sql, tenantId, teamId, userId),
    })),
  );
  return oneRow(member).record;
}
