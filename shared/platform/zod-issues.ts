// What zod found wrong, as callers are told. Apart from the schemas: what only reads needs none of them.
import type { z } from 'zod';
import type { ErrorDetail } from './errors.ts';

/** The first fault of each field, as `{field, message}` with a dotted path, in the order of the schema. */
export function issueDetails(error: z.ZodError, root: string): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const issue of error.issues) {
    const field = issue.path.length > 0 ? issue.path.join('.') : root;
    if (!details.has(field)) details.set(field, { field, message: issue.message });
  }
  return [...details.values()];
}
