// Logs activities.
import { type Context, clientOf } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { ApiError } from '../../platform/errors.ts';
import type { BatchKind } from '../batch/batch.ts';
import { domainError, withDomainErrors } from '../domain-errors.ts';
import { type ActivityRecord, insertActivity } from './queries.ts';
import { type NewActivity, newActivity } from './schema.ts';

export { newActivity } from './schema.ts';

const newActivityColumns = columnsOf(newActivity);

/** Logs an activity. Without a deal, it is owned by the person, or by the user that the client acts for. Throws `unprocessable`. */
export async function createActivity(
  { write, tenantId, actor }: Context,
  input: NewActivity,
): Promise<ActivityRecord> {
  const clientId = clientOf(actor);
  const rows = await withDomainErrors(
    write((sql) => insertActivity(sql, tenantId, clientId, newActivityColumns, input)),
  );
  return oneRow(rows).record;
}

/** Logs an activity on a deal. Throws `not_found`. */
export async function createDealActivity(
  context: Context,
  dealId: string,
  input: NewActivity,
): Promise<ActivityRecord> {
  try {
    return await createActivity(context, { ...input, deal_id: dealId });
  } catch (error) {
    // The deal is in the path here, so a missing deal is a 404 instead of a field error.
    if (error instanceof ApiError && error.code === 'unprocessable') throw domainError('deal_missing');
    throw error;
  }
}

export const activityBatch: BatchKind = {
  source: 'deal_activities',
  methods: ['create'],
  columns: { created: newActivityColumns, changed: [] },
  create: (read) => read(newActivity),
  change: () => ({}),
};
