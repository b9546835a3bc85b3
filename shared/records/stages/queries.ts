// SQL of the table `pipeline_stages`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns } from '../../platform/db/row.ts';

export type StageRecord = Columns<'pipeline_stages', 'id' | 'name' | 'position' | 'probability'>;

export function selectStages(sql: Sql, tenantId: string): Statement<StageRecord> {
  return sql`
    select id, name, position, probability from public.pipeline_stages
    where tenant_id = ${tenantId} order by position, name`;
}

export interface StageChoice {
  stage_id?: string | null | undefined;
  /** Name, without case, or id. */
  stage?: string | null | undefined;
}

/**
 * The stage that is meant, the first one when none is. Raises `stage_missing` and `stage_unknown` for one that is not
 * there, `pipeline_empty` where there is none.
 */
export const stageOf = (sql: Sql, { stage_id, stage }: StageChoice): Fragment =>
  sql`app.stage_of(${JSON.stringify({ stage_id, stage })}::jsonb)`;
