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
export function stageIdOf(sql: Sql, tenantId: string, { stage_id: id, stage }: StageChoice): Fragment {
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
