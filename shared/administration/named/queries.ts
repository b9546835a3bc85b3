// SQL of named resources. The statements of a write find the record by `recordId`, because the write can change its name.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { columnList, columnsFromJson } from '../../platform/db/sql.ts';
import {
  contains,
  moment,
  type Page,
  type Paging,
  type Shown,
  selectPage,
  selectShown,
} from '../statements.ts';
import type { Body, NamedResource } from './resource.ts';

const READERS = ['read:settings', 'manage:gamification'];

const tableOf = (sql: Sql, { table }: NamedResource) => sql(`public.${table}`);

/** SQL for the id of the record with this id or name. `field` is the member with the reference; null for the path. */
export const idNamed = (
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  ref: string,
  field: string | null = null,
): Fragment => sql`(
  select app.find_by_name(
    ${resource.kind}, ${ref}, ${field}, array_agg(n.id::text order by n.created_at), array_agg(n.name order by n.created_at),
    ${resource.readers ?? READERS}
  )::uuid
  from ${tableOf(sql, resource)} n where n.tenant_id = ${tenantId})`;

/** In the statements of a write: the id that `rememberRecord` found. */
export const recordId = (sql: Sql): Fragment => sql`current_setting('app.record_id')::uuid`;

/** Finds the record, whose id is `recordId` from then on. Rejects unknown and ambiguous names. */
export const rememberRecord = (sql: Sql, id: Fragment): Fragment =>
  sql`select set_config('app.record_id', ${id}::text, true)`;

export const selectNamed = (
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  id: Fragment | string,
): Statement<Shown> =>
  selectShown(
    sql,
    {
      record: resource.record(sql),
      rows: sql`${tableOf(sql, resource)} r`,
      where: sql`r.tenant_id = ${tenantId} and r.id = ${id}`,
    },
    resource.counted,
  );

export const selectNamedPage = (
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`${tableOf(sql, resource)} r`,
      where: sql`r.tenant_id = ${tenantId} and ${contains(sql, sql`r.name`, paging)}`,
      record: resource.record(sql),
    },
    paging,
  );

/** Waits for transactions that change the record. */
export const lockNamed = (sql: Sql, resource: NamedResource, tenantId: string): Fragment =>
  sql`select from ${tableOf(sql, resource)} r where r.tenant_id = ${tenantId} and r.id = ${recordId(sql)} for update`;

/** The lock of `private.check_name`, so that later statements find a record that SQL is creating. */
export const lockNames = (sql: Sql, { table }: NamedResource, tenantId: string): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${table + tenantId}, 0))`;

const MOMENTS = ['starts_at', 'ends_at'];

/** A body as JSON of columns: days become timestamps, and names ids. */
export function storedForm(sql: Sql, resource: NamedResource, tenantId: string, body: Body): Fragment {
  const moments = MOMENTS.filter((name) => typeof body[name] === 'string').map(
    (name) => [name, moment(sql, String(body[name]))] as const,
  );
  const resolved = Object.entries({
    ...Object.fromEntries(moments),
    ...resource.resolve?.(sql, body, tenantId),
  });
  return resolved.reduce<Fragment>(
    (json, [name, value]) => sql`${json} || jsonb_build_object(${name}::text, ${value})`,
    sql`${JSON.stringify(body)}::jsonb`,
  );
}

/** The record as it is stored, as a subquery: no row for a new one. */
export const storedRow = (
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  id: Fragment | undefined,
): Fragment => sql`(
  select t.* from ${tableOf(sql, resource)} t where t.tenant_id = ${tenantId} and t.id = ${id ?? sql`null`})`;

/** The record with the members of a body (JSON), or a new one, as a subquery. */
export const candidateRow = (
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  id: Fragment | undefined,
  body: Fragment,
): Fragment =>
  id
    ? sql`(
        select n.* from ${tableOf(sql, resource)} t cross join lateral jsonb_populate_record(t, ${body}) as n
        where t.tenant_id = ${tenantId} and t.id = ${id})`
    : sql`(select n.* from jsonb_populate_record(null::${tableOf(sql, resource)}, ${body}) as n)`;

const columnsIn = (resource: NamedResource, body: Body) =>
  resource.columns.filter((name) => body[name] !== undefined);

export function insertNamed(
  sql: Sql,
  resource: NamedResource,
  tenantId: string,
  id: string,
  body: Body,
): Fragment {
  const columns = columnsIn(resource, body);
  return sql`
    insert into ${tableOf(sql, resource)} (id, tenant_id, ${columnList(sql, columns)})
    select ${id}::uuid, ${tenantId}::uuid, ${columnsFromJson(sql, columns)}
    from jsonb_populate_record(null::${tableOf(sql, resource)}, ${storedForm(sql, resource, tenantId, body)}) as r`;
}

/** Sets the columns that the body has. */
export function updateNamed(sql: Sql, resource: NamedResource, tenantId: string, body: Body): Fragment[] {
  const columns = columnsIn(resource, body);
  if (columns.length === 0) return [];
  return [
    sql`
      update ${tableOf(sql, resource)} t
      set (${columnList(sql, columns)}) = (
        select ${columnsFromJson(sql, columns)} from jsonb_populate_record(t, ${storedForm(sql, resource, tenantId, body)}) as r
      )
      where t.tenant_id = ${tenantId} and t.id = ${recordId(sql)}`,
  ];
}

/** Raises `<kind>_in_use` if something needs the record. */
export const expectUnused = (sql: Sql, resource: NamedResource, tenantId: string): Fragment[] =>
  resource.isInUse
    ? [
        sql`
          select app.raise_domain_error(${`${resource.kind}_in_use`}) from ${tableOf(sql, resource)} r
          where r.tenant_id = ${tenantId} and r.id = ${recordId(sql)} and ${resource.isInUse(sql)}`,
      ]
    : [];

export const deleteNamed = (sql: Sql, resource: NamedResource, tenantId: string): Fragment =>
  sql`delete from ${tableOf(sql, resource)} r where r.tenant_id = ${tenantId} and r.id = ${recordId(sql)}`;
