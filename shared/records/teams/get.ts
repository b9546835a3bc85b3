import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { selectTeamWithMembers, type TeamWithMembers } from './queries.ts';

/** The team with its members. Throws `not_found`. */
export async function getTeam({ read, tenantId }: Context, teamId: string): Promise<TeamWithMembers> {
  const rows = await withDomainErrors(read((sql) => selectTeamWithMembers(sql, tenantId, teamId)));
  return oneRow(rows).record;
}
