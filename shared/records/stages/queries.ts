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
  /** Case-insensitive name, or id. */
  stage?: string | null | undefined;
}

/**
 * SQL for the chosen stage; the first stage by default. Raises `stage_missing` or `stage_unknown` if the stage does not exist, and
 * `pipeline_empty` if there are no stages.
 */
export const stageOf = (sql: Sql, { stage_id, stage }: StageChoice): Fragment =>
  sql`app.stage_of(${JSON.stringify({ stage_id, stage })}::jsonb)`;
