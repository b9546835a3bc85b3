import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { checkTeamExists, deleteMember } from './queries.ts';

/** Throws `not_found` for the team and for a user who is no member. */
export async function removeMember(
  { write, tenantId }: Context,
  teamId: string,
  userId: string,
): Promise<void> {
  await withDomainErrors(
    write((sql) => ({
      team: checkTeamExists(sql, tenantId, teamId),
      member: deleteMember(sql, tenantId, teamId, userId),
    })),
  );
}
