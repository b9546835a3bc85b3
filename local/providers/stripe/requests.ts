/** Form parameters, their validation with Stripe's errors, responses with expanded ids, and lists. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { type Desk, findAny, render } from './desk.ts';
import { missing, StripeError } from './errors.ts';
import type { Account } from './state.ts';

export type Form = { [name: string]: string | Form };
export type StripeEnvironment = FakeEnvironment & { Variables: { desk: Desk; form: Form } };
type StripeContext = Context<StripeEnvironment>;
export type StripeApp = Hono<StripeEnvironment>;

/** Parses `a[b][0][c]=value`. */
export function parseForm(text: string): Form {
  const form: Form = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const parts = key.replaceAll(']', '').split('[');
    const last = parts.pop() ?? '';
    let inner = form;
    for (const part of parts) {
      const known = inner[part];
      const next: Form = typeof known === 'object' ? known : Object.create(null);
      inner[part] = next;
      inner = next;
    }
    inner[last] = value;
  }
  return form;
}

export const Text = z.string().min(1);
export const Whole = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);
export const Bool = z.enum(['true', 'false']).transform((text) => text === 'true');
export const Url = z.url({ protocol: /^https?$/ });
/** Stripe checks only the basic form of email addresses. */
export const Email = z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/);
export const Metadata = z.record(z.string().max(40), z.string().max(500));

/** `a[0]=x&a[1]=y`. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (form) => (typeof form === 'object' && form !== null ? Object.values(form) : form),
    z.array(item),
  );

/** `a[b][0]`. */
const paramName = ([first, ...rest]: readonly PropertyKey[]): string =>
  String(first) + rest.map((part) => `[${String(part)}]`).join('');

/** Validates the parameters of an endpoint. Unknown ones are errors, as at Stripe. */
export function read<Shape extends z.ZodRawShape>(c: StripeContext, shape: Shape) {
  const schema = z.strictObject({ ...shape, expand: listOf(Text).optional() });
  const result = schema.safeParse(c.get('form'));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const param = paramName([...issue.path, issue.keys[0] ?? '']);
    throw new StripeError(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  }
  const param = paramName(issue?.path ?? []);
  throw new StripeError(400, `Invalid ${param}: ${issue?.message}`, { param });
}

/** Replaces the ids on a path by objects, in place. */
function expand(account: Account, object: object, [member = '', ...rest]: string[]): void {
  if (!(member in object)) throw new StripeError(400, `This property cannot be expanded (${member}).`);
  const value: unknown = Reflect.get(object, member);
  const found = typeof value === 'string' ? findAny(account, value) : undefined;
  const next = found ? structuredClone(render(account, found)) : value;
  Reflect.set(object, member, next);
  if (rest.length === 0) return;
  for (const item of Array.isArray(next) ? next : [next])
    if (typeof item === 'object' && item !== null) expand(account, item, rest);
}

/** Stripe's limit of the levels of an expanded path. */
const MAX_LEVELS = 4;

/** Responds with an object in its current state, expanded on request. */
export function answer(c: StripeContext, object: object): Response {
  const { account } = c.get('desk');
  const shown = structuredClone(render(account, object));
  const paths = c.get('form').expand ?? {};
  for (const path of Object.values(typeof paths === 'string' ? {} : paths)) {
    const parts = String(path).split('.');
    if (parts.length > MAX_LEVELS)
      throw new StripeError(400, `You cannot expand more than ${MAX_LEVELS} levels of a property`);
    expand(account, shown, parts);
  }
  return c.json(shown);
}

/** Parameters of all lists. */
export const LIST = {
  limit: Whole.optional(),
  starting_after: Text.optional(),
  created: z.strictObject({ gte: Whole.optional(), lte: Whole.optional() }).optional(),
};
type ListParameters = z.output<z.ZodObject<typeof LIST>>;

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

/** A page of a list, newest first. The input is in order of creation. */
export function page<T extends { id: string; created: number }>(
  c: StripeContext,
  oldestFirst: readonly T[],
  { limit = DEFAULT_LIMIT, starting_after: after, created }: ListParameters,
): Response {
  if (limit < 1 || limit > MAX_LIMIT)
    throw new StripeError(400, `This value must be at most ${MAX_LIMIT}.`, { param: 'limit' });
  const objects = oldestFirst
    .filter(({ created: at }) => at >= (created?.gte ?? at) && at <= (created?.lte ?? at))
    .reverse();
  const from = after === undefined ? 0 : objects.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw missing('object', after, 'starting_after');
  const { account } = c.get('desk');
  const data = objects.slice(from, from + limit).map((object) => render(account, object));
  const hasMore = objects.length > from + limit;
  return answer(c, { object: 'list', data, has_more: hasMore, url: c.req.path });
}
