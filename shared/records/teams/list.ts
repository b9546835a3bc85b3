// The list of teams.
import { type List, updatedFilters } from '../list.ts';
import type { TeamRecord } from './queries.ts';

export const teamList: List<TeamRecord> = {
  table: 'teams',
  filters: updatedFilters,
  sorts: ['created_at', 'updated_at', 'name'],
  record: (sql) => sql`app.team_record(r)`,
};
