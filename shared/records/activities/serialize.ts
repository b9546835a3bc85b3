// Serializes activities for responses.
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import type { ActivityRecord } from './queries.ts';
import type { ActivityResponse } from './schema.ts';

export const serializeActivity = (activity: ActivityRecord): ActivityResponse => ({
  id: activity.id,
  type: activity.type,
  title: activity.title,
  description: activity.description,
  date: utcTimeOrNull(activity.date),
  due_date: utcTimeOrNull(activity.due_date),
  duration_minutes: activity.duration_minutes,
  deal_id: activity.deal_id,
  owner_id: activity.owner_id,
  created_at: utcTime(activity.created_at),
});

/** Types of activities that users log. */
export const activityTypes = ['note', 'call', 'email', 'meeting', 'task'] as const;
export type ActivityType = (typeof activityTypes)[number];
