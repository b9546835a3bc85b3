// Reading activities; loaded with the first request that needs it, so that a function starts quickly.

import type { Context } from '../../platform/context.ts';
import { uuid, word } from '../../platform/lists/filters.ts';
import { checkDealExists } from '../deals/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { checkLeadExists } from '../leads/queries.ts';
import { createdFilters, type List, type ListQuery, type ListResult, readList } from '../list.ts';
import type { ActivityRecord } from './queries.ts';

export const activityList: List<ActivityRecord> = {
  table: 'deal_activities',
  filters: { ...createdFilters, type: word, owner_id: uuid, deal_id: uuid },
  sorts: ['created_at'],
  record: (sql) => sql`to_json(r)`,
};

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

/** A page of a lead's history: its own activities and those of its deals. Throws `not_found`. */
export async function listLeadActivities(
  context: Context,
  leadId: string,
  query: ListQuery,
): Promise<ListResult<ActivityRecord>> {
  const ofLead = { op: 'of_lead', value: leadId };
  return await withDomainErrors(
    readList(context, activityList, query, [ofLead], (sql) => checkLeadExists(sql, context.tenantId, leadId)),
  );
}
