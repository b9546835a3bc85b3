import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { selectUser, type UserRecord } from './queries.ts';

/** Throws `not_found`. */
export async function getUser({ read, tenantId }: Context, userId: string): Promise<UserRecord> {
  const [rows] = await withDomainErrors(read((sql) => [selectUser(sql, tenantId, userId)]));
  return oneRow(rows).record;
}
