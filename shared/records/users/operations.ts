// Users of the workspace: inviting, reading, changing, deactivating, removing. SQL of the table `users`; events,
// invitations and the work in Auth follow from it by trigger.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { domainError, domainErrorName, withDomainErrors } from '../domain-errors.ts';
import { changedFilters, id, type List, search, word } from '../list.ts';
import type { Row } from '../variants/naming.ts';
import type { NewUser, UserChange } from './schema.ts';

export const userList: List = {
  table: 'users',
  filters: { ...changedFilters, role: word, team_id: id, status: word, search },
  sorts: ['created_at', 'updated_at', 'name', 'email', 'total_points'],
  record: (sql) => sql`app.user_record(r)`,
};

interface One {
  record: Row;
}

/** Throws `not_found`. */
export async function getUser({ transaction, tenantId }: Context, userId: string): Promise<Row> {
  const [rows] = await withDomainErrors(
    transaction((sql) => [
      sql`
        select coalesce(
          (select app.user_record(u) from public.users u where u.tenant_id = ${tenantId} and u.id = ${userId}),
          app.raise_domain_error('user_missing')
        ) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** The user that the client acts for. Throws `not_found` when it acts for none. */
export async function getCurrentUser({ transaction, tenantId, actor }: Context): Promise<Row> {
  const client = actor.type === 'oauth_client' ? actor.clientId : null;
  const [rows] = await transaction((sql) => [
    sql`
      select app.user_record(u) as record
      from public.oauth_clients c
      join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
      where c.tenant_id = ${tenantId} and c.client_id = ${client}`,
  ]);
  const record: Row | undefined = rows?.[0]?.record;
  if (!record) throw new ApiError('not_found', 'This client acts for no user.', { reason: 'user_missing' });
  return record;
}

/** An invited user and the invitation. Throws `conflict` for a taken e-mail, `user_limit_reached`, `unprocessable`. */
export async function inviteUser(
  { write, tenantId }: Context,
  user: NewUser,
): Promise<{ user: Row; invitation: Row }> {
  const userId = randomUUID();
  const [, users, invitations] = await orDuplicate(
    write((sql) => [
      // Users are counted one request after the other.
      sql`select pg_advisory_xact_lock(hashtextextended(${`users:${tenantId}`}, 0))`,
      sql`
        with room as (
          select p.max_users is null or p.max_users > (
            select count(*) from public.users u where u.tenant_id = t.id and u.status in ('invited', 'active')
          ) as left_over
          from public.tenants t join public.plans p on p.name = t.plan
          where t.id = ${tenantId}
        ), made as (
          insert into public.users as u (id, tenant_id, name, email, role, team_id, phone, status)
          select ${userId}, ${tenantId}, r.name, r.email, r.role, r.team_id, r.phone, 'invited'
          from room, jsonb_populate_record(null::public.users, ${JSON.stringify(user)}::jsonb) as r
          where room.left_over
          returning app.user_record(u) as record
        )
        select coalesce((select record from made), app.raise_domain_error('user_limit')) as record`,
      sql`
        select app.invitation_record(i) as record
        from public.invitations i where i.tenant_id = ${tenantId} and i.user_id = ${userId}`,
    ]),
  );
  return { user: oneRow<One>(users).record, invitation: oneRow<One>(invitations).record };
}

/** Changes what is given. Throws `not_found`, `unprocessable` for a team that is not there. */
export async function changeUser(
  { write, tenantId }: Context,
  userId: string,
  change: UserChange,
): Promise<Row> {
  const [rows] = await withDomainErrors(
    write((sql) => [
      sql`
        with changed as (
          update public.users u
          set (name, phone, role, team_id) = (
            select r.name, r.phone, r.role, r.team_id from jsonb_populate_record(u, ${JSON.stringify(change)}::jsonb) as r
          )
          where u.tenant_id = ${tenantId} and u.id = ${userId}
          returning app.user_record(u) as record
        )
        select coalesce((select record from changed), app.raise_domain_error('user_missing')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Deactivates a user, or removes one for good. Deactivating twice changes nothing. Throws `not_found`. */
export async function removeUser(
  { write, tenantId }: Context,
  userId: string,
  forGood: boolean,
): Promise<void> {
  const work = (sql: Sql): Statement =>
    forGood
      ? sql`delete from public.users where tenant_id = ${tenantId} and id = ${userId} returning 1`
      : sql`update public.users set status = 'deactivated' where tenant_id = ${tenantId} and id = ${userId} returning 1`;
  await withDomainErrors(
    write((sql) => [
      sql`
        with gone as (${work(sql)})
        select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('user_missing'))`,
    ]),
  );
}

async function orDuplicate<T>(work: Promise<T>): Promise<T> {
  try {
    return await withDomainErrors(work);
  } catch (error) {
    const taken = ['users_tenant_id_email_key', 'users_tenant_id_player_id_key'].includes(
      domainErrorName(error) ?? '',
    );
    throw taken ? domainError('user_exists') : error;
  }
}
