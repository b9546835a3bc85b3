import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../platform/errors.ts';
import { domainError } from '../domain-errors.ts';
import { createActivity } from './create.ts';
import type { ActivityRecord } from './queries.ts';
import type { NewActivity } from './schema.ts';

/** Logs an activity of this deal. Throws `not_found`. */
export async function createDealActivity(
  context: Context,
  dealId: string,
  input: NewActivity,
): Promise<ActivityRecord> {
  try {
    return await createActivity(context, { ...input, deal_id: dealId });
  } catch (error) {
    // The deal is in the path here, so that it is the address that names nothing.
    if (error instanceof ApiError && error.code === 'unprocessable') throw domainError('deal_missing');
    throw error;
  }
}
