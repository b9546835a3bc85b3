// Records a batch of activities, skipping duplicates.

import type { Context } from '../../platform/access/context.ts';
import { oneRow, type Sql, type Statement } from '../../platform/db/database.ts';
import type { Activity, SkippedItem } from './schema.ts';

export interface ActivityResult {
  processed: number;
  skipped: number;
  skipped_items: SkippedItem[];
  duplicates: number;
  errors: string[];
  total: number;
}

/** Records the activities in one transaction. Activities of unregistered collaborators are skipped and can be sent again. */
export async function syncActivities(context: Context, activities: Activity[]): Promise<ActivityResult> {
  const rows = await context.write((sql) => insertActivities(sql, context.tenantId, activities));
  const { processed, skipped, skipped_items, registered } = oneRow(rows);
  return {
    processed,
    skipped,
    skipped_items,
    duplicates: registered - processed,
    errors: [],
    total: activities.length,
  };
}

export interface RecordedCounts {
  processed: number;
  /** Number of activities whose collaborator is not registered. */
  skipped: number;
  skipped_items: SkippedItem[];
  /** Number of activities whose collaborator is registered, duplicates included. */
  registered: number;
}

/**
 * Inserts all activities with one statement. Rows are inserted in the order of `external_id`, so that parallel batches with the same
 * activities wait for each other instead of deadlocking. If a batch contains an activity twice, the first one is kept.
 */
export function insertActivities(
  sql: Sql,
  tenantId: string,
  activities: Activity[],
): Statement<RecordedCounts> {
  return sql`
    with item as (
      select i.*, c.id as collaborator_id
      from rows from (jsonb_to_recordset(${JSON.stringify(activities)}::jsonb) as (
        activity_code text, external_id text, collaborator_email text, data jsonb, occurred_at timestamptz
      )) with ordinality as i (activity_code, external_id, collaborator_email, data, occurred_at, index)
      left join public.collaborators c on c.tenant_id = ${tenantId} and c.email = i.collaborator_email
    ), recorded as (
      insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, data, occurred_at)
      select distinct on (external_id)
             ${tenantId}::uuid, external_id, activity_code, collaborator_id, data, coalesce(occurred_at, now())
      from item
      where collaborator_id is not null
      order by external_id, index
      on conflict (tenant_id, external_id) do nothing
      returning 1
    )
    select (select count(*) from recorded)::integer                       as processed,
           count(*) filter (where collaborator_id is null)::integer     as skipped,
           coalesce(
             jsonb_agg(
               jsonb_build_object('index', index - 1, 'external_id', external_id, 'reason', 'collaborator_not_registered')
               order by index
             ) filter (where collaborator_id is null), '[]'
           )                                                            as skipped_items,
           count(*) filter (where collaborator_id is not null)::integer as registered
    from item`;
}
