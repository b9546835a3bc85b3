// Activities in requests and responses, in canonical names.
import { z } from 'zod';
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import { oneOf } from '../../platform/validation.ts';
import { dayOrInstant, id, longText, nullableText, reference, shortText, time } from '../fields.ts';
import type { ActivityRecord } from './queries.ts';

/** Types of activities that users log. */
export const activityTypes = ['note', 'call', 'email', 'meeting', 'task'] as const;
export type ActivityType = (typeof activityTypes)[number];

const MAX_MINUTES = 100_000;

export const newActivity = z
  .object({
    type: oneOf(activityTypes),
    title: shortText,
    description: longText,
    date: dayOrInstant,
    due_date: dayOrInstant,
    duration_minutes: z
      .int({ error: 'must be an integer' })
      .min(0, { error: 'must not be negative' })
      .max(MAX_MINUTES, { error: `must be at most ${MAX_MINUTES}` })
      .nullable()
      .optional(),
    deal_id: reference,
  })
  .meta({ id: 'NewActivity' });

/** An activity in a response. */
export const activityResponse = z
  .object({
    id,
    type: z.enum(activityTypes),
    title: nullableText,
    description: nullableText,
    date: time.nullable(),
    due_date: time.nullable(),
    duration_minutes: z.int().nullable(),
    deal_id: id.nullable(),
    owner_id: id.nullable(),
    created_at: time,
  })
  .meta({ id: 'Activity' });

export type NewActivity = z.output<typeof newActivity>;
export type ActivityResponse = z.output<typeof activityResponse>;

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
