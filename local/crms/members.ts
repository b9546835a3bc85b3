/** Short notation for the members that a vendor's endpoint accepts. */
import { z } from 'zod';

const Whole = z.string().regex(/^\d+$/).transform(Number);

/** Types of members of bodies, and of parameters of queries, which are texts. */
const TYPES: Record<string, z.ZodType> = {
  id: z.int().positive(),
  name: z.string().min(1),
  text: z.string(),
  number: z.number(),
  bool: z.boolean(),
  day: z.iso.date(),
  url: z.url({ protocol: /^https?$/ }),
  currency: z.string().regex(/^[A-Z]{3}$/),
  map: z.record(z.string(), z.unknown()),
  texts: z.array(z.string()),
  whole: Whole.refine((value) => value >= 1),
  /** Without fractions of a second. */
  second: z.iso.datetime({ offset: true, precision: 0 }),
};

const upTo = (most: number) => Whole.refine((value) => value >= 1 && value <= most, `must be 1 to ${most}`);

function typeOf(name: string): z.ZodType {
  const type = TYPES[name];
  return type ?? (name.startsWith('<=') ? upTo(Number(name.slice(2))) : z.enum(name.split('|')));
}

/**
 * `title:name! value:number? status:open|won limit:<=500`: a name, its type, `!` if it is required, `?` if it may be null. Other members
 * are refused.
 */
export const members = (notation: string, more: z.ZodRawShape = {}): z.ZodObject =>
  z.strictObject({
    ...Object.fromEntries(
      notation.split(/\s+/).map((member) => {
        const [name = '', given = ''] = member.split(':');
        const type = typeOf(given.replace(/[!?]$/, ''));
        return [name, given.endsWith('!') ? type : (given.endsWith('?') ? type.nullable() : type).optional()];
      }),
    ),
    ...more,
  });

/** `a b` as `{a: null, b: null}`. */
export const nulls = (names: string): Record<string, null> =>
  Object.fromEntries(names.split(' ').map((name) => [name, null]));

/** Validates what was sent. Throws what `refuse` returns for `<path>: <reason>`. */
export function parse<S extends z.ZodType>(
  schema: S,
  given: unknown,
  refuse: (what: string) => Error,
): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refuse(`${issue?.path.join('.') || 'request'}: ${issue?.message}`);
}
