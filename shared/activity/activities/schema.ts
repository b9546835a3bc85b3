// Validates a batch of activities. One invalid item rejects the whole batch.
import { z } from 'zod';
import { ApiError, type ErrorDetail, issueDetails } from '../../platform/errors.ts';
import { email, instant, jsonObject, text } from '../../platform/validation.ts';

export const MAX_ACTIVITIES = 1000;
/** Maximum size of an activity's `data`, in bytes of compact JSON. */
const MAX_DATA_BYTES = 16 * 1024;

export const activitySchema = z
  .object(
    {
      activity_code: text()
        .regex(/^(?:00[1-9]|0[1-9][0-9]|[1-9][0-9]{2})$/, {
          error: 'must be exactly 3 digits, 001 through 999',
        })
        .describe('001 through 999. Admins decide which mission each code counts toward.'),
      external_id: text({ maxLength: 255, filled: true }).describe('Deduplication key, unique per tenant.'),
      collaborator_email: email.describe('Email address of the collaborator who did the activity.'),
      data: jsonObject(MAX_DATA_BYTES)
        .nullish()
        .meta({ type: ['object', 'null'], description: 'Free-form object, at most 16 KiB.' }),
      occurred_at: instant.nullish().meta({
        type: ['string', 'null'],
        description: 'When the activity happened. Defaults to the time of receipt.',
      }),
    },
    { error: 'must be an object' },
  )
  .meta({ id: 'Activity' });

export type Activity = z.output<typeof activitySchema>;

/** An item that was not recorded. The caller can send it again. */
export const skippedItemSchema = z
  .object({
    index: z.int().min(0).describe('Zero-based position in the batch.'),
    external_id: z.string(),
    reason: z
      .enum(['collaborator_not_registered'])
      .describe('Why the item was skipped. More reasons may be added.'),
  })
  .meta({ id: 'SkippedItem' });

export type SkippedItem = z.output<typeof skippedItemSchema>;

/** Throws `validation` with every invalid field of every item. */
export function parseActivities(items: unknown[]): Activity[] {
  const details: ErrorDetail[] = [];
  const activities: Activity[] = [];
  items.forEach((item, index) => {
    const result = activitySchema.safeParse(item);
    if (result.success) activities.push(result.data);
    else details.push(...issueDetails(result.error, 'activities').map((detail) => ({ index, ...detail })));
  });
  if (details.length === 0) return activities;
  const invalidCount = new Set(details.map(({ index }) => index)).size;
  const message = `${invalidCount} of ${items.length} activities are invalid. No activities were recorded.`;
  throw new ApiError('validation', message, { details });
}
