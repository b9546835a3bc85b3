// Validates a batch of collaborators item by item. An invalid item is reported; the others are still processed.
import { z } from 'zod';
import { issueDetails } from '../../platform/errors.ts';
import { email, jsonObject, text } from '../../platform/validation.ts';

export const MAX_COLLABORATORS = 500;
/** Maximum size of a collaborator's `metadata`, in bytes of compact JSON. */
const MAX_METADATA_BYTES = 16 * 1024;

export const collaboratorSchema = z
  .object(
    {
      external_id: text({ maxLength: 255, filled: true }).describe("Id in the caller's system."),
      name: text({ maxLength: 255, filled: true }).describe('Full name.'),
      email: email.describe('Identifies the collaborator of an activity. Not case-sensitive.'),
      phone: text({ maxLength: 255 }).nullish().describe('Any format.'),
      document: text({ maxLength: 20 })
        .nullish()
        .describe('Identity document, for example a national tax id.'),
      team: text({ maxLength: 100 }).nullish().describe('Team name.'),
      role: text({ maxLength: 50 }).nullish().describe("Role in the caller's organization."),
      metadata: jsonObject(MAX_METADATA_BYTES)
        .nullish()
        .meta({
          type: ['object', 'null'],
          description: 'Free-form object, at most 16 KiB. An update replaces it completely.',
        }),
    },
    { error: 'must be an object' },
  )
  .meta({ id: 'Collaborator' });

export type Collaborator = z.output<typeof collaboratorSchema>;

export interface CollaboratorBatch {
  valid: Collaborator[];
  /** One message for each invalid item. */
  errors: string[];
}

/** Splits the items into valid collaborators and error messages about the others. */
export function parseCollaborators(items: unknown[]): CollaboratorBatch {
  const batch: CollaboratorBatch = { valid: [], errors: [] };
  for (const item of items) {
    const result = collaboratorSchema.safeParse(item);
    if (result.success) batch.valid.push(result.data);
    else {
      const reasons = issueDetails(result.error, '').map(({ field, message }) =>
        `${field} ${message}`.trim(),
      );
      const who = `Collaborator ${label(item, 'external_id')} (${label(item, 'email')})`;
      batch.errors.push(`${who}: ${reasons.join('; ')}`);
    }
  }
  return batch;
}

/** Maximum length of a caller's value in an error message. */
const MAX_LABEL_LENGTH = 1000;

function label(item: unknown, member: 'external_id' | 'email'): string {
  const members: { external_id?: unknown; email?: unknown } =
    typeof item === 'object' && item !== null ? item : {};
  const value = members[member];
  return typeof value === 'string' && value.trim() !== ''
    ? value.slice(0, MAX_LABEL_LENGTH).toWellFormed()
    : '-';
}
