/** Request validation as strict as that of Asaas, and pagination. */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { isDay } from '../days.ts';
import type { ProviderEnvironment } from '../provider-server.ts';
import { AsaasError, badRequest, type ErrorItem } from './errors.ts';
import { toCents } from './money.ts';
import type { Account } from './state.ts';

/** Environment after authentication, with the account. */
export type AsaasEnvironment = ProviderEnvironment & { Variables: { account: Account } };
export type AsaasContext = Context<AsaasEnvironment>;
export type AsaasApp = Hono<AsaasEnvironment>;

/** Amounts are numbers of reais with at most two decimals. */
export const Reais = z
  .number()
  .refine((reais) => toCents(reais) !== undefined, 'has more than two decimals')
  .transform((reais) => toCents(reais) ?? 0);

export const Day = z.string().refine(isDay, 'is not a valid day');

/**
 * Validates the body. Drops unknown members, like Asaas. Throws a 400 with one code per invalid member:
 * `invalid_<member>`.
 */
export async function readBody<Schema extends z.ZodType>(
  c: AsaasContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text === '' ? {} : JSON.parse(text);
  } catch {
    throw badRequest('invalid_json', 'O corpo da requisição não é um JSON válido.');
  }
  return check(schema, body);
}

export function check<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new AsaasError(400, errorsOf(result.error));
}

function errorsOf(error: z.ZodError): ErrorItem[] {
  const byMember = new Map<string, ErrorItem>();
  for (const { path, message } of error.issues) {
    const member = path.filter((part) => typeof part === 'string').join('.') || 'object';
    const code = `invalid_${member}`;
    byMember.set(code, {
      code,
      description: `O campo ${member} é inválido ou não foi informado: ${message}`,
    });
  }
  return [...byMember.values()];
}

const LEAST_LIMIT = 1;
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

function wholeNumber(text: string | undefined, name: string, fallback: number): number {
  if (text === undefined || text === '') return fallback;
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`invalid_${name}`, `O campo ${name} é inválido.`);
  return Number(text);
}

/** The envelope of a list that is already sorted. */
export function page<T, R>(c: AsaasContext, found: readonly T[], render: (item: T) => R) {
  const offset = wholeNumber(c.req.query('offset'), 'offset', 0);
  const limit = wholeNumber(c.req.query('limit'), 'limit', DEFAULT_LIMIT);
  if (limit < LEAST_LIMIT || limit > MAX_LIMIT) {
    throw badRequest('invalid_limit', `O limite deve ser entre ${LEAST_LIMIT} e ${MAX_LIMIT}.`);
  }
  return {
    object: 'list',
    hasMore: found.length > offset + limit,
    totalCount: found.length,
    limit,
    offset,
    data: found.slice(offset, offset + limit).map(render),
  };
}

/** Filters by a query parameter. An absent or empty parameter matches all items. */
export function filterBy<T>(
  c: AsaasContext,
  items: readonly T[],
  filters: Record<string, (item: T, requested: string) => boolean>,
): T[] {
  const requested = Object.entries(filters).flatMap(([name, keeps]) => {
    const value = c.req.query(name);
    return value === undefined || value === '' ? [] : [{ keeps, value }];
  });
  return items.filter((item) => requested.every(({ keeps, value }) => keeps(item, value)));
}

/** The filters `name[ge]` and `name[le]` on a day. */
export function dayRange<T>(
  name: string,
  dayOf: (item: T) => string | null,
  [ge, le]: readonly [string, string] = ['ge', 'le'],
) {
  const within = (item: T, matches: (day: string) => boolean): boolean => {
    const day = dayOf(item);
    return day !== null && matches(day);
  };
  return {
    [`${name}[${ge}]`]: (item: T, requested: string) =>
      within(item, (day) => day >= readDay(name, requested)),
    [`${name}[${le}]`]: (item: T, requested: string) =>
      within(item, (day) => day <= readDay(name, requested)),
  };
}

export function readDay(name: string, requested: string): string {
  if (!isDay(requested)) throw badRequest(`invalid_${name}`, `O campo ${name} é inválido.`);
  return requested;
}

/** Newest first. */
export const newestFirst = <T>(items: readonly T[]): T[] => [...items].reverse();
