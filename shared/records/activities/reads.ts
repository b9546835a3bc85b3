// The list of activities.
import { uuid, word } from '../../platform/lists/filters.ts';
import { createdFilters, type List } from '../list.ts';
import type { ActivityRecord } from './queries.ts';

export const activityList: List<ActivityRecord> = {
  table: 'deal_activities',
  filters: { ...createdFilters, type: word, owner_id: uuid, deal_id: uuid },
  sorts: ['created_at'],
  record: (sql) => sql`to_json(r)`,
};
