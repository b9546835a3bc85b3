// SQL of the table `teams` and of membership, which is stored in `users.team_id`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import type { UserRecord } from '../users/queries.ts';

/** A team as stored: the result of `app.team_record`. */
export type TeamRecord = RowAs<'teams', 'tenant_id', { leader_name: string | null; member_count: number }>;

export type TeamWithMembers = TeamRecord & { members: UserRecord[] };

type TeamRow = { record: TeamRecord };

/** Maximum number of members in the response with a team. */
const MAX_TEAM_MEMBERS_SHOWN = 100;

/** The team with its first members by name. Raises `team_missing`. */
export function selectTeamWithMembers(
  sql: Sql,
  tenantId: string,
  teamId: string,
): Statement<{ record: TeamWithMembers }> {
  return sql`
    select coalesce((
      select app.team_record(t) || jsonb_build_object('members', (
        select coalesce(jsonb_agg(app.user_record(m.u) order by (m.u).name, (m.u).id), '[]')
        from (
          select u from public.users u where u.tenant_id = t.tenant_id and u.team_id = t.id
          order by u.name, u.id limit ${MAX_TEAM_MEMBERS_SHOWN}
        ) m
      ))
      from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}
    ), app.raise_domain_error('team_missing')) as record`;
}

/** A team; no row if it does not exist. */
export const selectTeam = (sql: Sql, tenantId: string, teamId: string): Statement<TeamRow> => sql`
  select app.team_record(t) as record from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}`;

/** Raises `team_missing`. */
export function checkTeamExists(sql: Sql, tenantId: string, teamId: string): Fragment {
  return sql`
    select coalesce(
      (select to_jsonb(t.id) from public.teams t where t.tenant_id = ${tenantId} and t.id = ${teamId}),
      app.raise_domain_error('team_missing')
    )`;
}

export function insertTeam(
  sql: Sql,
  tenantId: string,
  teamId: string,
  columns: JsonColumns,
  team: object,
): Fragment {
  return sql`
    insert into public.teams (id, tenant_id, ${columnList(sql, columns)})
    select ${teamId}::uuid, ${tenantId}::uuid, ${columnsFromJson(sql, columns)}
    from jsonb_populate_record(null::public.teams, ${JSON.stringify(team)}::jsonb) as r`;
}

/** Moves these users into a team. Raises `members_unknown` if one does not exist. */
export function insertMembers(
  sql: Sql,
  tenantId: string,
  teamId: string,
  userIds: readonly string[],
): Fragment {
  const members = `{${userIds.join(',')}}`;
  return sql`
    with joined as (
      update public.users u set team_id = ${teamId}
      where u.tenant_id = ${tenantId} and u.id = any (${members}::text::uuid[])
      returning 1
    )
    select case when (select count(*) from joined) <> cardinality(${members}::text::uuid[])
                then app.raise_domain_error('members_unknown') end`;
}

/** Updates the columns in `change`. Raises `team_missing`. */
export function updateTeam(
  sql: Sql,
  tenantId: string,
  teamId: string,
  columns: JsonColumns,
  change: object,
): Statement<TeamRow> {
  return sql`
    with changed as (
      update public.teams t
      set (${columnList(sql, columns)}) = (
        select ${columnsFromJson(sql, columns)} from jsonb_populate_record(t, ${JSON.stringify(change)}::jsonb) as r
      )
      where t.tenant_id = ${tenantId} and t.id = ${teamId}
      returning app.team_record(t) as record
    )
    select coalesce((select record from changed), app.raise_domain_error('team_missing')) as record`;
}

/** Moves a user into a team. Raises `member_unknown`. */
export function insertMember(
  sql: Sql,
  tenantId: string,
  teamId: string,
  userId: string,
): Statement<{ record: UserRecord }> {
  return sql`
    with joined as (
      update public.users u set team_id = ${teamId} where u.tenant_id = ${tenantId} and u.id = ${userId}
      returning app.user_record(u) as record
    )
    select coalesce((select record from joined), app.raise_domain_error('member_unknown')) as record`;
}

/** Raises `member_missing`. */
export function deleteMember(sql: Sql, tenantId: string, teamId: string, userId: string): Fragment {
  return sql`
    with left_team as (
      update public.users u set team_id = null
      where u.tenant_id = ${tenantId} and u.id = ${userId} and u.team_id = ${teamId}
      returning 1
    )
    select coalesce((select to_jsonb(1) from left_team), app.raise_domain_error('member_missing'))`;
}
