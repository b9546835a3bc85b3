import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { insertMembers, insertTeam, selectTeam, type TeamRecord } from './queries.ts';
import { type NewTeam, newTeam } from './schema.ts';

const columns = columnsOf(newTeam, 'member_ids');

/** Throws `unprocessable` for a leader, parent or member who is not there. */
export async function createTeam({ write, tenantId }: Context, input: NewTeam): Promise<TeamRecord> {
  const { member_ids: memberIds, ...fields } = input;
  const teamId = randomUUID();
  const { team } = await withDomainErrors(
    write((sql) => ({
      insert: insertTeam(sql, tenantId, teamId, columns, fields),
      members: insertMembers(sql, tenantId, teamId, [...new Set(memberIds ?? [])]),
      team: selectTeam(sql, tenantId, teamId),
    })),
  );
  return oneRow(team).record;
}
