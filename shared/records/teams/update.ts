import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type TeamRecord, updateTeam as updateRow } from './queries.ts';
import { type TeamChange, teamChange } from './schema.ts';

const columns = columnsOf(teamChange);

/** Changes what is given. Throws `not_found`, `unprocessable` also for a parent that would make a circle. */
export async function updateTeam(
  { write, tenantId }: Context,
  teamId: string,
  change: TeamChange,
): Promise<TeamRecord> {
  const rows = await withDomainErrors(write((sql) => updateRow(sql, tenantId, teamId, columns, change)));
  return oneRow(rows).record;
}
