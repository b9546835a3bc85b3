import type { Context } from '../../platform/context.ts';
import { checkDealExists } from '../deals/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type ListQuery, type ListResult, readList } from '../list.ts';
import { activityList } from './list.ts';
import type { ActivityRecord } from './queries.ts';

/** A page of one deal's activities. Throws `not_found`. */
export async function listDealActivities(
  context: Context,
  dealId: string,
  query: ListQuery,
): Promise<ListResult<ActivityRecord>> {
  const ofDeal = { op: 'eq', column: 'deal_id', value: dealId };
  return await withDomainErrors(
    readList(context, activityList, query, [ofDeal], (sql) => checkDealExists(sql, context.tenantId, dealId)),
  );
}
