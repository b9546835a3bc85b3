// Cursor pagination by id, newest first: `limit`, `starting_after`, `ending_before`. For tables whose ids sort by time.
import type { Fragment, Sql } from '../db/database.ts';
import { ApiError, type ErrorDetail } from '../errors.ts';
import type { Query } from '../query.ts';
import { type Condition, type Filters, readFilters } from './filters.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Whether the text is a TypeID with this prefix. */
export const isTypeId = (prefix: string, text: string) =>
  new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);

/** The format of a list's ids, if they are not TypeIDs. */
export interface IdForm {
  is(text: string): boolean;
  /** The error message for an invalid cursor. */
  rule: string;
}

const typeIds = (prefix: string): IdForm => ({
  is: (text) => isTypeId(prefix, text),
  rule: `must be an id that starts with ${prefix}_`,
});

export interface KeysetQuery {
  limit: number;
  /** Cursor: the page after or before this id. At most one of the two is set. */
  startingAfter: string | undefined;
  endingBefore: string | undefined;
  conditions: Condition[];
}

export interface KeysetPage<R> {
  rows: R[];
  hasMore: boolean;
}

/**
 * Parses the query parameters of a list. `ids` is the prefix of its ids, or their format. Ignores unknown parameters. Throws
 * `validation` with every invalid one.
 */
export function parseKeysetQuery(query: Query, ids: string | IdForm, filters: Filters): KeysetQuery {
  const form = typeof ids === 'string' ? typeIds(ids) : ids;
  const params = query.take(['limit', 'starting_after', 'ending_before', ...Object.keys(filters)]);
  const details: ErrorDetail[] = [];
  const fault = (field: string, message: string) => void details.push({ field, message });
  const limitText = params.get('limit') ?? String(DEFAULT_LIMIT);
  const limit = /^\d+$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT) fault('limit', `must be an integer from 1 to ${MAX_LIMIT}`);
  const cursor = (name: string): string | undefined => {
    const value = params.get(name);
    if (value !== undefined && !form.is(value)) fault(name, form.rule);
    return value;
  };
  const startingAfter = cursor('starting_after');
  const endingBefore = cursor('ending_before');
  if (startingAfter && endingBefore) {
    fault('ending_before', 'cannot be combined with starting_after');
  }
  const { conditions, faults } = readFilters(filters, (name) => params.get(name));
  for (const { field, message } of faults) fault(field, message);
  if (details.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details });
  return { limit, startingAfter, endingBefore, conditions };
}

/** SQL for conditions that do not just compare a column, by `op`. */
export type CustomConditions = Readonly<Record<string, (sql: Sql, condition: Condition) => Fragment>>;

/** The clauses after `from ...`. They select one row beyond the page, which shows whether there are more. */
export function keysetClauses(
  sql: Sql,
  tenantId: string,
  { limit, startingAfter, endingBefore, conditions }: KeysetQuery,
  own: CustomConditions = {},
): Fragment {
  const after = startingAfter === undefined ? sql`` : sql`and id < ${startingAfter}`;
  const before = endingBefore === undefined ? sql`` : sql`and id > ${endingBefore}`;
  const order = endingBefore === undefined ? sql`desc` : sql`asc`;
  return sql`${whereAll(sql, tenantId, conditions, own)} ${after} ${before} order by id ${order} limit ${limit + 1}`;
}

/** The `where` clause of a tenant's rows that meet the conditions. */
export function whereAll(
  sql: Sql,
  tenantId: string,
  conditions: readonly Condition[],
  own: CustomConditions = {},
): Fragment {
  // Fragments are joined one by one, because an empty list would be sent as a parameter.
  return conditions.reduce<Fragment>(
    (all, one) => sql`${all} and ${own[one.op]?.(sql, one) ?? comparison(sql, one)}`,
    sql`where tenant_id = ${tenantId}`,
  );
}

function comparison(sql: Sql, { op, column = '', value }: Condition): Fragment {
  const left = sql(column);
  switch (op) {
    case 'eq':
      return sql`${left} = ${value}`;
    case 'gte':
      return sql`${left} >= ${value}`;
    case 'lte':
      return sql`${left} <= ${value}`;
    default:
      throw new Error(`Keyset lists do not support the condition ${op}.`);
  }
}

/** Converts the rows that `keysetClauses` selects to a page, newest first. */
export function toKeysetPage<R>(rows: readonly R[], { limit, endingBefore }: KeysetQuery): KeysetPage<R> {
  const page = rows.slice(0, limit);
  if (endingBefore !== undefined) page.reverse();
  return { rows: page, hasMore: rows.length > limit };
}
