// Zod schemas of fields that all interfaces share. Messages complete the sentence "<field> ...".
import { z } from 'zod';
import { withExactNumbers } from './exact-json.ts';
import { INSTANT_RULE, parseInstant } from './instants.ts';
import { asciiEmail, composed } from './written-forms.ts';

type Issue = { input?: unknown };

/** The message of a member that is absent, or else the rule that it violates. */
export const required = (rule: string) => (issue: Issue) =>
  issue.input === undefined ? 'is required' : rule;

/** A string that is one of `values`. */
export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, { error: required(`must be one of ${values.join(', ')}`) });

/** Any JSON object. By default, it aborts the rules that follow, including those with `evenIfInvalid`. */
export const plainObject = <T extends object>(
  error: string | ((issue: Issue) => string) = 'must be an object',
  { abort = true } = {},
) =>
  z.custom<T>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error,
    abort,
  });

/** Option of a rule between members: it also runs if a member is invalid, so that a response lists all errors. */
export const evenIfInvalid = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};

/** Counts Unicode code points. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Why Postgres or JSON cannot store this text; undefined if they can. */
function textError(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not contain NUL characters';
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return undefined;
}

function tooLong(text: string, maxLength: number): boolean {
  return text.length > maxLength && (text.length > 2 * maxLength || codePoints(text) > maxLength);
}

interface TextRules {
  /** In Unicode code points. */
  maxLength?: number;
  /** Whether empty and blank text is rejected. Set this for required members. */
  filled?: boolean;
  /** Whether every code point counts, as in ids and secrets. Other text is composed. */
  opaque?: boolean;
}

/** A string without NUL characters or lone surrogates. */
export function text({ maxLength, filled = false, opaque = false }: TextRules = {}) {
  return z
    .string({ error: required('must be a string') })
    .overwrite((value) => (opaque ? value : composed(value)))
    .superRefine((value, ctx) => {
      const message =
        textError(value) ??
        (filled && value.trim() === '' ? 'must not be empty' : undefined) ??
        (maxLength !== undefined && tooLong(value, maxLength)
          ? `must have at most ${maxLength} characters`
          : undefined);
      if (message) ctx.addIssue({ code: 'custom', message });
    })
    .meta({ ...(filled && { minLength: 1 }), ...(maxLength !== undefined && { maxLength }) });
}

/** Maximum length of an email address in SMTP (RFC 5321). */
const MAX_EMAIL_LENGTH = 254;

/** A dot-atom (RFC 5322), @, and a host name (RFC 1123) with at least one dot. ASCII only. */
const EMAIL =
  /^(?=[^@]{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

/** An email address, trimmed and converted to lowercase for storage and comparison, with its domain in ASCII form. */
export const email = z
  .string({ error: required('must be a string') })
  .trim()
  .overwrite(asciiEmail)
  .superRefine((value, ctx) => {
    const fits = value.length <= MAX_EMAIL_LENGTH;
    const message = fits
      ? 'must be a valid email address'
      : `must have at most ${MAX_EMAIL_LENGTH} characters`;
    if (!fits || !EMAIL.test(value)) ctx.addIssue({ code: 'custom', message });
  })
  // Lowercasing comes after the check, because it can turn non-ASCII characters such as the Kelvin sign into ASCII.
  .transform((value) => value.toLowerCase())
  .meta({ type: 'string', format: 'email', maxLength: MAX_EMAIL_LENGTH });

/** An optional email address. Null removes it. */
export const optionalEmail = email
  .nullable()
  .optional()
  .meta({ type: ['string', 'null'], format: 'email', maxLength: MAX_EMAIL_LENGTH });

/** A timestamp: an existing date, a time with seconds, and an offset or `Z`. */
export const instant = z
  .string({ error: required('must be a string') })
  .transform((value, ctx) => {
    const parsed = parseInstant(value);
    if (parsed === undefined) {
      ctx.addIssue({ code: 'custom', message: INSTANT_RULE });
      return z.NEVER;
    }
    return parsed;
  })
  .meta({ type: 'string', format: 'date-time' });

/** A UTF-16 code unit takes at most three bytes. */
const exceeds = (text: string, maxBytes: number): boolean =>
  text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes;

/**
 * Why a JSON value cannot be stored unchanged; undefined if it can. `JSON.stringify` escapes what is invalid in texts, and writes numbers
 * out of range as null, so most values need no second look.
 */
const jsonError = (value: unknown, json: string): string | undefined =>
  /\\u|null/.test(json) ? memberError(value) : undefined;

function memberError(value: unknown): string | undefined {
  if (typeof value === 'string') return textError(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : 'must not contain numbers out of range';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const fault = textError(name) ?? memberError(member);
    if (fault) return fault;
  }
  return undefined;
}

/** A free-form JSON object of at most `maxBytes`, measured as compact UTF-8 JSON. */
export function jsonObject(maxBytes: number) {
  return plainObject<Record<string, unknown>>()
    .transform(withExactNumbers)
    .superRefine((value, ctx) => {
      const json = JSON.stringify(value);
      const message = exceeds(json, maxBytes)
        ? `must have at most ${maxBytes} bytes as JSON`
        : jsonError(value, json);
      if (message) ctx.addIssue({ code: 'custom', message });
    })
    .meta({ type: 'object', additionalProperties: true });
}

const oneValue = ['string', 'number', 'boolean', 'object', 'null'];
/** Metadata of a member that is any JSON value: code generators and viewers of OpenAPI documents want a type. */
export const anyValue = { type: [...oneValue, 'array'], items: { type: oneValue } };
