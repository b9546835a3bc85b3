// Schemas of members that several resources of the admin API share.
import { z } from 'zod';
import { DAY_OR_INSTANT_RULE, isDay, parseInstant } from '../platform/instants.ts';
import { required, text } from '../platform/validation.ts';
import { asciiEmail } from '../platform/written-forms.ts';

export { oneOf } from '../platform/validation.ts';

import { MAX_VALUE } from '../records/fields.ts';

const MAX_POINTS = 1_000_000;
const MAX_REASON_LENGTH = 1000;
const MAX_NAME_LENGTH = 255;
/** Control characters, and those that change the direction of the text around them. */
const CONTROL = /(?!\0)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
/** Only spaces and characters without a shape. */
const INVISIBLE = /^[\p{Z}\p{Cf}\p{DI}\u2800]*$/u;

/** The name of a record, trimmed and in Unicode normalization form C. */
export const name = text({ maxLength: MAX_NAME_LENGTH, filled: true })
  .refine((value) => !CONTROL.test(value), { error: 'must not contain control characters' })
  .refine((value) => !INVISIBLE.test(value.trim()), { error: 'must have a visible character' })
  // Some characters become several in this form.
  .refine((value) => [...normalized(value)].length <= Math.max([...value].length, MAX_NAME_LENGTH), {
    error: `must have at most ${MAX_NAME_LENGTH} characters`,
  })
  .transform(normalized);

/** Runs of white space are one space, since they look like one. */
function normalized(value: string): string {
  return value.trim().replace(/\s+/gu, ' ').normalize('NFC');
}

/** An integer. */
export const integer = (min: number, max: number) =>
  z
    .number({ error: required('must be an integer') })
    .int({ error: 'must be an integer' })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });

/** Points, which may be negative. */
export const points = integer(-MAX_POINTS, MAX_POINTS);
export const positivePoints = integer(0, MAX_POINTS);

/** A value to reach, with at most two decimals. */
export const goal = z
  .number({ error: required('must be a number') })
  .positive({ error: 'must be greater than 0' })
  .max(MAX_VALUE, { error: `must be at most ${MAX_VALUE}` })
  .refine((value) => Math.abs(Math.round(value * 100) - value * 100) < 1e-6 * Math.max(1, value), {
    error: 'must have at most two decimals',
  });

/** Keeps a day, and converts a timestamp to UTC. */
export const dayOrInstant =
  (parse: (value: string) => string | undefined) => (value: string, ctx: z.RefinementCtx) => {
    const parsed = isDay(value) ? value : parse(value);
    if (parsed !== undefined) return parsed;
    ctx.addIssue({ code: 'custom', message: DAY_OR_INSTANT_RULE });
    return z.NEVER;
  };

/** A day, which means its midnight in the tenant's time zone, or a timestamp with an offset. */
export const moment = z
  .string({ error: required(DAY_OR_INSTANT_RULE) })
  .transform(dayOrInstant(parseInstant))
  .meta({
    description:
      'A date, which means midnight in the time zone of the workspace, or a timestamp with an offset.',
  });

/** Why an administrator does something, trimmed. */
export const reason = text({ maxLength: MAX_REASON_LENGTH, filled: true })
  .refine((value) => !INVISIBLE.test(value.trim()), { error: 'must have a visible character' })
  .transform((value) => value.trim());

/** An id or a name of another record, trimmed. */
export const reference = text({ maxLength: 255, filled: true }).transform((value) =>
  asciiEmail(value.trim()),
);

export const flag = z.boolean({ error: required('must be true or false') });
/** A filter of a list. */
export const flagFilter = z.enum(['true', 'false'], { error: 'must be true or false' }).optional();

/** Response members. */
export const time = z.iso.datetime().describe('UTC, with microseconds.');
export const id = z.uuid();
export const count = z.int().min(0);
export const nullable = z.string().nullable();
export const namedRecord = z.object({ id, name: z.string() }).nullable();
