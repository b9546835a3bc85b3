// Reads invitations.
import { type Filter, word } from '../../platform/lists/filters.ts';
import { instantOrDay, type List } from '../list.ts';
import type { InvitationRecord } from './queries.ts';

/** Filters by the status in responses: `expired` is computed, not stored. */
const status: Filter = (value, name, words) => {
  const read = word(value, name, words);
  return 'rule' in read ? read : { op: 'invitation_status', value };
};

export const invitationList: List<InvitationRecord> = {
  table: 'invitations',
  filters: {
    created_after: instantOrDay('invited_at', 'after'),
    created_before: instantOrDay('invited_at', 'before'),
    status,
  },
  sorts: ['invited_at'],
  record: (sql) => sql`app.invitation_record(r)`,
};
