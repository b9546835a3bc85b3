// Teams and their members. SQL of the table `teams`; membership is `team_id` of `users`.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { changedFilters, type List, type ListQuery, type ListResult, readList } from '../list.ts';
import { userList } from '../users/operations.ts';
import type { Row } from '../variants/naming.ts';
import type { NewTeam, TeamChange } from './schema.ts';

export const teamList: List = {
  table: 'teams',
  filters: changedFilters,
  sorts: ['created_at', 'updated_at', 'name'],
  record: (sql) => sql`app.team_record(r)`,
};

interface One {
  record: Row;
}

/** The team, with its members under `members`. Throws `not_found`. */
export async function getTeam({ transaction, tenantId }: Context, teamId: string): Promise<Row> {
  const [rows] = await withDomainErrors(
    transaction((sql) => [
      sql`
        select coalesce((
          select app.team_record(t) || jsonb_build_object('members', (
            select coalesce(jsonb_agg(app.user_record(u) order by u.name, u.id), '[]')
            from public.users u where u.tenant_id = t.tenant_id and u.team_id = t.id
          ))
          from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}
        ), app.raise_domain_error('team_missing')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

const exists = (sql: Sql, tenantId: string, teamId: string): Statement => sql`
  select coalesce(
    (select to_jsonb(t.id) from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}),
    app.raise_domain_error('team_missing')
  )`;

/** A page of a team's members. Throws `not_found`. */
export async function listMembers(context: Context, teamId: string, query: ListQuery): Promise<ListResult> {
  const ofTeam = { op: 'eq', column: 'team_id', value: teamId };
  return await withDomainErrors(
    readList(context, userList, query, [ofTeam], (sql) => [exists(sql, context.tenantId, teamId)]),
  );
}

/** Throws `unprocessable` for a leader, parent or member who is not there. */
export async function createTeam({ write, tenantId }: Context, team: NewTeam): Promise<Row> {
  const teamId = randomUUID();
  const members = `{${[...new Set(team.member_ids ?? [])].join(',')}}`;
  const results = await withDomainErrors(
    write((sql) => [
      sql`
        insert into public.teams (id, tenant_id, name, leader_id, parent_team_id)
        values (${teamId}, ${tenantId}, ${team.name}, ${team.leader_id ?? null}, ${team.parent_team_id ?? null})`,
      sql`
        with joined as (
          update public.users u set team_id = ${teamId}
          where u.tenant_id = ${tenantId} and u.id = any (${members}::text::uuid[])
          returning 1
        )
        select case when (select count(*) from joined) <> cardinality(${members}::text::uuid[])
                    then app.raise_domain_error('members_unknown') end`,
      sql`select app.team_record(t) as record from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}`,
    ]),
  );
  return oneRow<One>(results[2]).record;
}

/** Changes what is given. Throws `not_found`, `unprocessable` also for a parent that would make a circle. */
export async function changeTeam(
  { write, tenantId }: Context,
  teamId: string,
  change: TeamChange,
): Promise<Row> {
  const [rows] = await withDomainErrors(
    write((sql) => [
      sql`
        with changed as (
          update public.teams t
          set (name, leader_id, parent_team_id) = (
            select r.name, r.leader_id, r.parent_team_id from jsonb_populate_record(t, ${JSON.stringify(change)}::jsonb) as r
          )
          where t.tenant_id = ${tenantId} and t.id = ${teamId}
          returning app.team_record(t) as record
        )
        select coalesce((select record from changed), app.raise_domain_error('team_missing')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Moves a user into the team; gives the user. Throws `not_found` for the team, `unprocessable` for the user. */
export async function addMember({ write, tenantId }: Context, teamId: string, userId: string): Promise<Row> {
  const [, rows] = await withDomainErrors(
    write((sql) => [
      exists(sql, tenantId, teamId),
      sql`
        with joined as (
          update public.users u set team_id = ${teamId} where u.tenant_id = ${tenantId} and u.id = ${userId}
          returning app.user_record(u) as record
        )
        select coalesce((select record from joined), app.raise_domain_error('member_unknown')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Throws `not_found` for the team and for a user who is no member. */
export async function removeMember(
  { write, tenantId }: Context,
  teamId: string,
  userId: string,
): Promise<void> {
  await withDomainErrors(
    write((sql) => [
      exists(sql, tenantId, teamId),
      sql`
        with left_team as (
          update public.users u set team_id = null
          where u.tenant_id = ${tenantId} and u.id = ${userId} and u.team_id = ${teamId}
          returning 1
        )
        select coalesce((select to_jsonb(1) from left_team), app.raise_domain_error('member_missing'))`,
    ]),
  );
}
