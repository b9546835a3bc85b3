import { detailsOf, text } from '../validation.ts';
import { objectOf, optional } from './fields.ts';
import { invalid } from './invoices/schema.ts';

/** Body of the cancel calls; it may be left out. */
export const reasonSchema = objectOf({
  reason: optional(text({ maxLength: 500 })).describe('Free text.'),
}).meta({ id: 'CancelRequest' });

/** The reason in a body, if any. Throws `validation`. */
export function parseReason(body: unknown): string | undefined {
  const result = reasonSchema.safeParse(body ?? {});
  if (!result.success) throw invalid(detailsOf(result.error, 'body'));
  return result.data.reason;
}
