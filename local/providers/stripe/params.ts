/** Request parameters: schemas, and errors in Stripe's wording. */
import { z } from 'zod';
import { StripeError } from './errors.ts';
import { type Form, paramName, valueAt } from './form.ts';

/** Adds an issue with an error code of Stripe. */
function wrong(ctx: z.RefinementCtx, message: string, code?: string): never {
  ctx.addIssue({ code: 'custom', message, params: code === undefined ? {} : { code } });
  return z.NEVER;
}

/** A string that cannot be unset. */
export const Text = z.string().transform((text, ctx) => (text === '' ? wrong(ctx, '', EMPTY) : text));
const EMPTY = 'parameter_invalid_empty';

export const limited = (max: number) =>
  Text.transform((text, ctx) =>
    text.length > max
      ? wrong(ctx, `Invalid string: ${text.slice(0, 20)}...; must be at most ${max} characters`)
      : text,
  );

/** A string. An empty value unsets it. */
export const Clearable = z.string().transform((text) => (text === '' ? null : text));

export const Whole = z
  .string()
  .transform((text, ctx) =>
    /^-?\d{1,15}$/.test(text)
      ? Number(text)
      : wrong(ctx, `Invalid integer: ${text}`, 'parameter_invalid_integer'),
  );

export const Positive = Whole.transform((number, ctx) =>
  number < 1
    ? wrong(ctx, 'This value must be greater than or equal to 1.', 'parameter_invalid_integer')
    : number,
);

export const Bool = z.string().transform((text, ctx) => {
  if (text !== 'true' && text !== 'false') return wrong(ctx, `Invalid boolean: ${text}`);
  return text === 'true';
});

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.string().transform((text, ctx): Values[number] => {
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    const listed = values.length === 1 ? values[0] : `${values.slice(0, -1).join(', ')}, or ${values.at(-1)}`;
    return wrong(ctx, `must be ${values.length === 1 ? '' : 'one of '}${listed}`, 'enum');
  });
}

export const Url = Text.transform((text, ctx) =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
    ? text
    : wrong(ctx, 'Not a valid URL', 'url_invalid'),
);

/** Stripe checks only the basic form of email addresses. */
export const Email = Text.transform((text, ctx) =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
    ? text
    : wrong(ctx, `Invalid email address: ${text}`, 'email_invalid'),
);

/** `a[0]=x&a[1]=y`. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (form) => (typeof form === 'object' && form !== null ? Object.values(form) : form),
    z.array(item),
  );

const MAX_METADATA = 50;

/** Keys to set. An empty value unsets a key; an empty string instead of keys unsets all. */
export const Metadata = z
  .union([z.literal('').transform(() => null), z.record(z.string(), z.string())])
  .transform((given, ctx) => {
    const entries = Object.entries(given ?? {});
    if (entries.length > MAX_METADATA) return wrong(ctx, 'Metadata can have at most 50 keys.');
    for (const [key, value] of entries) {
      if (key.length > 40)
        return wrong(ctx, `Metadata keys can have up to 40 characters: '${key}' is too long.`);
      if (value.length > 500) {
        return wrong(
          ctx,
          'Metadata values can have up to 500 characters. You passed in a value that is too long.',
        );
      }
    }
    return given;
  });
export type MetadataChange = z.output<typeof Metadata>;

export function mergeMetadata(
  known: Record<string, string>,
  change: MetadataChange | undefined,
): Record<string, string> {
  if (change === undefined) return known;
  if (change === null) return {};
  return Object.fromEntries(Object.entries({ ...known, ...change }).filter(([, value]) => value !== ''));
}

export const Address = z.strictObject({
  city: Clearable.optional(),
  country: Clearable.optional(),
  line1: Clearable.optional(),
  line2: Clearable.optional(),
  postal_code: Clearable.optional(),
  state: Clearable.optional(),
});

/** Parameters that are accepted without any visible effect. */
export const ignored = <Name extends string>(names: string): Record<Name, z.ZodOptional<z.ZodUnknown>> =>
  // The names come from the text.
  Object.fromEntries(names.split(' ').map((name) => [name, z.unknown().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodUnknown>
  >;

/** Parameters that change the behavior of Stripe and are not emulated. */
export const notEmulated = (names: string) =>
  Object.fromEntries(
    names.split(' ').map((name) => [
      name,
      z
        .unknown()
        .optional()
        .refine((value) => value === undefined, `The parameter ${name} is not emulated`),
    ]),
  );

const Expand = { expand: listOf(Text).optional() };

export const params = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject({ ...shape, ...Expand });

export function check<Schema extends z.ZodType>(schema: Schema, form: Form): z.output<Schema> {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  throw paramError(result.error.issues, form);
}

function paramError(issues: z.core.$ZodIssue[], form: Form): StripeError {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => paramName([...issue.path, key])) : [],
  );
  const [first] = unknown;
  if (first !== undefined) {
    const message = `Received unknown parameter${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`;
    return new StripeError(400, message, { code: 'parameter_unknown', param: first });
  }
  const absent = issues.find(({ path }) => valueAt(form, path) === undefined);
  if (absent !== undefined) {
    const param = paramName(absent.path);
    return new StripeError(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  const [issue] = issues;
  const path = issue?.path ?? [];
  const param = paramName(path);
  const value = valueAt(form, path);
  if (issue?.code === 'custom') {
    const code: unknown = issue.params?.code;
    if (code === EMPTY) return new StripeError(400, emptyMessage(param), { code: EMPTY, param });
    if (code === 'enum') return new StripeError(400, `Invalid ${param}: ${issue.message}`, { param });
    return new StripeError(400, issue.message, typeof code === 'string' ? { code, param } : { param });
  }
  const wanted = typeof value === 'string' ? 'object' : 'string';
  const kind = issue?.code === 'invalid_type' && issue.expected === 'array' ? 'array' : wanted;
  return new StripeError(
    400,
    kind === 'string' ? `Invalid string: ${JSON.stringify(value)}` : `Invalid ${kind}`,
    {
      param,
    },
  );
}

const emptyMessage = (param: string): string =>
  `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however ` +
  `'${param}' cannot be unset. You should remove '${param}' from your request or supply a non-empty value.`;
