// SQL that reads gamification. The rules for points are in database/gamification/.

import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { ListQuery } from '../list.ts';
import type { StandingResponse } from './schema.ts';
import type { StandingsQuery, StandingsTime } from './standings-query.ts';
import type { Metric, PointReason } from './states.ts';

export type MissionRecord = RowAs<
  'missions',
  'tenant_id' | 'created_at',
  { codes: string[]; completions: number }
>;
export type BadgeRecord = RowAs<'badges', 'tenant_id' | 'created_at', { metric: Metric; earned_by: number }>;
export type EarnedBadgeRecord = BadgeRecord & { earned_at: string };
export interface Progress {
  user_id: string | null;
  name: string;
  value: number;
  completed_at: string | null;
}
export type ChallengeRecord = RowAs<
  'challenges',
  'tenant_id' | 'created_at',
  { metric: Metric; progress: Progress[] }
>;
export type SeasonRecord = RowAs<'seasons', 'tenant_id' | 'created_at', object>;
/** What earned points. */
interface PointSubject {
  resource: 'activity' | 'deal' | 'lead';
  id: string;
  name: string | null;
}
export interface PointEntryRecord {
  id: number;
  points: number;
  reason: PointReason;
  note: string | null;
  mission_id: string | null;
  mission_name: string | null;
  subject: PointSubject | null;
  created_at: string;
}
/** A row of the standings; all of its members are public. */
export type StandingRecord = StandingResponse;

/**
 * Counts completions from activities, which have an index for this. The result matches the ledger, which has no
 * index by mission because maintaining it would slow down every new entry.
 */
export function missionRecord(sql: Sql, userId: string | undefined): Fragment {
  const ofUser =
    userId === undefined
      ? sql``
      : sql`and a.collaborator_id = (
          select c.id from public.collaborators c
          join public.users u on u.tenant_id = c.tenant_id and u.player_id = c.player_id
          where u.tenant_id = r.tenant_id and u.id = ${userId}
        )`;
  return sql`jsonb_build_object(
    'id', r.id, 'name', r.name, 'points', r.points,
    'codes', array(
      select mc.code from public.mission_codes mc
      where mc.tenant_id = r.tenant_id and mc.mission_id = r.id order by mc.code
    ),
    'completions', (
      select count(*) from public.mission_codes mc
      join public.activities a on a.tenant_id = mc.tenant_id and a.activity_code = mc.code and a.voided_at is null
      where mc.tenant_id = r.tenant_id and mc.mission_id = r.id ${ofUser}
    )
  )`;
}

export const badgeRecord = (sql: Sql): Fragment => sql`jsonb_build_object(
  'id', r.id, 'name', r.name, 'metric', r.metric, 'threshold', r.threshold,
  'earned_by', (select count(*) from public.earned_badges e where e.tenant_id = r.tenant_id and e.badge_id = r.id)
)`;

export const challengeRecord = (sql: Sql, userId: string | undefined): Fragment => sql`
  to_jsonb(r) - '{tenant_id,created_at}'::text[]
  || jsonb_build_object('progress', app.challenge_progress(r.id, ${userId ?? null}))`;

export const seasonRecord = (sql: Sql): Fragment => sql`to_jsonb(r) - '{tenant_id,created_at}'::text[]`;

