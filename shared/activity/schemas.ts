// What activity sync takes: collaborators and activities, item by item.
import { z } from 'zod';
import { email, instant, jsonObject, text } from '../platform/validation.ts';

export const MAX_COLLABORATORS = 500;
export const MAX_ACTIVITIES = 1000;
/** Largest `data` of an activity and `metadata` of a collaborator, in bytes of compact JSON. */
export const MAX_OBJECT_BYTES = 16 * 1024;

const notObject = { error: 'must be an object' };

export const collaboratorSchema = z
  .object(
    {
      external_id: text({ maxLength: 255, filled: true }).describe("Id in the caller's system."),
      name: text({ maxLength: 255, filled: true }).describe('Full name.'),
      email: email.describe('Matches collaborators and activities; compared without case.'),
      phone: text().nullish().describe('Any format.'),
      document: text({ maxLength: 20 })
        .nullish()
        .describe('Identity document, for example a national tax id.'),
      team: text({ maxLength: 100 }).nullish().describe('Team name.'),
      role: text({ maxLength: 50 }).nullish().describe("Role in the caller's organisation."),
      metadata: jsonObject(MAX_OBJECT_BYTES)
        .nullish()
        .describe('Free key-value data, at most 16 KiB. Replaced whole.'),
    },
    notObject,
  )
  .meta({ id: 'Collaborator' });

export const activitySchema = z
  .object(
    {
      activity_code: text()
        .regex(/^(?:00[1-9]|0[1-9][0-9]|[1-9][0-9]{2})$/, {
          error: 'must be exactly 3 digits, 001 through 999',
        })
        .describe('001 through 999. Admins decide which mission a code counts for.'),
      external_id: text({ maxLength: 255, filled: true }).describe('Deduplication key, unique per tenant.'),
      collaborator_email: email.describe('E-mail of the collaborator who did the activity.'),
      data: jsonObject(MAX_OBJECT_BYTES)
        .nullish()
        .meta({ type: ['object', 'null'], description: 'Free-form context, at most 16 KiB.' }),
      occurred_at: instant.nullish().meta({
        type: ['string', 'null'],
        description: 'When it was done; the time of receipt when absent.',
      }),
    },
    notObject,
  )
  .meta({ id: 'Activity' });

export type Collaborator = z.output<typeof collaboratorSchema>;
export type Activity = z.output<typeof activitySchema>;
