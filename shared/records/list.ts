// Lists of records: numbered pages, filters, sorting and search. Parses the query and reads the page with `app.list_page`.
import type { Context } from '../platform/access/context.ts';
import { type Fragment, oneRow, type Sql, type Work } from '../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../platform/errors.ts';
import { DAY_OR_INSTANT_RULE, isDay, parseInstantInUrl } from '../platform/instants.ts';
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

/** Filters by a timestamp or a day (its midnight in the tenant's time zone). The bound itself is excluded. */
export const instantOrDay =
  (column: string, side: 'after' | 'before'): Filter =>
  (value) => {
    const instant = parseInstantInUrl(value);
    if (instant) return { op: side === 'after' ? 'gt' : 'lt', column, value: instant };
    if (isDay(value)) return { op: `${side}_day`, column, value };
    return { rule: DAY_OR_INSTANT_RULE };
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

/** A stage by id or case-insensitive name. */
export const stage: Filter = (value) =>
  isStorable(value) ? { op: 'stage', value } : { rule: 'must be text' };

export const createdFilters = {
  created_after: instantOrDay('created_at', 'after'),
  created_before: instantOrDay('created_at', 'before'),
};

export const updatedFilters = { ...createdFilters, updated_after: instantOrDay('updated_at', 'after') };

/** A list of `R`: its table, filters, sort fields, and how to read a row. */
export interface List<R extends object> {
  table: string;
  /** Default: none. */
  filters?: Filters;
  /** Sort fields by canonical name. The first is the default, in descending order. */
  sorts: readonly string[];
  /** Type of the ids if they are not UUIDs. */
  idType?: 'text' | 'bigint';
  /** SQL that converts a row `r` to an `R`. */
  record(sql: Sql): Fragment;
  /** Never set; makes the type depend on `R`. */
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
  if (!text) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= max ? value : undefined;
}

/** Parses `page` and `per_page`. Reports an invalid value to `fault` and uses the default instead. */
export function readPageNumbers(
  params: ReadonlyMap<string, string>,
  defaultPerPage: number,
  fault: (field: string, message: string) => void,
): { page: number; perPage: number } {
  const page = whole(params.get('page'), 1, MAX_PAGE);
  if (page === undefined) fault('page', `must be an integer from 1 to ${MAX_PAGE}`);
  const perPage = whole(params.get('per_page'), defaultPerPage, MAX_PER_PAGE);
  if (perPage === undefined) fault('per_page', `must be an integer from 1 to ${MAX_PER_PAGE}`);
  return { page: page ?? 1, perPage: perPage ?? defaultPerPage };
}

/** Parses a list query in a variant's names and ignores unknown parameters. Throws `validation` listing every invalid parameter. */
export function parseListQuery<R extends object>(
  list: List<R>,
  naming: NamingRules,
  defaultPerPage: number,
  query: Query,
): ListQuery {
  const { filters = {} } = list;
  const params = readQuery(naming, query, ['page', 'per_page', 'sort', ...Object.keys(filters)]);
  const faults: ErrorDetail[] = [];
  const fault = (field: string, message: string) => void faults.push({ field, message });

  const { page, perPage } = readPageNumbers(params, defaultPerPage, fault);

  const [defaultSort = 'created_at'] = list.sorts;
  const sortText = params.get('sort') || `-${nameFor(naming, defaultSort)}`;
  const sort = list.sorts.find((field) => nameFor(naming, field) === sortText.replace(/^-/, ''));
  if (!sort) {
    const known = list.sorts.map((field) => nameFor(naming, field)).join(', ');
    fault('sort', `must be one of ${known}, prefixed with - for descending order`);
  }

  const filtered = readFilters(
    filters,
    (name) => params.get(name) || undefined,
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

/** Reads one page and the total. `fixed` conditions come from the path; `checks` run in the same transaction and raise `*_missing`. */
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
    // Cast before the join: with row-level security, a join uses the index only if its condition cannot raise errors.
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

/** The body of a response with a page, with its numbers where the variant returns them. */
export function pageBody(
  { listsInMeta }: { listsInMeta: boolean },
  data: unknown[],
  { total, page, perPage }: Omit<ListResult<unknown>, 'records'>,
  meta: object,
): object {
  const numbers = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
  return listsInMeta ? { data, meta: { ...meta, ...numbers } } : { data, pagination: numbers };
}
