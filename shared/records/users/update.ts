import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type UserRecord, updateUser as updateRow } from './queries.ts';
import { type UserChange, userChange } from './schema.ts';

const columns = columnsOf(userChange);

/** Changes what is given. Throws `not_found`, `unprocessable` for a team that is not there. */
export async function updateUser(
  { write, tenantId }: Context,
  userId: string,
  change: UserChange,
): Promise<UserRecord> {
  const [rows] = await withDomainErrors(write((sql) => [updateRow(sql, tenantId, userId, columns, change)]));
  return oneRow(rows).record;
}
