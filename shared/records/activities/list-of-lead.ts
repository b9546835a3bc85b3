import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { checkLeadExists } from '../leads/queries.ts';
import { type ListQuery, type ListResult, readList } from '../list.ts';
import { activityList } from './list.ts';
import type { ActivityRecord } from './queries.ts';

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
