// SQL of the table `users`. Triggers on it create events, invitations and Auth jobs.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns, RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import { assignExternalId, type ExternalIdInput, type ExternalIds } from '../external-ids.ts';
import type { UserRole } from '../roles.ts';
import type { StatisticsResponse } from './schema.ts';
import type { UserStatus } from './states.ts';
import type { StatisticsPeriod } from './statistics-period.ts';

/** A user as stored and as events contain it: the result of `app.user_record`. */
export type UserRecord = RowAs<
  'users',
  'tenant_id' | 'search' | 'player_id' | 'team_id',
  {
    role: UserRole;
    status: UserStatus;
    team: Columns<'teams', 'id' | 'name'> | null;
    total_points: number;
    ranking_tier: string | null;
    external_ids: ExternalIds;
  }
>;

type UserRow = { record: UserRecord };

/** Raises `user_missing`. */
export function selectUser(sql: Sql, tenantId: string, userId: string | Fragment): Statement<UserRow> {
  return sql`
    select coalesce(
      (select app.user_record(u) from public.users u where u.tenant_id = ${tenantId} and u.id = ${userId}),
      app.raise_domain_error('user_missing')
    ) as record`;
}

/** Raises `user_missing`. */
export const checkUserExists = (sql: Sql, tenantId: string, userId: string): Fragment =>
  checkUser(sql, tenantId, userId, 'user_missing');

/** For a user in a query parameter. Raises `user_unknown`. */
export const checkUserKnown = (sql: Sql, tenantId: string, userId: string): Fragment =>
  checkUser(sql, tenantId, userId, 'user_unknown');

const checkUser = (sql: Sql, tenantId: string, userId: string, reason: string): Fragment => sql`
  select coalesce(
    (select to_jsonb(u.id) from public.users u where u.tenant_id = ${tenantId} and u.id = ${userId}),
    app.raise_domain_error(${reason})
  )`;

/** The user that a client acts for. Returns no row if the client acts for none. */
export function selectUserOfClient(sql: Sql, tenantId: string, clientId: string | null): Statement<UserRow> {
  return sql`
    select app.user_record(u) as record
    from public.oauth_clients c
    join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
    where c.tenant_id = ${tenantId} and c.client_id = ${clientId}`;
}

/** A person with the preset that its access equals. */
export function selectUserWithAccess(
  sql: Sql,
  tenantId: string,
  userId: string,
): Statement<{ record: UserRecord & { access: string | null } }> {
  return sql`
    select app.user_record(u) || jsonb_build_object('access', app.preset_of_user(u.id)) as record
    from public.users u where u.tenant_id = ${tenantId} and u.id = ${userId}`;
}

/** Takes a lock, so that requests that count users run one after the other. */
export const lockUserCount = (sql: Sql, tenantId: string, where: Fragment = sql`true`): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`users:${tenantId}`}, 0)) where ${where}`;

/** Creates an invited user. Raises `user_limit` if the plan's limit is reached. */
export function insertUser(
  sql: Sql,
  tenantId: string,
  userId: string,
  columns: JsonColumns,
  user: object,
  where: Fragment = sql`true`,
): Statement<UserRow> {
  return sql`
    with plan_limit as (
      select p.max_users is null or p.max_users > (
        select count(*) from public.users u where u.tenant_id = t.id and u.status in ('invited', 'active')
      ) as allows_more
      from public.tenants t join public.plans p on p.name = t.plan
      where t.id = ${tenantId}
    ), made as (
      insert into public.users as u (id, tenant_id, status, ${columnList(sql, columns)})
      select ${userId}, ${tenantId}, 'invited', ${columnsFromJson(sql, columns)}
      from plan_limit, jsonb_populate_record(null::public.users, ${JSON.stringify(user)}::jsonb) as r
      where plan_limit.allows_more and ${where}
      returning app.user_record(u) as record
    )
    select coalesce((select record from made), case when ${where} then app.raise_domain_error('user_limit') end) as record`;
}

/** Updates the columns in `change`. If the id is null, changes nothing and returns null. Raises `user_missing`. */
export function updateUser(
  sql: Sql,
  tenantId: string,
  userId: string | Fragment,
  columns: JsonColumns,
  change: object,
  externalId: ExternalIdInput,
): Statement<UserRow> {
  return sql`
    with changed as (
      update public.users u
      set (${columnList(sql, columns)}) = (
        select ${columnsFromJson(sql, columns)} from jsonb_populate_record(u, ${JSON.stringify(change)}::jsonb) as r
      )${assignExternalId(sql, 'u', externalId)}
      where u.tenant_id = ${tenantId} and u.id = ${userId}
      returning app.user_record(u) as record
    )
    select coalesce((select record from changed),
                    case when ${userId}::uuid is not null then app.raise_domain_error('user_missing') end) as record`;
}

/** Idempotent. Raises `user_missing`. */
export function deactivateUser(sql: Sql, tenantId: string, userId: string): Fragment {
  return sql`
    with gone as (
      update public.users set status = 'deactivated' where tenant_id = ${tenantId} and id = ${userId} returning 1
    )
    select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('user_missing'))`;
}

/** Raises `user_missing`. */
export function deleteUser(sql: Sql, tenantId: string, userId: string): Fragment {
  return sql`
    with gone as (delete from public.users where tenant_id = ${tenantId} and id = ${userId} returning 1)
    select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('user_missing'))`;
}

/** A user's statistics for a period, in the format of the response. Raises `user_missing`. */
export function selectStatistics(
  sql: Sql,
  tenantId: string,
  userId: string,
  { period, startDate, endDate }: StatisticsPeriod,
): Statement<{ record: StatisticsResponse }> {
  return sql`
    select coalesce(
      app.user_statistics(${tenantId}, ${userId}, ${period}, ${startDate ?? null}::date, ${endDate ?? null}::date),
      app.raise_domain_error('user_missing')
    ) as record`;
}

/** The next task for an Auth account. */
export type AuthTask = { id: string } & (
  | { act: 'ban'; ban_seconds: string }
  | { act: 'lift' | 'delete' }
  /** Wait until an operator's ban of the account ends, or until an invitation expires. */
  | { act: 'wait'; again_at: Date }
);

/**
 * The next task for the account with this id, or otherwise with this email address. Returns no row if Auth is up to date or the account
 * does not belong to Placar. Worker only.
 */
export const claimAuthTask = (sql: Sql, email: string, accountId: string | null): Statement<AuthTask> =>
  sql`select auth_user_id as id, act, ban_seconds, again_at from app.next_auth_act(${email}, ${accountId})`;
