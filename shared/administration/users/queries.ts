// SQL of users' access. The id of the user that the path names is `recordId`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { recordId, rememberRecord } from '../named/queries.ts';
import {
  all,
  contains,
  equals,
  type Page,
  type Paging,
  type Shown,
  selectPage,
  selectShown,
} from '../statements.ts';

const accessRecord = (sql: Sql): Fragment => sql`json_build_object(
  'user_id', r.id, 'name', r.name, 'email', r.email, 'role', r.role, 'status', r.status, 'access', r.access, 'scopes', r.scopes,
  'linked', r.linked, 'last_active_at', app.format_utc(r.last_active_at))`;

const accessRows = (sql: Sql, tenantId: string): Fragment => sql`(
  select u.id, u.name, u.email, u.role, u.status, u.last_active_at, u.created_at, a.access, a.scopes, a.linked
  from public.users u, app.access_of_user(u.id) as a where u.tenant_id = ${tenantId}
) as r`;

export const selectUsers = (
  sql: Sql,
  tenantId: string,
  access: string | undefined,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: accessRows(sql, tenantId),
      where: all(sql, [
        contains(sql, sql`r.name || ' ' || r.email`, paging),
        equals(sql, sql`r.access`, access),
      ]),
      record: accessRecord(sql),
    },
    paging,
  );

export const selectUserAccess = (sql: Sql, tenantId: string): Statement<Shown> =>
  selectShown(
    sql,
    { record: accessRecord(sql), rows: accessRows(sql, tenantId), where: sql`r.id = ${recordId(sql)}` },
    ['last_active_at'],
  );

/** Finds the user with this id or email address. */
export const rememberUser = (sql: Sql, tenantId: string, ref: string): Fragment =>
  rememberRecord(
    sql,
    sql`(
      select app.find_by_name('user', ${ref}, null, array_agg(u.id::text), array_agg(u.email), null)
      from public.users u where u.tenant_id = ${tenantId})`,
  );

export const lockUser = (sql: Sql, tenantId: string): Fragment =>
  sql`select id from public.users u where u.tenant_id = ${tenantId} and u.id = ${recordId(sql)} for no key update`;

/** Gives the scopes, or those of the preset. Raises `scope_not_own`. */
export const updateAccess = (
  sql: Sql,
  { preset, scopes }: { preset?: string | undefined; scopes?: readonly string[] | undefined },
): Fragment =>
  sql`select app.set_user_access(${recordId(sql)}, ${preset === undefined ? sql`${scopes ?? []}::text[]` : sql`app.preset_scopes(${preset})`})`;
