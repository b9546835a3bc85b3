// The list of deals.
import { day, uuid, word } from '../../platform/lists/filters.ts';
import { externalIdFilter } from '../external-ids.ts';
import { type List, number, stage as ofStage, ownerTeam, search, updatedFilters } from '../list.ts';
import type { DealRecord } from './queries.ts';

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
