// Reading bodies in the names of a variant.
import type { z } from 'zod';
import { ApiError } from '../platform/errors.ts';
import { issueDetails } from '../platform/zod-issues.ts';
import { type Members, type NamingRules, nameFor, readBody } from './naming.ts';

/**
 * Reads a body that is written in a variant's names. `required` members, by canonical name, must be there beside those
 * that the schema asks for. Throws `validation` naming every fault, in the same names.
 */
export function parseBody<S extends z.ZodObject>(
  schema: S,
  naming: NamingRules,
  json: Members,
  required: readonly string[] = [],
): z.output<S> {
  const { body, faults } = readBody(naming, json, (member) => Object.hasOwn(schema.shape, member));
  const result = schema.safeParse(body);
  const found = [
    ...faults,
    ...(result.success ? [] : issueDetails(result.error, 'body')).map(({ field, message }) => ({
      field: nameFor(naming, field),
      message,
    })),
  ];
  const missing = required.filter((member) => body[member] === undefined || body[member] === null);
  found.push(...missing.map((member) => ({ field: nameFor(naming, member), message: 'is required' })));
  const details = [...new Map(found.toReversed().map((detail) => [detail.field, detail])).values()].reverse();
  if (!result.success || details.length > 0)
    throw new ApiError('validation', 'Fix these fields.', { details });
  return result.data;
}
