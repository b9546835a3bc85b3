import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { keyIn, type RecordKey } from '../external-ids.ts';
import { selectUser, type UserRecord } from './queries.ts';

/** Throws `not_found`. */
export async function getUser(context: Context, user: RecordKey): Promise<UserRecord> {
  const rows = await withDomainErrors(
    context.read((sql) => selectUser(sql, context.tenantId, keyIn(sql, context, 'users', user))),
  );
  return oneRow(rows).record;
}
