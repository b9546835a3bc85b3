// How records are shown, apart from what the variants name differently. Stored form is what `app.*_record` gives.
import type { Row } from './naming.ts';

/** A stored time as UTC with microseconds, so that two changes of a record never look the same. */
export function time(stored: unknown): string | null {
  if (typeof stored !== 'string') return null;
  const [, seconds = '', fraction = '', offset = ''] =
    /^(\d{4,}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}(?::\d{2})?)$/.exec(stored) ?? [];
  if (!seconds) return stored;
  const utc = /^(Z|\+00(:00)?)$/.test(offset)
    ? seconds
    : new Date(`${seconds}${offset.length === 3 ? `${offset}:00` : offset}`).toISOString().slice(0, 19);
  return `${utc}.${fraction.padEnd(6, '0')}Z`;
}

const times = (record: Row) => ({ created_at: time(record.created_at), updated_at: time(record.updated_at) });

/** Members in the order in which they are shown; absent ones are null. */
const pick = (record: Row, ...names: string[]): Row =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]));

export const lead = (record: Row): Row => ({
  ...pick(record, 'id', 'name', 'email', 'phone', 'company', 'position', 'source', 'status'),
  ...pick(record, 'owner_id', 'team_id', 'custom_fields', 'tags'),
  ...times(record),
});

export const deal = (record: Row): Row => ({
  ...pick(record, 'id', 'name', 'value', 'stage', 'status', 'contact_name', 'contact_email', 'company'),
  ...pick(record, 'owner_id', 'expected_close_date', 'priority', 'lead_id', 'custom_fields', 'tags'),
  ...pick(record, 'loss_reason'),
  ...times(record),
  ...(Object.hasOwn(record, 'previous_stage') && pick(record, 'previous_stage')),
});

export const stage = (record: Row): Row => pick(record, 'id', 'name', 'position', 'probability');

export const user = (record: Row): Row => ({
  ...pick(record, 'id', 'name', 'email', 'phone', 'avatar_url', 'role', 'team', 'status'),
  ...pick(record, 'ranking_tier', 'total_points'),
  ...times(record),
  last_active_at: time(record.last_active_at),
});

export const team = (record: Row): Row => ({
  ...pick(record, 'id', 'name', 'leader_id', 'member_count', 'parent_team_id'),
  ...times(record),
});

export const activity = (record: Row): Row => ({
  ...pick(record, 'id', 'type', 'title', 'description'),
  date: time(record.date),
  due_date: time(record.due_date),
  ...pick(record, 'duration_minutes', 'deal_id', 'owner_id'),
  created_at: time(record.created_at),
});

export const invitation = (record: Row): Row => ({
  ...pick(record, 'id', 'user_id', 'email', 'role', 'team_id', 'status'),
  invited_at: time(record.invited_at),
  expires_at: time(record.expires_at),
});

export const webhook = (record: Row): Row => ({
  ...pick(record, 'id', 'url', 'events', 'description', 'active'),
  ...times(record),
});

/** Gives members other names, in their places. */
export function rename(record: Row, names: Readonly<Record<string, string>>): Row {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [names[name] ?? name, value]));
}