export const pointEntryRecord = (sql: Sql): Fragment => sql`jsonb_build_object(
  'id', r.id, 'points', r.points, 'reason', r.reason, 'mission_id', r.mission_id, 'created_at', r.created_at,
  'note', coalesce(r.note, case when r.reason = 'activity_voided' then (
    select a.void_reason from public.activities a where a.tenant_id = r.tenant_id and a.id = r.activity_id
  ) end),
  'mission_name', (select m.name from public.missions m where m.tenant_id = r.tenant_id and m.id = r.mission_id),
  'subject', coalesce(
    (select jsonb_build_object('resource', 'activity', 'id', a.external_id, 'name', null)
     from public.activities a where a.tenant_id = r.tenant_id and a.id = r.activity_id),
    (select jsonb_build_object('resource', case when l.deal_id is null then 'lead' else 'deal' end,
                               'id', coalesce(l.deal_id, l.lead_id), 'name', coalesce(d.name, s.name))
     from public.deal_activities l
     left join public.deals d on d.tenant_id = l.tenant_id and d.id = l.deal_id
     left join public.leads s on s.tenant_id = l.tenant_id and s.id = l.lead_id
     where l.tenant_id = r.tenant_id and l.id = r.deal_activity_id and coalesce(l.deal_id, l.lead_id) is not null),
    (select jsonb_build_object('resource', split_part(e.type, '.', 1), 'id', app.event_data(e) -> 'id', 'name', app.event_data(e) -> 'name')
     from public.events e
     where e.tenant_id = r.tenant_id and e.id = r.event_id and split_part(e.type, '.', 1) in ('deal', 'lead')))
)`;

/** A page of a user's badges. */
export function selectEarnedBadges(
  sql: Sql,
  tenantId: string,
  userId: string,
  { page, perPage, sort, descending }: ListQuery,
): Statement<{ total: string; records: EarnedBadgeRecord[] }> {
  const key = sort === 'name' ? sql`r.name collate "und-x-icu"` : sql`e.earned_at`;
  const direction = descending ? sql`desc` : sql`asc`;
  return sql`
    with earned as (
      select e.earned_at, r.id as badge_id, ${badgeRecord(sql)} as badge,
             row_number() over (order by ${key} ${direction}, r.id ${direction}) as place
      from public.users u
      join public.earned_badges e on e.tenant_id = u.tenant_id and e.player_id = u.player_id
      join public.badges r        on r.tenant_id = e.tenant_id and r.id = e.badge_id
      where u.tenant_id = ${tenantId} and u.id = ${userId}
    )
    select count(*) as total, coalesce(
      jsonb_agg(badge || jsonb_build_object('earned_at', earned_at) order by place)
      filter (where place > ${(page - 1) * perPage}::bigint and place <= ${page * perPage}::bigint), '[]'
    ) as records
    from earned`;
}

/** A page of the standings. Raises `season_unknown`, `period_backwards`, `not_in_standings`. */
export function selectStandings(
  sql: Sql,
  tenantId: string,
  { time, teamId, around, page, perPage }: StandingsQuery,
): Statement<{ records: StandingRecord[]; total: string; page: string }> {
  return sql`
    select s.records, s.total, s.page
    from app.standings(
      ${tenantId}, ${rangeOf(sql, tenantId, time)}, ${teamId ?? null}::uuid, ${around ?? null}::uuid, ${perPage}::integer,
      ${(page - 1) * perPage}::bigint
    ) as s`;
}

function rangeOf(sql: Sql, tenantId: string, time: StandingsTime): Fragment {
  if ('season' in time) {
    return sql`coalesce(
      (select tstzrange(o.starts_at, o.ends_at) from public.seasons o where o.tenant_id = ${tenantId} and o.id = ${time.season}),
      (app.raise_domain_error('season_unknown') ->> 0)::tstzrange
    )`;
  }
  if ('period' in time) {
    return sql`app.period(${tenantId}, ${time.period === 'all' ? 'all_time' : time.period})`;
  }
  const { from, to } = time;
  const since = from ? momentOf(sql, from) : sql`'-infinity'::timestamptz`;
  const until = to ? momentOf(sql, to) : sql`'infinity'::timestamptz`;
  return sql`case when ${since} < ${until} then tstzrange(${since}, ${until})
    else (app.raise_domain_error('period_backwards') ->> 0)::tstzrange end`;
}

const momentOf = (sql: Sql, moment: { day: string } | { instant: string }): Fragment =>
  'day' in moment
    ? sql`app.local_midnight(${moment.day}::text::date)`
    : // Cast from text, because the driver truncates microseconds.
      sql`${moment.instant}::text::timestamptz`;
