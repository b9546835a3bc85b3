// Writes teams.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { withDomainErrors } from '../domain-errors.ts';
import type { UserRecord } from '../users/queries.ts';
import {
  checkTeamExists,
  deleteMember,
  insertMember,
  insertMembers,
  insertTeam,
  selectTeam,
  type TeamRecord,
  updateTeam as updateRow,
} from './queries.ts';
import { type NewTeam, newTeam, type TeamChange, teamChange } from './schema.ts';

export { newMember, newTeam, teamChange } from './schema.ts';

const newTeamColumns = columnsOf(newTeam, 'member_ids');

/** Creates a team. Throws `unprocessable` if the leader, parent team or a member does not exist. */
export async function createTeam({ write, tenantId }: Context, input: NewTeam): Promise<TeamRecord> {
  const { member_ids: memberIds, ...fields } = input;
  const teamId = randomUUID();
  const { team } = await withDomainErrors(
    write((sql) => ({
      insert: insertTeam(sql, tenantId, teamId, newTeamColumns, fields),
      members: insertMembers(sql, tenantId, teamId, [...new Set(memberIds ?? [])]),
      team: selectTeam(sql, tenantId, teamId),
    })),
  );
  return oneRow(team).record;
}

const teamChangeColumns = columnsOf(teamChange);

/** Updates the members in the request. Throws `not_found`, and `unprocessable`, for example if the parent would create a cycle. */
export async function updateTeam(
  { write, tenantId }: Context,
  teamId: string,
  change: TeamChange,
): Promise<TeamRecord> {
  const rows = await withDomainErrors(
    write((sql) => updateRow(sql, tenantId, teamId, teamChangeColumns, change)),
  );
  return oneRow(rows).record;
}

/** Moves a user into the team and returns the user. Throws `not_found` for the team, `unprocessable` for the user. */
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

/** Removes a user from the team. Throws `not_found` if the team does not exist or the user is not a member. */
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
