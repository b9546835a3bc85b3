// SQL of players and their points, and of activities of activity sync.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { recordId, rememberRecord } from '../named/queries.ts';
import { all, contains, containsExactly, equals, type Page, type Paging, selectPage } from '../statements.ts';

type Row = { record: Record<string, unknown> };

// Players ---------------------------------------------------------------------------------------------------------------

/** Users and collaborators, as rows `r`. A row of players can outlast its user and collaborator. */
const playerRows = (sql: Sql, tenantId: string): Fragment => sql`(
  select p.*, u.id as user_id, c.id as collaborator_id, coalesce(u.name, c.name) as person
  from public.players p
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
  where p.tenant_id = ${tenantId} and (c.id is not null or u.id is not null)
) as r`;

const playerRecord = (sql: Sql): Fragment => sql`json_build_object(
  'user_id', r.user_id, 'collaborator_id', r.collaborator_id, 'name', r.person, 'email', r.email, 'points', r.total_points,
  'position', case when not r.opted_out_of_rankings then (
    select 1 + count(*) from public.players o
    where o.tenant_id = r.tenant_id and not o.opted_out_of_rankings and o.total_points > r.total_points) end,
  'opted_out', r.opted_out_of_rankings)`;

export const selectPlayers = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: playerRows(sql, tenantId),
      where: contains(sql, sql`concat_ws(chr(10), coalesce(r.person, r.email), r.email)`, paging),
      record: playerRecord(sql),
      name: sql`coalesce(r.person, r.email) collate "und-x-icu"`,
    },
    paging,
  );

const READERS = ['read:settings', 'manage:gamification'];

/** Finds the player with this email address, whose id is `recordId` from then on. Rejects unknown ones. */
export const rememberPlayer = (sql: Sql, tenantId: string, email: string): Fragment =>
  rememberRecord(
    sql,
    sql`coalesce(
      (select r.id::text from ${playerRows(sql, tenantId)} where r.email = lower(btrim(${email}))),
      app.reject_unknown('player', 'email', array(select r.email from ${playerRows(sql, tenantId)} order by r.email limit 21), ${READERS})::text
    )`,
  );

/** The player with the id `recordId`. */
export const selectPlayer = (sql: Sql, tenantId: string): Statement<Row> =>
  sql`select ${playerRecord(sql)} as record from ${playerRows(sql, tenantId)} where r.id = ${recordId(sql)}`;

export const setOptOut = (sql: Sql, email: string, optedOut: boolean): Fragment =>
  sql`select app.set_ranking_opt_out(${email}, ${optedOut})`;

// Points ----------------------------------------------------------------------------------------------------------------

interface Adjustment {
  email: string;
  points: number;
  reason: string;
}

export const insertAdjustment = (sql: Sql, { email, points, reason }: Adjustment): Fragment =>
  sql`select set_config('app.entry_id', app.adjust_points(${email}, ${points}, ${reason})::text, true)`;

/** After `insertAdjustment`: the entry, and the points of the player with the id `recordId`. */
export const selectAdjustment = (
  sql: Sql,
  tenantId: string,
  { points, reason }: Adjustment,
): Statement<Row> => sql`
  select json_build_object(
    'entry_id', current_setting('app.entry_id')::bigint, 'email', p.email, 'points', ${points}::integer, 'reason', ${reason}::text,
    'total_points', p.total_points) as record
  from public.players p where p.tenant_id = ${tenantId} and p.id = ${recordId(sql)}`;

/** Finds the player of a user or collaborator with this id, whose own id is `recordId` from then on. Raises `player_missing`. */
export const rememberPlayerOf = (sql: Sql, tenantId: string, personId: string): Fragment =>
  rememberRecord(
    sql,
    sql`coalesce(
      (select u.player_id::text from public.users u where u.tenant_id = ${tenantId} and u.id = ${personId}),
      (select c.player_id::text from public.collaborators c where c.tenant_id = ${tenantId} and c.id = ${personId}),
      app.raise_domain_error('player_missing')::text
    )`,
  );

