// Zod schemas of fields shared by invoices and payouts. `null` means absent.
import { z } from 'zod';
import { type ErrorDetail, issueDetails } from '../../platform/errors.ts';
import { plainObject, required, text } from '../../platform/validation.ts';
import { invalidFields } from './errors.ts';

const MAX_AMOUNT_MINOR = 99_999_999_999;

/** An optional member. `null` means absent. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => (value === null ? undefined : value));

export const amount = z
  .number({
    error: required('must be an integer in minor units'),
  })
  .refine((value) => Number.isInteger(value), { error: 'must be an integer in minor units', abort: true })
  .refine((value) => value >= 1, { error: 'must be positive', abort: true })
  .refine((value) => value <= MAX_AMOUNT_MINOR, { error: `must be at most ${MAX_AMOUNT_MINOR}` })
  .meta({
    type: 'integer',
    minimum: 1,
    maximum: MAX_AMOUNT_MINOR,
    description: 'In minor units: 12345 is 123.45.',
  });

const MAX_METADATA_KEYS = 50;
const MAX_METADATA_NAME_LENGTH = 40;
const metadataName = text({ maxLength: MAX_METADATA_NAME_LENGTH, opaque: true });
const metadataValue = text({ maxLength: 500, opaque: true });

export const metadata = plainObject<Record<string, string>>()
  .superRefine((value, ctx) => {
    if (Object.keys(value).length > MAX_METADATA_KEYS) {
      ctx.addIssue({ code: 'custom', message: `must have at most ${MAX_METADATA_KEYS} keys` });
      return;
    }
    for (const [name, member] of Object.entries(value)) {
      const badName = metadataName.safeParse(name).error?.issues[0]?.message;
      const badValue = metadataValue.safeParse(member).error?.issues[0]?.message;
      // The error does not quote an invalid name: it may be too long or contain characters that cannot be stored.
      if (badName) ctx.addIssue({ code: 'custom', message: `has an invalid name: each name ${badName}` });
      else if (badValue) ctx.addIssue({ code: 'custom', path: [name], message: badValue });
    }
  })
  .meta({
    type: 'object',
    propertyNames: { maxLength: MAX_METADATA_NAME_LENGTH },
    additionalProperties: { type: 'string', maxLength: 500 },
    maxProperties: MAX_METADATA_KEYS,
  });

/** Bookkeeping fields of the caller. */
export const controlFields = {
  cost_center: optional(text({ maxLength: 64, filled: true, opaque: true })).describe(
    "A registered cost center. Default: the tenant's default cost center.",
  ),
  contractor_reference: optional(text({ maxLength: 64, opaque: true })).describe(
    "The caller's own reference.",
  ),
  metadata: optional(metadata).describe(
    'At most 50 keys. Keys have at most 40 characters, values at most 500.',
  ),
};

/** The service assigns `our_number`, so bodies that contain it are rejected. */
function ourNumberError(body: unknown): ErrorDetail[] {
  const sent =
    typeof body === 'object' && body !== null && 'our_number' in body ? body.our_number : undefined;
  if (sent === undefined || sent === null) return [];
  return [{ field: 'our_number', message: 'is assigned by the service and must not be sent' }];
}

/** Object schema with our error messages for absent values and values of another type. */
export const objectOf = <S extends z.ZodRawShape>(shape: S) =>
  z.object(shape, { error: required('must be an object') });

/** A request without its invalid members. Optional at any depth. */
export type ValidPart<T> = T extends object
  ? { [Name in keyof T]?: ValidPart<Exclude<T[Name], null>> | undefined }
  : T;

/** A cross-field error. `needs` lists the fields that must be valid or absent for it to be reported. */
export interface CrossFieldError extends ErrorDetail {
  needs?: readonly string[];
}

export interface ParsedBody<T> {
  /** Undefined if the body has errors. */
  data: T | undefined;
  /** The members that are valid and not null. */
  valid: ValidPart<T>;
  /**
   * All errors of the body: schema errors, cross-field errors, those that are found elsewhere, and the `our_number` check. Only the
   * first error of a field is reported.
   */
  errors(found?: readonly CrossFieldError[]): ErrorDetail[];
}

/** Whether a body has a value other than null at this dotted path, valid or not. */
export type HasMember = (path: string) => boolean;

/** `rules` finds the cross-field errors of the valid members. */
export function parseBody<S extends z.ZodType>(
  schema: S,
  body: unknown,
  rules: (valid: ValidPart<z.output<S>>, has: HasMember) => readonly CrossFieldError[] = () => [],
): ParsedBody<z.output<S>> {
  const { data, error } = schema.safeParse(body);
  const details = error ? issueDetails(error, 'body') : [];
  const invalid = new Set(error?.issues.map(({ path }) => path.join('.')));
  // What is left satisfies the schema, except for absent members.
  const valid = (withoutInvalid(body, '', invalid) ?? {}) as ValidPart<z.output<S>>;
  const related = rules(valid, (path) => (path.split('.').reduce(memberOf, body) ?? null) !== null);
  const errors: ParsedBody<unknown>['errors'] = (found = []) => [
    ...details,
    ...unreported([...related, ...found], details),
    ...ourNumberError(body),
  ];
  return { data: errors().length === 0 ? data : undefined, valid, errors };
}

/** The members of a body, if any, that has no cross-field rules. Throws `validation` with every invalid field. */
export function parseOrThrow<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const { data, errors } = parseBody(schema, body ?? {});
  if (data === undefined) throw invalidFields(errors());
  return data;
}

/** In JSON: characters that the database cannot store. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/i;
const isStorable = (value: unknown) => !UNSTORABLE.test(JSON.stringify(value));

/** Members that the schema does not know stay, unless they cannot be stored. */
function withoutInvalid(value: unknown, at: string, invalid: ReadonlySet<string>): unknown {
  if (value === null || invalid.has(at)) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return isStorable(value) ? value : undefined;
  const pathOf = (name: string) => (at === '' ? name : `${at}.${name}`);
  const names = Object.keys(value).filter((name) => !invalid.has(pathOf(name)) && isStorable(name));
  return Object.fromEntries(
    names.map((name) => [name, withoutInvalid(memberOf(value, name), pathOf(name), invalid)]),
  );
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/** The cross-field errors whose fields have no other error. */
function unreported(related: readonly CrossFieldError[], details: readonly ErrorDetail[]): ErrorDetail[] {
  const isInvalid = (field: string) =>
    details.some((one) => one.field === field || one.field === 'body' || field.startsWith(`${one.field}.`));
  const first = new Map<string, ErrorDetail>();
  for (const { field, message, needs = [] } of related) {
    if (!first.has(field) && ![field, ...needs].some(isInvalid)) first.set(field, { field, message });
  }
  return [...first.values()];
}

/** Members of responses. */
export const millisecondTime = z.iso.datetime().describe('UTC, with milliseconds.');
export const minor = (description: string) => z.int().describe(`Minor units. ${description}`);
export const failureReasonResponse = z
  .string()
  .nullable()
  .describe('Why it failed. Null if it has not failed.');
export const metadataResponse = z.record(z.string(), z.string());
export const controlResponse = {
  cost_center: z.string().nullable(),
  contractor_reference: z.string().nullable(),
  our_number: z.string(),
};

export const cancelRequestSchema = objectOf({
  reason: optional(text({ maxLength: 500 })).describe('Free text.'),
}).meta({ id: 'CancelRequest' });

/** Parses the cancellation reason of a body, if any. Throws `validation`. */
export function parseReason(body: unknown): string | undefined {
  return parseOrThrow(cancelRequestSchema, body).reason;
}
