/** Validation of requests, with Asaas' errors, and lists. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { FakeEnvironment } from '../../fakes/fake.ts';
import { isDay } from '../days.ts';
import { asaasError, badRequest, type Desk } from './desk.ts';

/** Environment after authentication. */
export type AsaasEnvironment = FakeEnvironment & { Variables: { desk: Desk } };
export type AsaasContext = Context<AsaasEnvironment>;
export type AsaasApp = Hono<AsaasEnvironment>;

const isCents = (reais: number): boolean => Math.abs(Math.round(reais * 100) - reais * 100) < 1e-6;

/** Amounts are numbers of reais with at most two decimals. */
export const Reais = z
  .number()
  .refine(isCents, 'has more than two decimals')
  .transform((reais) => Math.round(reais * 100));
export const Day = z.string().refine(isDay, 'is not a valid day');

/**
 * Validates the body. Throws a 400 with one code per invalid member: `invalid_<member>`. Asaas ignores unknown members: here they are
 * errors, because they are mistakes of the adapter.
 */
export async function readBody<Schema extends z.ZodType>(
  c: AsaasContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const result = schema.safeParse(JSON.parse((await c.req.text()) || '{}'));
  if (result.success) return result.data;
  const members = result.error.issues.map(({ path, message, ...issue }) => {
    const keys = 'keys' in issue && Array.isArray(issue.keys) ? issue.keys : [];
    const member = [...path, ...keys].filter((part) => typeof part === 'string').join('.') || 'object';
    return { code: `invalid_${member}`, description: `O campo ${member} é inválido: ${message}` };
  });
  throw asaasError(400, members);
}

type Filters<T> = Record<string, (item: T, requested: string) => boolean>;

/** Asaas' maximum, and its default. */
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

/** A page of a list. Asaas ignores unknown filters: here they are errors, because they are mistakes of the adapter. */
export function page<T>(
  c: AsaasContext,
  items: readonly T[],
  render: (item: T) => unknown,
  filters: Filters<T> = {},
): Response {
  const { offset: skipped, limit: most, ...requested } = c.req.query();
  const offset = Number(skipped ?? 0);
  const limit = Number(most ?? DEFAULT_LIMIT);
  if (!(limit >= 1 && limit <= MAX_LIMIT && offset >= 0))
    throw badRequest('invalid_limit', `O limite deve ser entre 1 e ${MAX_LIMIT}.`);
  const found = items.filter((item) =>
    Object.entries(requested).every(([name, value]) => {
      const keeps = filters[name];
      if (!keeps) throw badRequest(`invalid_${name}`, `O filtro ${name} não existe.`);
      return keeps(item, value);
    }),
  );
  const data = found.slice(offset, offset + limit).map(render);
  const hasMore = found.length > offset + limit;
  return c.json({ object: 'list', hasMore, totalCount: found.length, limit, offset, data });
}

/** A filter `...[ge]` on a day. */
export const since =
  <T>(dayOf: (item: T) => string | null) =>
  (item: T, requested: string): boolean => {
    if (!isDay(requested)) throw badRequest('invalid_object', 'A data informada é inválida.');
    const day = dayOf(item);
    return day !== null && day >= requested;
  };

export const newestFirst = <T>(items: readonly T[]): T[] => [...items].reverse();
