// SQL of the table `users`; events, invitations and the work in Auth follow from its rows by trigger.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { fromJson, type JsonColumns, namesOf } from '../../platform/db/json-columns.ts';
import type { Columns, RowAs } from '../../platform/db/row.ts';
import { assignExternalId, type ExternalIdInput, type ExternalIds } from '../external-ids.ts';
import type { UserRole } from '../roles.ts';
import type { StatisticsResponse } from './schema.ts';
import type { UserStatus } from './states.ts';
import type { StatisticsPeriod } from './statistics-period.ts';

/** A user in stored form: what `app.user_record` gives, and what events hold. */
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

/** For a user who is named beside the path: raises `user_unknown`. */
export const checkUserKnown = (sql: Sql, tenantId: string, userId: string): Fragment =>
  checkUser(sql, tenantId, userId, 'user_unknown');

const checkUser = (sql: Sql, tenantId: string, userId: string, reason: string): Fragment => sql`
  select coalesce(
    (select to_jsonb(u.id) from public.users u where u.tenant_id = ${tenantId} and u.id = ${userId}),
    app.raise_domain_error(${reason})
  )`;

/** The user that a client acts for, if any. */
export function selectUserOfClient(sql: Sql, tenantId: string, clientId: string | null): Statement<UserRow> {
  return sql`
    select app.user_record(u) as record
    from public.oauth_clients c
    join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
    where c.tenant_id = ${tenantId} and c.client_id = ${clientId}`;
}

/** Users are counted one request after the other. */
export const lockUserCount = (sql: Sql, tenantId: string, where: Fragment = sql`true`): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`users:${tenantId}`}, 0)) where ${where}`;

/** An invited user; raises `user_limit` where the plan has no room for one. */
export function insertUser(
  sql: Sql,
  tenantId: string,
  userId: string,
  columns: JsonColumns,
  user: object,
  where: Fragment = sql`true`,
): Statement<UserRow> {
  return sql`
    with room as (
      select p.max_users is null or p.max_users > (
        select count(*) from public.users u where u.tenant_id = t.id and u.status in ('invited', 'active')
      ) as left_over
      from public.tenants t join public.plans p on p.name = t.plan
      where t.id = ${tenantId}
    ), made as (
      insert into public.users as u (id, tenant_id, status, ${namesOf(sql, columns)})
      select ${userId}, ${tenantId}, 'invited', ${fromJson(sql, columns)}
      from room, jsonb_populate_record(null::public.users, ${JSON.stringify(user)}::jsonb) as r
      where room.left_over and ${where}
      returning app.user_record(u) as record
    )
    select coalesce((select record from made), case when ${where} then app.raise_domain_error('user_limit') end) as record`;
}

/** Changes what `change` has; nothing, and gives null, where the id is null. Raises `user_missing`. */
export function updateUser(
  sql: Sql,
  tenantId: string,
  userId: string | Fragment,
  columns: JsonColumns,
  change: object,
  given: ExternalIdInput,
): Statement<UserRow> {
  return sql`
    with changed as (
      update public.users u
      set (${namesOf(sql, columns)}) = (
        select ${fromJson(sql, columns)} from jsonb_populate_record(u, ${JSON.stringify(change)}::jsonb) as r
      )${assignExternalId(sql, 'u', given)}
      where u.tenant_id = ${tenantId} and u.id = ${userId}
      returning app.user_record(u) as record
    )
    select coalesce((select record from changed),
                    case when ${userId}::uuid is not null then app.raise_domain_error('user_missing') end) as record`;
}

/** Doing it twice changes nothing. Raises `user_missing`. */
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

/** What a user did in this time, as it is answered; raises `user_missing`. */
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

/** What is to be done next with an account in Auth, and for how many seconds or until when. */
export type AuthTask = { id: string } & (
  | { act: 'ban'; ban_seconds: string }
  | { act: 'lift' | 'delete' }
  /** An operator banned the account, and that ban ends; or somebody may accept an invitation until then. */
  | { act: 'wait'; again_at: Date }
);

/**
 * For the account with this id, else for the one with this e-mail. Nothing when all is as it should be, or the account is not
 * Placar's. For jobs alone.
 */
export const claimAuthTask = (sql: Sql, email: string, accountId: string | null): Statement<AuthTask> =>
  sql`select auth_user_id as id, act, ban_seconds, again_at from app.next_auth_act(${email}, ${accountId})`;
