// Converts zod errors to error details. In its own file, so that modules that only read do not load the schemas.
import type { z } from 'zod';
import type { ErrorDetail } from './errors.ts';

/** Returns the first fault of each field, with a dotted path, in the order of the schema. `root` is the field name for an empty path. */
export function issueDetails(error: z.ZodError, root: string): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const issue of error.issues) {
    const field = issue.path.length > 0 ? issue.path.join('.') : root;
    if (!details.has(field)) details.set(field, { field, message: issue.message });
  }
  return [...details.values()];
}
