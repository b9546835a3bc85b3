// Schemas of players and manual corrections in the admin API.
import { z } from 'zod';
import { email, text } from '../../platform/validation.ts';
import { asciiEmail } from '../../platform/written-forms.ts';
import { flag, flagFilter, id, nullable, points, reason, time } from '../fields.ts';
import { activityCode } from '../gamification/schema.ts';

export const player = z
  .object({
    user_id: id.nullable(),
    collaborator_id: id.nullable(),
    name: z.string(),
    email: z.string(),
    points: z.int(),
    position: z.int().nullable().describe('null for players who are hidden from standings.'),
    opted_out: z.boolean(),
  })
  .meta({ id: 'Player' });
export const optOut = z.object({ email, opted_out: flag }).meta({ id: 'OptOut' });

export const pointsAdjustment = z
  .object({
    email: email.describe('Of the player, a user or a collaborator.'),
    points: points
      .refine((value) => value !== 0, { error: 'must not be 0' })
      .describe('Points to add; negative to deduct.'),
    reason: reason.describe('Shown as `note` of the point entry.'),
  })
  .meta({ id: 'PointsAdjustment' });
export const adjustedPoints = z
  .object({
    entry_id: z.int(),
    email: z.string(),
    points: z.int(),
    reason: z.string(),
    total_points: z.int(),
  })
  .meta({ id: 'AdjustedPoints' });

export const activityFilters = z.object({
  external_id: text({ maxLength: 255, opaque: true }).optional().describe('`external_id` of the activity.'),
  email: text({ maxLength: 254 })
    .transform(asciiEmail)
    .optional()
    .describe('Email address that the activity was sent with.'),
  code: activityCode.optional().describe('Code of the activity.'),
  voided: flagFilter.describe('true: only voided activities. false: only others.'),
});
export const sentActivity = z
  .object({
    external_id: z.string(),
    email: z.string(),
    code: z.string(),
    created_at: time,
    voided_at: time.nullable(),
    void_reason: nullable,
  })
  .meta({ id: 'SentActivity' });
export const voidRequest = z
  .object({ external_id: text({ maxLength: 255, filled: true, opaque: true }), reason })
  .meta({ id: 'VoidRequest' });
