// SQL of activity codes and point rules.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { idNamed } from '../named/queries.ts';
import {
  all,
  containsExactly,
  type Page,
  type Paging,
  type Shown,
  selectPage,
  selectShown,
} from '../statements.ts';
import { missions } from './named.ts';

// Activity codes --------------------------------------------------------------------------------------------------------

const codeRecord = (sql: Sql, tenantId: string): Fragment => sql`json_build_object(
  'code', r.code,
  'mission', (select json_build_object('id', m.id, 'name', m.name) from public.missions m
              where m.tenant_id = ${tenantId} and m.id = r.mission_id),
  'activities', r.activities, 'last_received_at', app.format_utc(r.last_received_at))`;

export const selectCodes = (
  sql: Sql,
  tenantId: string,
  mapped: string | undefined,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`(
        select coalesce(mc.code, a.code) as code, mc.mission_id, coalesce(a.activities, 0) as activities, a.last_received_at
        from (select m.code, m.mission_id from public.mission_codes m where m.tenant_id = ${tenantId}) as mc
        full join (
          select s.activity_code as code, count(*) as activities, max(s.created_at) as last_received_at
          from public.activities s where s.tenant_id = ${tenantId} and s.voided_at is null group by s.activity_code
        ) as a on a.code = mc.code
      ) as r`,
      where: all(sql, [
        containsExactly(sql, sql`r.code`, paging),
        mapped === undefined ? sql`true` : sql`(r.mission_id is not null) = ${mapped}::boolean`,
      ]),
      record: codeRecord(sql, tenantId),
      name: sql`r.code`,
      // Codes that were never sent come first in ascending order.
      time: sql`coalesce(r.last_received_at, '-infinity')`,
      key: sql`r.code`,
    },
    paging,
  );

/** An activity code, which may be neither mapped nor sent. */
export const selectCode = (sql: Sql, tenantId: string, code: string): Statement<Shown> =>
  selectShown(
    sql,
    {
      record: codeRecord(sql, tenantId),
      rows: sql`(
        select ${code}::text as code, ${missionOf(sql, tenantId, code)} as mission_id, count(*) as activities,
               max(a.created_at) as last_received_at
        from public.activities a where a.tenant_id = ${tenantId} and a.activity_code = ${code} and a.voided_at is null
      ) as r`,
      where: sql`true`,
    },
    ['activities', 'last_received_at'],
  );

const missionOf = (sql: Sql, tenantId: string, code: string): Fragment => sql`(
  select mc.mission_id from public.mission_codes mc where mc.tenant_id = ${tenantId} and mc.code = ${code})`;

/** Serializes requests about a code, which need not have a row. */
export const lockCode = (sql: Sql, tenantId: string, code: string): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`code ${code}${tenantId}`}, 0))`;

/** Rejects unknown and ambiguous missions. */
export const mapCode = (sql: Sql, tenantId: string, code: string, mission: string): Fragment =>
  sql`select app.map_activity_code(${code}, ${idNamed(sql, missions, tenantId, mission, 'mission')})`;

/** Raises `code_not_mapped`. */
export const unmapCode = (sql: Sql, tenantId: string, code: string): Fragment => sql`
  select case when ${missionOf(sql, tenantId, code)} is null then app.raise_domain_error('code_not_mapped') end,
         app.unmap_activity_code(${code})`;

// Point rules -----------------------------------------------------------------------------------------------------------

const ruleRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'event', r.event, 'points', r.points,
  'stage', (select json_build_object('id', s.id, 'name', s.name) from public.pipeline_stages s
            where s.tenant_id = r.tenant_id and s.id = r.stage_id),
  'max_per_day', r.max_per_day, 'created_at', app.format_utc(r.created_at))`;

export const selectRules = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.point_rules r`,
      where: sql`r.tenant_id = ${tenantId} and ${containsExactly(sql, sql`r.event`, paging)}`,
      record: ruleRecord(sql),
      name: sql`r.event collate "und-x-icu"`,
    },
    paging,
  );

/** The condition that `r` is the rule of an event and stage. */
export const ruleOf = (sql: Sql, event: string, stageId: Fragment): Fragment =>
  sql`r.event = ${event} and r.stage_id is not distinct from ${stageId}`;

export const ruleWithId = (sql: Sql, id: string): Fragment => sql`r.id = ${id}`;

export const selectRule = (sql: Sql, tenantId: string, which: Fragment): Statement<Shown> =>
  selectShown(sql, {
    record: ruleRecord(sql),
    rows: sql`public.point_rules r`,
    where: sql`r.tenant_id = ${tenantId} and ${which}`,
  });

export const lockRule = (sql: Sql, tenantId: string, which: Fragment): Fragment =>
  sql`select from public.point_rules r where r.tenant_id = ${tenantId} and ${which} for update`;

export const ruleExists = (sql: Sql, tenantId: string, which: Fragment): Fragment =>
  sql`exists (select from public.point_rules r where r.tenant_id = ${tenantId} and ${which})`;

/** Waits for a transaction that deletes the stage, and keeps it from being deleted. */
export const lockStage = (sql: Sql, tenantId: string, id: Fragment): Fragment =>
  sql`select from public.pipeline_stages s where s.tenant_id = ${tenantId} and s.id = ${id} for key share`;

interface Rule {
  event: string;
  points: number;
  maxPerDay: number | null;
}

export const upsertRule = (
  sql: Sql,
  tenantId: string,
  stageId: Fragment,
  { event, points, maxPerDay }: Rule,
): Fragment => sql`
  insert into public.point_rules (tenant_id, event, points, stage_id, max_per_day)
  values (${tenantId}, ${event}, ${points}, ${stageId}, ${maxPerDay})
  on conflict on constraint point_rules_tenant_id_event_stage_id_key
  do update set points = excluded.points, max_per_day = excluded.max_per_day`;

export const deleteRule = (sql: Sql, tenantId: string, which: Fragment): Fragment =>
  sql`delete from public.point_rules r where r.tenant_id = ${tenantId} and ${which}`;
