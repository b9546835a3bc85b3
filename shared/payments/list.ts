// Lists: cursors, times and control fields, which all of them share. Newest first, by id.
import type { Sql, Statement } from '../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../platform/errors.ts';
import { parseInstant } from '../platform/instants.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Whether this has the form of an id with this prefix. */
export const isId = (prefix: string, text: string) =>
  new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);

export interface Page {
  limit: number;
  /** The page after this id, or before it; at most one of the two. */
  startingAfter: string | undefined;
  endingBefore: string | undefined;
}

/** A condition of a list, as SQL to be joined with `and`. */
export type Condition = (sql: Sql) => Statement;

/** How each query parameter is read; undefined when it is no valid value. */
export type Filters = Record<string, { read(value: string): Condition | undefined; rule: string }>;

export interface ListQuery {
  page: Page;
  conditions: Condition[];
}

/** Any text, compared as it is. */
export const equals = (column: string): Filters[string] => ({
  read: (value) => (value.includes('\u0000') ? undefined : (sql) => sql`${sql(column)} = ${value}`),
  rule: 'must be text',
});

export const oneOfValues = (column: string, values: readonly string[]): Filters[string] => ({
  read: (value) => (values.includes(value) ? (sql) => sql`${sql(column)} = ${value}` : undefined),
  rule: `must be one of ${values.join(', ')}`,
});

/** A timestamp or a bare date, which means its midnight in UTC. */
export function timeFrom(column: string, comparison: 'from' | 'to'): Filters[string] {
  return {
    read(value) {
      const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
      if (!instant) return undefined;
      return comparison === 'from'
        ? (sql) => sql`${sql(column)} >= ${instant}::timestamptz`
        : (sql) => sql`${sql(column)} <= ${instant}::timestamptz`;
    },
    rule: 'must be an ISO 8601 timestamp with an offset, or a date',
  };
}

export const controlFilters: Filters = {
  cost_center: equals('cost_center'),
  our_number: equals('our_number'),
  contractor_reference: equals('contractor_reference'),
  'created[gte]': timeFrom('created', 'from'),
  'created[lte]': timeFrom('created', 'to'),
};

/** Reads a query. Unknown parameters are ignored; throws `validation` naming every bad one. */
export function parseListQuery(query: URLSearchParams, prefix: string, filters: Filters): ListQuery {
  const details: ErrorDetail[] = [];
  const limitText = query.get('limit') ?? String(DEFAULT_LIMIT);
  const limit = /^\d+$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    details.push({ field: 'limit', message: `must be an integer from 1 to ${MAX_LIMIT}` });
  }
  const cursor = (name: string): string | undefined => {
    const value = query.get(name);
    if (value === null) return undefined;
    if (!isId(prefix, value))
      details.push({ field: name, message: `must be an id that begins with ${prefix}_` });
    return value;
  };
  const page = {
    limit,
    startingAfter: cursor('starting_after'),
    endingBefore: cursor('ending_before'),
  };
  if (page.startingAfter && page.endingBefore) {
    details.push({ field: 'ending_before', message: 'must not be sent together with starting_after' });
  }
  const conditions: Condition[] = [];
  for (const [name, { read, rule }] of Object.entries(filters)) {
    const value = query.get(name);
    if (value === null) continue;
    const condition = read(value);
    if (condition) conditions.push(condition);
    else details.push({ field: name, message: rule });
  }
  if (details.length > 0) throw new ApiError('validation', 'Mend these query parameters.', { details });
  return { page, conditions };
}

export interface ListResult<R> {
  rows: R[];
  hasMore: boolean;
}

/** One row more than the page, in the direction of reading. */
export function listStatement(
  sql: Sql,
  source: Statement,
  tenantId: string,
  { page: { limit, startingAfter, endingBefore }, conditions }: ListQuery,
): Statement {
  const joined = conditions.reduce((all, condition) => sql`${all} and ${condition(sql)}`, sql``);
  const after = startingAfter === undefined ? sql`` : sql`and id < ${startingAfter}`;
  const before = endingBefore === undefined ? sql`` : sql`and id > ${endingBefore}`;
  const order = endingBefore === undefined ? sql`desc` : sql`asc`;
  return sql`${source} where tenant_id = ${tenantId} ${joined} ${after} ${before} order by id ${order} limit ${limit + 1}`;
}

/** The page of what `listStatement` gave, newest first. */
export function toPage<R>(rows: readonly R[], { limit, endingBefore }: Page): ListResult<R> {
  const page = rows.slice(0, limit);
  if (endingBefore !== undefined) page.reverse();
  return { rows: page, hasMore: rows.length > limit };
}
