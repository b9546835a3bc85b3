import { text } from '../platform/validation.ts';
import { issueDetails } from '../platform/zod-issues.ts';
import { invalidFields, objectOf, optional, ourNumberFault } from './fields.ts';

/** Body of the cancel calls; it may be left out. */
export const reasonSchema = objectOf({
  reason: optional(text({ maxLength: 500 })).describe('Free text.'),
}).meta({ id: 'CancelRequest' });

/** The reason in a body, if any. Throws `validation`. */
export function parseReason(body: unknown): string | undefined {
  const result = reasonSchema.safeParse(body ?? {});
  const details = [...(result.success ? [] : issueDetails(result.error, 'body')), ...ourNumberFault(body)];
  if (!result.success || details.length > 0) throw invalidFields(details);
  return result.data.reason;
}
