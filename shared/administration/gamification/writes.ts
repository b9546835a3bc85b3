// Writes activity codes and point rules.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import type { Sql } from '../../platform/db/database.ts';
import { stages } from '../automations/named.ts';
import { adminError } from '../errors.ts';
import { idNamed, recordId, rememberRecord } from '../named/queries.ts';
import { expectRecord, expectRoom, lockRoom } from '../statements.ts';
import { type Changed, change, rememberMade, upsertStatus } from '../transactions.ts';
import {
  deleteRule as deleteRow,
  lockCode,
  lockRule,
  lockStage,
  mapCode as mapRow,
  ruleExists,
  ruleOf,
  ruleWithId,
  selectCode,
  selectRule,
  unmapCode as unmapRow,
  upsertRule,
} from './queries.ts';
import type { pointRuleInput } from './schema.ts';

const MAX_RULES = 500;

const lockCodeVersion = (sql: Sql, tenantId: string, code: string, versions: string | null) => [
  lockCode(sql, tenantId, code),
  expectRecord(sql, null, versions, selectCode(sql, tenantId, code)),
];

/** Maps an activity code to a mission (id or name). Throws `unprocessable` and `precondition_failed`. */
export async function mapCode(
  context: Context,
  code: string,
  mission: string,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    locked: lockCodeVersion(sql, tenantId, code, versions),
    map: mapRow(sql, tenantId, code, mission),
    shown: selectCode(sql, tenantId, code),
  }));
}

/** Throws `not_found` if the code is not mapped, and `precondition_failed`. */
export const unmapCode = (context: Context, code: string, versions: string | null): Promise<Changed> =>
  change(context, (sql) => ({
    locked: lockCodeVersion(sql, context.tenantId, code, versions),
    unmap: unmapRow(sql, context.tenantId, code),
  }));

/** Creates or changes the rule of an event and stage (id or name). Throws `unprocessable` and `precondition_failed`. */
export async function setRule(
  context: Context,
  { event, points, stage, max_per_day: maxPerDay = null }: z.output<typeof pointRuleInput>,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  if (stage && event !== 'deal.stage_changed') throw adminError('stage_not_allowed');
  return await change(
    context,
    (sql) => {
      const named = stage && idNamed(sql, stages, tenantId, stage, 'stage');
      const stageId = stage ? recordId(sql) : sql`null::uuid`;
      const rule = ruleOf(sql, event, stageId);
      const exists = ruleExists(sql, tenantId, rule);
      return {
        // A stage that was deleted while the first statement waited for its lock is unknown to the second.
        stage: named ? [lockStage(sql, tenantId, named), rememberRecord(sql, named)] : [],
        lock: [lockRoom(sql, tenantId, 'point_rules'), lockRule(sql, tenantId, rule)],
        version: expectRecord(sql, null, versions, selectRule(sql, tenantId, rule)),
        made: rememberMade(sql, exists),
        room: expectRoom(sql, tenantId, {
          table: 'point_rules',
          max: MAX_RULES,
          noun: 'point rules',
          where: sql`not ${exists}`,
        }),
        write: upsertRule(sql, tenantId, stageId, { event, points, maxPerDay }),
        shown: selectRule(sql, tenantId, rule),
      };
    },
    { status: upsertStatus },
  );
}

/** Deletes a rule; the points that it awarded stay. Throws `not_found` and `precondition_failed`. */
export const deleteRule = (context: Context, id: string, versions: string | null): Promise<Changed> =>
  change(context, (sql) => {
    const { tenantId } = context;
    const rule = ruleWithId(sql, id);
    return {
      lock: lockRule(sql, tenantId, rule),
      version: expectRecord(sql, 'point_rule', versions, selectRule(sql, tenantId, rule)),
      delete: deleteRow(sql, tenantId, rule),
    };
  });
