// Statements that the resources of the admin API share: pages, locks, limits, references to records by name, and conditions.
import type { Fragment, Sql, Statement } from '../platform/db/database.ts';
import { isDay } from '../platform/instants.ts';

/** A page of a list, and how it is sorted and searched. */
export interface Paging {
  limit: number;
  offset: number;
  sort: string;
  descending: boolean;
  search: string | undefined;
}

export interface Page {
  records: Record<string, unknown>[];
  /** The number of records of all pages. */
  total: number;
}

/** A record as the API shows it, and its version for the ETag. */
export interface Shown {
  record: Record<string, unknown>;
  version: string;
}

interface PageSource {
  /** The table or subquery with the rows `r`. */
  rows: Fragment;
  where: Fragment;
  /** The JSON of a row, which is only evaluated for the rows of the page. */
  record: Fragment;
  /** What sorts by name and by time. Default: the columns `name` and `created_at`. */
  name?: Fragment;
  time?: Fragment;
  /** Makes the order unique. Default: the id, in the direction of the page. */
  key?: Fragment;
}

/** One page of a list, and the number of records of all pages. */
export function selectPage(
  sql: Sql,
  { rows, where, record, name = sql`r.name collate "und-x-icu"`, time = sql`r.created_at`, key }: PageSource,
  { limit, offset, sort, descending }: Paging,
): Statement<Page> {
  const direction = descending ? sql`desc` : sql`asc`;
  const by = sort === 'name' ? name : time;
  const order = sql`${by} ${direction}, ${key ?? sql`r.id ${direction}`}`;
  return sql`
    select (select count(*)::integer from ${rows} where ${where}) as total, (
      select coalesce(json_agg(${record} order by ${order}), '[]')
      from (select r.* from ${rows} where ${where} order by ${order} limit ${limit} offset ${offset}) as r
    ) as records`;
}

/** The condition that a text contains what is searched. */
export const contains = (sql: Sql, text: Fragment, { search }: Pick<Paging, 'search'>): Fragment =>
  search === undefined ? sql`true` : sql`app.contains_text(${text}, ${search})`;

/** The same for codes, which are compared as they are. */
export const containsExactly = (sql: Sql, text: Fragment, { search }: Pick<Paging, 'search'>): Fragment =>
  search === undefined ? sql`true` : sql`strpos(${text}, ${search}) > 0`;

/** The condition that a column has the value of a filter, if that was sent. */
export const equals = (sql: Sql, column: Fragment, value: string | undefined): Fragment =>
  value === undefined ? sql`true` : sql`${column} = ${value}`;

/** Conditions of which all must be met. */
export const all = (sql: Sql, conditions: readonly Fragment[]): Fragment =>
  conditions.reduce<Fragment>((both, one) => sql`${both} and ${one}`, sql`true`);

/** Shows a row `r`. `counted` are members that the service counts, which do not change the version. */
export const selectShown = (
  sql: Sql,
  { record, rows, where }: Pick<PageSource, 'record' | 'rows' | 'where'>,
  counted: readonly string[] = [],
): Statement<Shown> => sql`
  select s.record, app.version_of(s.record, ${counted}) as version from (select ${record} as record from ${rows} where ${where}) as s`;

/**
 * Checks the versions of `If-Match` (JSON, null without the header). Without a kind, the record need not exist unless the request has
 * that header.
 */
export const expectRecord = (
  sql: Sql,
  kind: string | null,
  versions: string | null,
  shown: Statement<Shown>,
): Fragment => sql`
  select app.expect_record(${kind}, ${versions}::jsonb, s.record, s.version) from (select) as one left join (${shown}) as s on true`;

/** Serializes requests that add rows to a table. The functions of the schema `admin` take the same lock. */
export const lockRoom = (sql: Sql, tenantId: string, table: string): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`room public.${table}${tenantId}`}, 0))`;

interface Room {
  table: string;
  max: number;
  /** What the error calls the rows. */
  noun: string;
  /** Which rows `r` count. Default: all. */
  where?: Fragment;
}

/** Rejects a row that would be one too many. After `lockRoom`. */
export const expectRoom = (
  sql: Sql,
  tenantId: string,
  { table, max, noun, where = sql`true` }: Room,
): Fragment => sql`
  select app.raise_domain_error('no_room', jsonb_build_object('used', count(*), 'max', ${max}::integer, 'noun', ${noun}::text))
  from ${sql(`public.${table}`)} r where r.tenant_id = ${tenantId} and ${where} having count(*) >= ${max}`;

/** The summary of the transaction's changes, from the audit trail. */
export const selectSummary = (sql: Sql): Statement<{ summary: string }> =>
  sql`select app.changes_summary() as summary`;

/** A day, which means its midnight in the tenant's time zone, or a timestamp. */
export const moment = (sql: Sql, value: string | null): Fragment =>
  value !== null && isDay(value) ? sql`app.local_midnight(${value}::date)` : sql`${value}::timestamptz`;
