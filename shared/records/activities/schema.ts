// Request and response schemas of activities, in canonical names.
import { z } from 'zod';
import { dayOrInstant, id, longText, nullableText, reference, shortText, time } from '../fields.ts';
import { activityTypes } from './serialize.ts';

const MAX_MINUTES = 100_000;

export const newActivity = z
  .object({
    type: z.enum(activityTypes, {
      error: (issue) =>
        issue.input === undefined ? 'is required' : `must be one of ${activityTypes.join(', ')}`,
    }),
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
