// The list of users.
import { uuid, word } from '../../platform/lists/filters.ts';
import { externalIdFilter } from '../external-ids.ts';
import { type List, search, updatedFilters } from '../list.ts';
import type { UserRecord } from './queries.ts';

export const userList: List<UserRecord> = {
  table: 'users',
  filters: {
    ...updatedFilters,
    external_id: externalIdFilter('users'),
    role: word,
    team_id: uuid,
    status: word,
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'total_points'],
  record: (sql) => sql`app.user_record(r)`,
};
