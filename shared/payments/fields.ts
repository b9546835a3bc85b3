// Fields that invoices and payouts share, as zod schemas. `null` is as absent.
import { z } from 'zod';
import { ApiError, type ErrorDetail } from '../platform/errors.ts';
import { text } from '../platform/validation.ts';

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

export const metadata = z
  .custom<Record<string, string>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    {
      error: 'must be an object',
      abort: true,
    },
  )
  .superRefine((value, ctx) => {
    const entries = Object.entries(value);
    if (entries.length > MAX_METADATA_KEYS) {
      ctx.addIssue({ code: 'custom', message: `must have at most ${MAX_METADATA_KEYS} keys` });
      return;
    }
    for (const [name, member] of entries) {
      const badName = text().safeParse(name).error?.issues[0]?.message;
      const badValue = text({ maxLength: 500 }).safeParse(member).error?.issues[0]?.message;
      // A name that cannot be kept cannot be repeated in a stored answer either.
      if (badName) ctx.addIssue({ code: 'custom', message: `has a name that ${badName}` });
      else if (badValue) ctx.addIssue({ code: 'custom', path: [name], message: badValue });
    }
  })
  .meta({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 500 },
    maxProperties: MAX_METADATA_KEYS,
  });

/** Members that an integrator keeps books with. */
export const controlFields = {
  cost_center: optional(text({ maxLength: 64, filled: true })).describe(
    "Must be registered; the tenant's default when absent.",
  ),
  contractor_reference: optional(text({ maxLength: 64 })).describe("The caller's own reference."),
  metadata: optional(metadata).describe('At most 50 keys, values of at most 500 characters.'),
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

/** The 422 of a body with these faults. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const fields = details.map(({ field }) => field).join(', ');
  const message = `Fix these fields and send the request with a fresh Idempotency-Key: ${fields}.`;
  return new ApiError('validation', message, { details });
}

/** Members of answers. */
export const millisecondTime = z.iso.datetime().describe('UTC, with milliseconds.');
export const minor = (description: string) => z.int().describe(`Minor units. ${description}`);
export const metadataResponse = z.record(z.string(), z.string());
export const controlResponse = {
  cost_center: z.string().nullable(),
  contractor_reference: z.string().nullable(),
  our_number: z.string(),
};
