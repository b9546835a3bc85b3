// Reads stages.

import type { Context } from '../../platform/access/context.ts';
import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { Columns } from '../../platform/db/row.ts';
import type { StageResponse } from './schema.ts';

/** All stages in pipeline order. */
export async function listStages({ read, tenantId }: Context): Promise<StageRecord[]> {
  return await read(
    (sql) => sql<StageRecord>`
      select id, name, position, probability from public.pipeline_stages
      where tenant_id = ${tenantId} order by position, name`,
  );
}

export const serializeStage = (stage: StageRecord): StageResponse => ({
  id: stage.id,
  name: stage.name,
  position: stage.position,
  probability: stage.probability,
});

export type StageRecord = Columns<'pipeline_stages', 'id' | 'name' | 'position' | 'probability'>;

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
