// Body of the calls that cancel something, which may be left out.
import { text } from '../../platform/validation.ts';
import { issueDetails } from '../../platform/zod-issues.ts';
import { invalidFields } from './errors.ts';
import { objectOf, optional, ourNumberFault } from './fields.ts';

export const cancelRequestSchema = objectOf({
  reason: optional(text({ maxLength: 500 })).describe('Free text.'),
}).meta({ id: 'CancelRequest' });

/** The reason in a body, if any. Throws `validation`. */
export function parseReason(body: unknown): string | undefined {
  const result = cancelRequestSchema.safeParse(body ?? {});
  const details = [...(result.success ? [] : issueDetails(result.error, 'body')), ...ourNumberFault(body)];
  if (!result.success || details.length > 0) throw invalidFields(details);
  return result.data.reason;
}
