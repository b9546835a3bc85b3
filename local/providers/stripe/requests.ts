/** Request validation as strict as that of Stripe, responses, and lists. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { ProviderEnvironment } from '../old/provider-server.ts';
import { missing, StripeError } from './errors.ts';
import { type Form, parseForm } from './form.ts';
import { check, params, Text, Whole } from './params.ts';
import { expand, render } from './render.ts';
import type { StripeServices } from './services.ts';
import type { Account } from './state.ts';

/** Environment after authentication, with the account. */
export type StripeEnvironment = ProviderEnvironment & {
  Variables: { requestId: string; account: Account; form: Form };
};
export type StripeContext = Context<StripeEnvironment>;
export type StripeApp = Hono<StripeEnvironment>;

const FORM = 'application/x-www-form-urlencoded';

/** The unvalidated parameters of the query or body. */
export async function readForm(c: StripeContext): Promise<Form> {
  const query = new URL(c.req.url).search.slice(1);
  const body = await c.req.text();
  if (c.req.method === 'GET') return parseForm(query);
  const type = c.req.header('content-type') ?? FORM;
  if (body !== '' && !type.startsWith(FORM)) {
    throw new StripeError(
      400,
      `Invalid request (check that your POST content type is ${FORM}). ` +
        'If you have any questions, we can help at https://support.stripe.com/.',
    );
  }
  return parseForm([query, body].filter((text) => text !== '').join('&'));
}

/** Validates the parameters of an endpoint. */
export const read = <Shape extends z.ZodRawShape>(c: StripeContext, shape: Shape) =>
  check(params(shape), c.get('form'));

const Expand = z.object({ expand: z.record(z.string(), z.string()).optional() });

/** Responds with an object in its current state, expanded on request. */
export function answer(c: StripeContext, services: StripeServices, object: object): Response {
  const account = c.get('account');
  const shown = structuredClone(render(account, services.now(), object));
  const { expand: paths = {} } = Expand.parse({ expand: c.get('form').expand });
  expand(account, services.now(), shown, Object.values(paths));
  return c.json(shown);
}

export function pathParam(c: StripeContext, name = 'id'): string {
  return c.req.param(name) ?? '';
}

/** Finds the object in the path. Throws 404. */
export function named<T extends { id: string }>(
  c: StripeContext,
  objects: readonly T[],
  what: string,
  param = 'id',
): T {
  const id = pathParam(c);
  const found = objects.find((object) => object.id === id);
  if (found === undefined) throw missing(what, id, param);
  return found;
}

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

/** Parameters of all lists. */
export const PAGING = {
  limit: Whole.optional(),
  starting_after: Text.optional(),
  ending_before: Text.optional(),
};

const bound = Whole.optional();
/** `created=1` or `created[gte]=1`. */
export const Range = z.union([Whole, z.strictObject({ gt: bound, gte: bound, lt: bound, lte: bound })]);
export const CREATED = { created: Range.optional() };

export function within(range: z.output<typeof Range> | undefined, time: number): boolean {
  if (range === undefined) return true;
  if (typeof range === 'number') return time === range;
  const { gt, gte, lt, lte } = range;
  return (
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte)
  );
}

interface Paging {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

/** A page of a list, newest first. The input is in order of creation. */
export function page<T extends { id: string }>(
  c: StripeContext,
  services: StripeServices,
  oldestFirst: readonly T[],
  paging: Paging,
  what: string,
): Response {
  const { limit = DEFAULT_LIMIT, starting_after: after, ending_before: before } = paging;
  if (limit < 1 || limit > MAX_LIMIT) {
    const message = limit < 1 ? 'greater than or equal to 1' : `less than or equal to ${MAX_LIMIT}`;
    const code = 'parameter_invalid_integer';
    throw new StripeError(400, `This value must be ${message} (it currently is '${limit}').`, {
      code,
      param: 'limit',
    });
  }
  if (after !== undefined && before !== undefined) {
    const message = 'You cannot pass both `starting_after` and `ending_before`.';
    throw new StripeError(400, message, { param: 'starting_after' });
  }
  const objects = [...oldestFirst].reverse();
  const place = (id: string, param: string): number => {
    const index = objects.findIndex((object) => object.id === id);
    if (index === -1) throw missing(what, id, param, 400);
    return index;
  };
  let from = 0;
  let more: boolean;
  let data: T[];
  if (before === undefined) {
    if (after !== undefined) from = place(after, 'starting_after') + 1;
    data = objects.slice(from, from + limit);
    more = objects.length > from + limit;
  } else {
    const end = place(before, 'ending_before');
    data = objects.slice(Math.max(0, end - limit), end);
    more = end > limit;
  }
  const account = c.get('account');
  const shown = {
    object: 'list',
    data: data.map((object) => render(account, services.now(), object)),
    has_more: more,
  };
  return answer(c, services, { ...shown, url: c.req.path });
}
