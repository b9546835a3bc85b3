import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type ActivityRecord, insertActivity } from './queries.ts';
import { type NewActivity, newActivity } from './schema.ts';

export const columns = columnsOf(newActivity);

/** Logs an activity; without a deal it belongs to the user that the client acts for. Throws `unprocessable`. */
export async function createActivity(
  { write, tenantId, actor }: Context,
  input: NewActivity,
): Promise<ActivityRecord> {
  const clientId = actor.type === 'oauth_client' ? actor.clientId : null;
  const rows = await withDomainErrors(
    write((sql) => insertActivity(sql, tenantId, clientId, columns, input)),
  );
  return oneRow(rows).record;
}
