// Lists of records: pages by number, filters, sorting, search. What is asked for is read here; `app.list_page` finds it.
import type { Context } from '../platform/access/context.ts';
import { type Fragment, oneRow, type Sql, type Work } from '../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../platform/errors.ts';
import { isDay, parseInstant } from '../platform/instants.ts';
import {
  type Condition,
  type Filter,
  type Filters,
  isStorable,
  readFilters,
} from '../platform/lists/filters.ts';
import type { Query } from '../platform/query.ts';
import { isUuid } from '../platform/uuid.ts';
import { conditionsOf } from './external-ids.ts';
import { type NamingRules, nameFor, readQuery } from './naming.ts';

const MAX_PER_PAGE = 100;
const MAX_PAGE = 1_000_000;
const MAX_SEARCH_LENGTH = 200;

/** A moment, or a day: its midnight in the tenant's time zone. The moment itself is not in the list. */
export const instantOrDay =
  (column: string, side: 'after' | 'before'): Filter =>
  (value) => {
    const instant = parseInstant(value);
    if (instant) return { op: side === 'after' ? 'gt' : 'lt', column, value: instant };
    if (isDay(value)) return { op: `${side}_day`, column, value };
    return { rule: 'must be a date, or an ISO 8601 timestamp with an offset' };
  };

export const number =
  (column: string, op: 'gte' | 'lte'): Filter =>
  (value) =>
    /^-?\d{1,18}(\.\d{1,18})?$/.test(value) ? { op, column, value } : { rule: 'must be a number' };

export const search: Filter = (value) =>
  isStorable(value) && value.length <= MAX_SEARCH_LENGTH
    ? { op: 'search', value }
    : { rule: `must be text of at most ${MAX_SEARCH_LENGTH} characters` };

export const ownerTeam: Filter = (value) =>
  isUuid(value) ? { op: 'owner_team', value } : { rule: 'must be a UUID' };

/** A stage by name, without case, or id. */
export const stage: Filter = (value) =>
  isStorable(value) ? { op: 'stage', value } : { rule: 'must be text' };

export const createdFilters = {
  created_after: instantOrDay('created_at', 'after'),
  created_before: instantOrDay('created_at', 'before'),
};

export const updatedFilters = { ...createdFilters, updated_after: instantOrDay('updated_at', 'after') };

/** A list of `R`: its table, how a row of it is read, and what it may be filtered and sorted by. */
export interface List<R extends object> {
  table: string;
  filters: Filters;
  /** Fields, by canonical name; the first is the default, newest first. */
  sorts: readonly string[];
  /** Type of its ids where they are no UUIDs. */
  idType?: 'text' | 'bigint';
  /** SQL that makes an `R` of a row named `r`. */
  record(sql: Sql): Fragment;
  /** Never there: ties the list to what it holds. */
  readonly of?: R;
}

export interface ListQuery {
  page: number;
  perPage: number;
  sort: string;
  descending: boolean;
  conditions: Condition[];
}

export interface ListResult<R> {
  records: R[];
  total: number;
  page: number;
  perPage: number;
}

function whole(text: string | undefined, fallback: number, max: number): number | undefined {
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : undefined;
}

/** Reads `page` and `per_page`; `fault` is told of one that is bad, in whose place comes the default. */
export function readPageNumbers(
  given: ReadonlyMap<string, string>,
  defaultPerPage: number,
  fault: (field: string, message: string) => void,
): { page: number; perPage: number } {
  const page = whole(given.get('page'), 1, MAX_PAGE);
  if (page === undefined) fault('page', `must be an integer from 1 to ${MAX_PAGE}`);
  const perPage = whole(given.get('per_page'), defaultPerPage, MAX_PER_PAGE);
  if (perPage === undefined) fault('per_page', `must be an integer from 1 to ${MAX_PER_PAGE}`);
  return { page: page ?? 1, perPage: perPage ?? defaultPerPage };
}

/** Reads the query of a list in a variant's names. Unknown parameters are ignored; throws `validation` naming every bad one. */
export function parseListQuery<R extends object>(
  list: List<R>,
  naming: NamingRules,
  defaultPerPage: number,
  query: Query,
): ListQuery {
  const given = readQuery(naming, query, ['page', 'per_page', 'sort', ...Object.keys(list.filters)]);
  const faults: ErrorDetail[] = [];
  const fault = (field: string, message: string) => void faults.push({ field, message });

  const { page, perPage } = readPageNumbers(given, defaultPerPage, fault);

  const [defaultSort = 'created_at'] = list.sorts;
  const sortText = given.get('sort') ?? `-${nameFor(naming, defaultSort)}`;
  const sort = list.sorts.find((field) => nameFor(naming, field) === sortText.replace(/^-/, ''));
  if (!sort) {
    const known = list.sorts.map((field) => nameFor(naming, field)).join(', ');
    fault('sort', `must be one of ${known}, with - before it for descending`);
  }

  const filtered = readFilters(
    list.filters,
    (name) => given.get(name) || undefined,
    (name) => naming.values[name] ?? {},
  );
  faults.push(...filtered.faults);
  if (faults.length > 0) {
    const details = faults.map(({ field, message }) => ({ field: nameFor(naming, field), message }));
    throw new ApiError('validation', 'Fix these query parameters.', { details });
  }
  return {
    page,
    perPage,
    sort: sort ?? defaultSort,
    descending: sortText.startsWith('-'),
    conditions: filtered.conditions,
  };
}

/** One page and the total, in one transaction with `checks`, which fail where there is no such list. `fixed` conditions come from the path. */
export async function readList<R extends object>(
  context: Context,
  list: List<R>,
  { page, perPage, sort, descending, conditions }: ListQuery,
  fixed: Condition[] = [],
  checks: (sql: Sql) => Work = () => [],
): Promise<ListResult<R>> {
  const { tenantId } = context;
  const all = JSON.stringify(conditionsOf(context, [...fixed, ...conditions]));
  const { page: rows } = await context.read((sql) => {
    // Cast before the join: row-level security lets a join use the index only where nothing in it can fail.
    const idCasts = { uuid: sql`::uuid[]`, bigint: sql`::bigint[]`, text: sql`` };
    const idCast = idCasts[list.idType ?? 'uuid'];
    return {
      page: sql<{ total: string; records: R[] }>`
        select p.total, (
          select coalesce(json_agg(${list.record(sql)} order by k.place), '[]')
          from unnest(p.ids${idCast}) with ordinality as k (id, place)
          join ${sql(`public.${list.table}`)} r on r.tenant_id = ${tenantId} and r.id = k.id
        ) as records
        from app.list_page(
          ${list.table}, ${all}::jsonb, ${sort}, ${descending}, ${perPage}, ${(page - 1) * perPage}
        ) as p`,
      checks: checks(sql),
    };
  });
  const { total, records } = oneRow(rows);
  return { records, total: Number(total), page, perPage };
}
