// Missions, tiers, badges, challenges and seasons as named resources.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import type { NamedResource } from '../named/resource.ts';
import { newBadge, newChallenge, newMission, newSeason, newTier } from './schema.ts';

const codesOf = (sql: Sql): Fragment => sql`
  select mc.code from public.mission_codes mc where mc.tenant_id = r.tenant_id and mc.mission_id = r.id`;

export const missions: NamedResource = {
  kind: 'mission',
  table: 'missions',
  columns: columnsOf(newMission, 'codes'),
  counted: ['completions'],
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'points', r.points, 'codes', array(${codesOf(sql)} order by mc.code),
    'completions', (select count(*) from public.activities a
                    where a.tenant_id = r.tenant_id and a.activity_code in (${codesOf(sql)}) and a.voided_at is null),
    'created_at', app.format_utc(r.created_at))`,
  isInUse: (sql) => sql`exists (
    select from public.point_entries e where e.tenant_id = r.tenant_id and e.mission_id = r.id)`,
  writeOthers: (sql, id, { codes }) =>
    codes === undefined ? [] : sql`select app.set_mission_codes(${id}, ${codes as string[]})`,
  deleteOthers: (sql, id) => sql`select app.set_mission_codes(${id}, '{}')`,
};

export const tiers: NamedResource = {
  kind: 'tier',
  table: 'tiers',
  columns: columnsOf(newTier),
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'min_points', r.min_points, 'created_at', app.format_utc(r.created_at))`,
  check: (sql, { row, tenantId }) => sql`
    select app.raise_domain_error('tier_taken', jsonb_build_object('existing_id', t.id))
    from ${row} r join public.tiers t on t.tenant_id = ${tenantId} and t.min_points = r.min_points and t.id is distinct from r.id`,
};

export const badges: NamedResource = {
  kind: 'badge',
  table: 'badges',
  columns: columnsOf(newBadge),
  counted: ['earned_by'],
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'metric', r.metric, 'threshold', r.threshold,
    'earned_by', (select count(*) from public.earned_badges e where e.tenant_id = r.tenant_id and e.badge_id = r.id),
    'created_at', app.format_utc(r.created_at))`,
  isInUse: (sql) => sql`exists (
    select from public.earned_badges e where e.tenant_id = r.tenant_id and e.badge_id = r.id)`,
};

export const challenges: NamedResource = {
  kind: 'challenge',
  table: 'challenges',
  columns: columnsOf(newChallenge),
  counted: ['completed_by'],
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'metric', r.metric, 'target', r.target, 'starts_at', app.format_utc(r.starts_at),
    'ends_at', app.format_utc(r.ends_at), 'reward_points', r.reward_points,
    'completed_by', (select count(*) from public.completed_challenges c where c.tenant_id = r.tenant_id and c.challenge_id = r.id),
    'created_at', app.format_utc(r.created_at))`,
  isInUse: (sql) => sql`exists (
    select from public.completed_challenges c where c.tenant_id = r.tenant_id and c.challenge_id = r.id)`,
};

export const seasons: NamedResource = {
  kind: 'season',
  table: 'seasons',
  columns: columnsOf(newSeason),
  record: (sql) => sql`json_build_object(
    'id', r.id, 'name', r.name, 'starts_at', app.format_utc(r.starts_at), 'ends_at', app.format_utc(r.ends_at),
    'created_at', app.format_utc(r.created_at))`,
};
