// Reads leads.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { uuid, word, writtenText } from '../../platform/lists/filters.ts';
import type { ActivityRecord } from '../activities/queries.ts';
import { activityList } from '../activities/reads.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { externalIdFilter, keyIn, type RecordKey } from '../external-ids.ts';
import { type List, type ListQuery, type ListResult, readList, search, updatedFilters } from '../list.ts';
import { checkLeadExists, type LeadRecord, type LeadWithHistory, selectLead } from './queries.ts';

/** The lead with its newest activities, newest first. Throws `not_found`. */
export async function getLead(context: Context, lead: RecordKey): Promise<LeadWithHistory> {
  const rows = await withDomainErrors(
    context.read((sql) => selectLead(sql, context.tenantId, keyIn(sql, context, 'leads', lead))),
  );
  return oneRow(rows).record;
}

export const leadList: List<LeadRecord> = {
  table: 'leads',
  filters: {
    ...updatedFilters,
    external_id: externalIdFilter('leads'),
    status: word,
    source: writtenText,
    owner_id: uuid,
    team_id: uuid,
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'status'],
  // The whole row, because removing members in SQL costs more than transferring them; serialization omits internal members.
  record: (sql) => sql`to_json(r)`,
};

/** A page of the activities of a lead and its deals. Throws `not_found`. */
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
