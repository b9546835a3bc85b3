// The list of leads.
import { exactly, uuid, word } from '../../platform/lists/filters.ts';
import { externalIdFilter } from '../external-ids.ts';
import { type List, search, updatedFilters } from '../list.ts';
import type { LeadRecord } from './queries.ts';

export const leadList: List<LeadRecord> = {
  table: 'leads',
  filters: {
    ...updatedFilters,
    external_id: externalIdFilter('leads'),
    status: word,
    source: exactly,
    owner_id: uuid,
    team_id: uuid,
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'status'],
  // Whole, for taking members out costs more than carrying them: what is not shown is left out where it is serialized.
  record: (sql) => sql`to_json(r)`,
};
