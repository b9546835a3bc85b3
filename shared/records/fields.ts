// Schemas of fields that several records share.
import { z } from 'zod';
import { DAY_OR_INSTANT_RULE, isDay, parseDayOrInstant } from '../platform/instants.ts';
import { UUID } from '../platform/uuid.ts';
import { jsonObject, required, text } from '../platform/validation.ts';

const MAX_CUSTOM_BYTES = 16 * 1024;
const MAX_TAGS = 50;
/** Largest amount. Larger JSON numbers cannot represent cents. */
export const MAX_VALUE = 1e13;

export const uuid = z
  .string({ error: required('must be a UUID') })
  .regex(UUID, { error: 'must be a UUID' })
  .transform((value) => value.toLowerCase())
  .meta({ type: 'string', format: 'uuid' });

/** An optional reference. null removes it. */
export const reference = uuid
  .nullable()
  .optional()
  .meta({ type: ['string', 'null'], format: 'uuid' });
export const name = text({ maxLength: 255, filled: true });
export const shortText = text({ maxLength: 255 }).nullable().optional();
export const longText = text({ maxLength: 10_000 }).nullable().optional();

/** Descriptions of optional texts by name; null where the name says it. */
type Texts<Name extends string> = Readonly<Record<Name, string | null>>;

/** Optional texts in requests. */
export const textInputs = <Name extends string>(texts: Texts<Name>): Record<Name, typeof shortText> =>
  mapTexts(texts, (_, about) => (about === null ? shortText : shortText.describe(about)));

/** Optional texts in responses. */
export const textOutputs = <Name extends string>(texts: Texts<Name>): Record<Name, typeof nullableText> =>
  mapTexts(texts, () => nullableText);

/** The optional texts of a record. */
export const pickTexts = <Name extends string>(
  record: Readonly<Record<NoInfer<Name>, string | null>>,
  texts: Texts<Name>,
): Record<Name, string | null> => mapTexts(texts, (name) => record[name]);

function mapTexts<Name extends string, T>(
  texts: Texts<Name>,
  map: (name: Name, about: string | null) => T,
): Record<Name, T> {
  const mapped: Partial<Record<Name, T>> = {};
  for (const name in texts) mapped[name] = map(name, texts[name]);
  return mapped as Record<Name, T>;
}

export const amount = z
  .number({ error: required('must be a number') })
  .min(0, { error: 'must not be negative' })
  .max(MAX_VALUE, { error: `must be at most ${MAX_VALUE}` });

export const customFields = jsonObject(MAX_CUSTOM_BYTES)
  .nullable()
  .optional()
  .transform((value) => (value === null ? {} : value))
  .meta({
    type: ['object', 'null'],
    description: 'Free-form key-value data, at most 16 KiB. A change replaces all of it; null clears it.',
  });

export const tags = z
  .array(text({ maxLength: 100, filled: true }), { error: 'must be an array of strings' })
  .max(MAX_TAGS, { error: `must have at most ${MAX_TAGS} items` })
  .nullable()
  .optional()
  .transform((value) => (value === null ? [] : value))
  .meta({ description: `At most ${MAX_TAGS}. A change replaces all tags; null clears them.` });

const day = z
  .string({ error: required('must be a date, YYYY-MM-DD') })
  .refine(isDay, { error: 'must be a date, YYYY-MM-DD' })
  .meta({ type: 'string', format: 'date' });

/** An optional day. null removes it. */
export const optionalDay = day
  .nullable()
  .optional()
  .meta({ type: ['string', 'null'], format: 'date' });

/** A timestamp, or a day, which stands for its midnight in UTC. */
export const dayOrInstant = z
  .string({ error: DAY_OR_INSTANT_RULE })
  .transform((value, ctx) => {
    const parsed = parseDayOrInstant(value);
    if (parsed !== undefined) return parsed;
    ctx.addIssue({ code: 'custom', message: DAY_OR_INSTANT_RULE });
    return z.NEVER;
  })
  .nullable()
  .optional()
  .meta({ type: ['string', 'null'], description: 'A date or an ISO 8601 timestamp with an offset.' });

/** Response fields. */
export const id = z.uuid();
export const nullableText = z.string().nullable();
export const time = z.iso.datetime().describe('UTC, with microsecond precision.');