/** The subject of an entry, without the names of deals and leads, which the scope does not permit to read. */
const entrySubject = (sql: Sql): Fragment => sql`coalesce(
  (select json_build_object('resource', 'activity', 'id', a.external_id, 'name', null)
   from public.activities a where a.tenant_id = r.tenant_id and a.id = r.activity_id),
  (select json_build_object('resource', case when l.deal_id is null then 'lead' else 'deal' end,
                            'id', coalesce(l.deal_id, l.lead_id), 'name', null)
   from public.deal_activities l
   where l.tenant_id = r.tenant_id and l.id = r.deal_activity_id and coalesce(l.deal_id, l.lead_id) is not null),
  (select json_build_object('resource', split_part(v.type, '.', 1), 'id', app.event_data(v) -> 'id', 'name', null)
   from public.events v
   where v.tenant_id = r.tenant_id and v.id = r.event_id and split_part(v.type, '.', 1) in ('deal', 'lead')))`;

/** The point entries of the player with the id `recordId`. */
export const selectEntries = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`(
        select e.*, coalesce(e.note, case when e.reason = 'activity_voided' then (
          select a.void_reason from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id) end) as explanation
        from public.point_entries e where e.tenant_id = ${tenantId} and e.player_id = ${recordId(sql)}
      ) as r`,
      where: contains(sql, sql`r.explanation`, paging),
      record: sql`json_build_object(
        'id', r.id, 'points', r.points, 'reason', r.reason, 'note', r.explanation, 'mission_id', r.mission_id,
        'mission_name', (select m.name from public.missions m where m.tenant_id = r.tenant_id and m.id = r.mission_id),
        'subject', ${entrySubject(sql)}, 'created_at', app.format_utc(r.created_at))`,
    },
    paging,
  );

// Activities ------------------------------------------------------------------------------------------------------------

const activityRows = (sql: Sql, tenantId: string): Fragment => sql`(
  select a.*, c.email from public.activities a
  join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
  where a.tenant_id = ${tenantId}
) as r`;

const activityRecord = (sql: Sql): Fragment => sql`json_build_object(
  'external_id', r.external_id, 'email', r.email, 'code', r.activity_code, 'created_at', app.format_utc(r.created_at),
  'voided_at', app.format_utc(r.voided_at), 'void_reason', r.void_reason)`;

export interface ActivityFilters {
  external_id?: string | undefined;
  email?: string | undefined;
  code?: string | undefined;
  voided?: string | undefined;
}

export const selectActivities = (
  sql: Sql,
  tenantId: string,
  { external_id: externalId, email, code, voided }: ActivityFilters,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: activityRows(sql, tenantId),
      where: all(sql, [
        containsExactly(sql, sql`r.external_id`, paging),
        equals(sql, sql`r.external_id`, externalId),
        equals(sql, sql`r.email`, email?.trim().toLowerCase()),
        equals(sql, sql`r.activity_code`, code),
        voided === undefined ? sql`true` : sql`(r.voided_at is not null) = ${voided}::boolean`,
      ]),
      record: activityRecord(sql),
      name: sql`r.external_id`,
      time: sql`r.id`,
    },
    paging,
  );

/** Raises `activity_unknown`. */
export const voidActivity = (sql: Sql, tenantId: string, externalId: string, reason: string): Fragment => sql`
  select case when exists (select from public.activities a where a.tenant_id = ${tenantId} and a.external_id = ${externalId})
              then app.void_activity(${externalId}, ${reason})::text else app.raise_domain_error('activity_unknown')::text end`;

export const selectActivity = (sql: Sql, tenantId: string, externalId: string): Statement<Row> =>
  sql`select ${activityRecord(sql)} as record from ${activityRows(sql, tenantId)} where r.external_id = ${externalId}`;
