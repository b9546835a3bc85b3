// Stages of the pipeline. SQL of the table `pipeline_stages`.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { Row } from '../variants/naming.ts';

/** All stages, in the order of the pipeline. */
export async function listStages({ transaction, tenantId }: Context): Promise<Row[]> {
  const [rows] = await transaction((sql) => [
    sql`
      select id, name, position, probability from public.pipeline_stages
      where tenant_id = ${tenantId} order by position, name`,
  ]);
  return [...(rows ?? [])];
}

export interface StageChoice {
  stage_id?: string | null | undefined;
  /** Name, without case, or id. */
  stage?: string | null | undefined;
}

/** The stage that is meant as SQL, the first one when none is; refuses one that is not there. */
export function stageIdOf(sql: Sql, tenantId: string, { stage_id: id, stage }: StageChoice): Statement {
  if (id) {
    return sql`coalesce(
      (select s.id from public.pipeline_stages s where s.tenant_id = ${tenantId} and s.id = ${id}),
      (app.raise_domain_error('stage_missing') ->> 0)::uuid
    )`;
  }
  if (stage) {
    return sql`coalesce(
      (
        select s.id from public.pipeline_stages s
        where s.tenant_id = ${tenantId} and (lower(s.name) = lower(${stage}) or s.id::text = lower(${stage}))
      ),
      (app.raise_domain_error('stage_unknown') ->> 0)::uuid
    )`;
  }
  return sql`coalesce(
    (select s.id from public.pipeline_stages s where s.tenant_id = ${tenantId} order by s.position, s.name limit 1),
    (app.raise_domain_error('pipeline_empty') ->> 0)::uuid
  )`;
}
