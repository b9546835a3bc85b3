// Fields that invoices and payouts share, as zod schemas. `null` is as absent.
import { z } from 'zod';
import type { ErrorDetail } from '../../platform/errors.ts';
import { text } from '../../platform/validation.ts';
import { issueDetails } from '../../platform/zod-issues.ts';
import { invalidFields } from './errors.ts';

export const MAX_AMOUNT_MINOR = 99_999_999_999;

/** An optional member for which `null` stands for absence. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => (value === null ? undefined : value));

export const amount = z
  .number({
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be an integer of minor units'),
  })
  .refine((value) => Number.isInteger(value), { error: 'must be an integer of minor units', abort: true })
  .refine((value) => value >= 1, { error: 'must be positive', abort: true })
  .refine((value) => value <= MAX_AMOUNT_MINOR, { error: `must be at most ${MAX_AMOUNT_MINOR}` })
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: MAX_AMOUNT_MINOR,
    description: 'Minor units: 12345 is 123.45.',
  });

const MAX_METADATA_KEYS = 50;
const MAX_METADATA_NAME_LENGTH = 40;
const metadataName = text({ maxLength: MAX_METADATA_NAME_LENGTH });
const metadataValue = text({ maxLength: 500 });

function hasMoreKeysThan(value: object, most: number): boolean {
  let count = 0;
  for (const _ in value) if (++count > most) return true;
  return false;
}

export const metadata = z
  .custom<Record<string, string>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      error: 'must be an object',
      abort: true,
    },
  )
  .superRefine((value, ctx) => {
    if (hasMoreKeysThan(value, MAX_METADATA_KEYS)) {
      ctx.addIssue({ code: 'custom', message: `must have at most ${MAX_METADATA_KEYS} keys` });
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const badName = metadataName.safeParse(name).error?.issues[0]?.message;
      const badValue = metadataValue.safeParse(member).error?.issues[0]?.message;
      // A name that cannot be kept cannot be repeated in a stored answer either, nor can one of any length.
      if (badName) ctx.addIssue({ code: 'custom', message: `has a name that ${badName}` });
      else if (badValue) ctx.addIssue({ code: 'custom', path: [name], message: badValue });
    }
  })
  .meta({
    type: 'object',
    propertyNames: { maxLength: MAX_METADATA_NAME_LENGTH },
    additionalProperties: { type: 'string', maxLength: 500 },
    maxProperties: MAX_METADATA_KEYS,
  });

/** Members that an integrator keeps books with. */
export const controlFields = {
  cost_center: optional(text({ maxLength: 64, filled: true })).describe(
    "Must be registered; the tenant's default when absent.",
  ),
  contractor_reference: optional(text({ maxLength: 64 })).describe("The caller's own reference."),
  metadata: optional(metadata).describe('At most 50 keys of at most 40 characters, values of at most 500.'),
};

/** `our_number` is ours to give: a body that has one is refused. */
export function ourNumberFault(body: unknown): ErrorDetail[] {
  const sent =
    typeof body === 'object' && body !== null && 'our_number' in body ? body.our_number : undefined;
  if (sent === undefined || sent === null) return [];
  return [{ field: 'our_number', message: 'is given by the service and must not be sent' }];
}

/** One of these texts. */
export function oneOf<const V extends readonly [string, ...string[]]>(values: V) {
  return z.enum(values, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${values.join(', ')}`),
  });
}

/** An object; what is no object is named so. */
export const objectOf = <S extends z.ZodRawShape>(shape: S) =>
  z.object(shape, { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object') });

/**
 * A member as far as it can be compared with others: what breaks a rule of its own is as absent, and is told of by that rule.
 */
export const validOrAbsent = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/**
 * All faults of a body together: those that its schema found, those between its fields, and ours. Of each field the first
 * one counts; a fault between fields is left out where one that it `needs` is at fault itself.
 */
export function faultsOfBody(
  body: unknown,
  error: z.ZodError | undefined,
  related: readonly FaultBetweenFields[],
): ErrorDetail[] {
  const details = error ? issueDetails(error, 'body') : [];
  const faulty = (field: string) =>
    details.some((one) => one.field === field || one.field === 'body' || field.startsWith(`${one.field}.`));
  const between = related.filter(
    ({ field, needs = [] }) => !faulty(field) && !needs.some((other) => faulty(other)),
  );
  return [...details, ...between.map(({ field, message }) => ({ field, message })), ...ourNumberFault(body)];
}

/** A fault that only shows beside other fields; `needs` names those that it takes for sound although they may be absent. */
export interface FaultBetweenFields extends ErrorDetail {
  needs?: readonly string[];
}

/** Members of answers. */
export const millisecondTime = z.iso.datetime().describe('UTC, with milliseconds.');
export const minor = (description: string) => z.int().describe(`Minor units. ${description}`);
export const failureReasonResponse = z.string().nullable().describe('Why it failed, if it has.');
export const metadataResponse = z.record(z.string(), z.string());
export const controlResponse = {
  cost_center: z.string().nullable(),
  contractor_reference: z.string().nullable(),
  our_number: z.string(),
};

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
