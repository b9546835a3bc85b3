import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { givenBy, writeNamed } from '../external-ids.ts';
import { type UserRecord, updateUser as updateRow } from './queries.ts';
import { type UserChange, userChange } from './schema.ts';

export const columns = columnsOf(userChange, 'external_id');

/** Changes what is given. Throws `not_found`, `conflict` for an external id that is taken, `unprocessable` for a team that is not there. */
export async function updateUser(
  context: Context,
  userId: string,
  { external_id: externalId, ...change }: UserChange,
): Promise<UserRecord> {
  const given = givenBy(context, externalId);
  const rows = await withDomainErrors(
    writeNamed(context, 'users', given, (sql) =>
      updateRow(sql, context.tenantId, userId, columns, change, given),
    ),
  );
  return oneRow(rows).record;
}
