// Reads deals.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { day, uuid, word } from '../../platform/lists/filters.ts';
import type { ActivityRecord } from '../activities/queries.ts';
import { activityList } from '../activities/reads.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { externalIdFilter, keyIn, type RecordKey } from '../external-ids.ts';
import {
  type List,
  type ListQuery,
  type ListResult,
  number,
  stage as ofStage,
  ownerTeam,
  readList,
  search,
  updatedFilters,
} from '../list.ts';
import { checkDealExists, type DealRecord, selectDeal } from './queries.ts';

/** Throws `not_found`. */
export async function getDeal(context: Context, deal: RecordKey): Promise<DealRecord> {
  const rows = await withDomainErrors(
    context.read((sql) => selectDeal(sql, context.tenantId, keyIn(sql, context, 'deals', deal))),
  );
  return oneRow(rows).record;
}

export const dealList: List<DealRecord> = {
  table: 'deals',
  filters: {
    ...updatedFilters,
    external_id: externalIdFilter('deals'),
    stage_id: uuid,
    stage: ofStage,
    owner_id: uuid,
    team_id: ownerTeam,
    status: word,
    min_value: number('value', 'gte'),
    max_value: number('value', 'lte'),
    close_date_after: day('expected_close_date', 'gt'),
    close_date_before: day('expected_close_date', 'lt'),
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'value', 'expected_close_date'],
  record: (sql) => sql`app.deal_record(r)`,
};

/** A page of a deal's activities. Throws `not_found`. */
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
