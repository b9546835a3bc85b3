// Recording activities. SQL of the table `activities`; points follow from it by trigger.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { detailsOf } from '../../platform/zod-issues.ts';
import { type Activity, activitySchema } from '../schemas.ts';

export interface ActivityResult {
  processed: number;
  skipped: number;
  duplicates: number;
  errors: string[];
  total: number;
}

interface Counts {
  processed: number;
  skipped: number;
  registered: number;
}

/**
 * Records each activity once, all in one transaction. Those of unregistered collaborators are skipped, so that they can
 * be sent again. Throws `validation` naming every invalid field of every item; then nothing is recorded.
 */
export async function syncActivities(context: Context, items: unknown[]): Promise<ActivityResult> {
  const activities = parseActivities(items);
  const [rows] = await context.write((sql) => [recordActivities(sql, context.tenantId, activities)]);
  const { processed, skipped, registered } = oneRow<Counts>(rows);
  return { processed, skipped, duplicates: registered - processed, errors: [], total: items.length };
}

function parseActivities(items: unknown[]): Activity[] {
  const details: ErrorDetail[] = [];
  const activities: Activity[] = [];
  items.forEach((item, index) => {
    const result = activitySchema.safeParse(item);
    if (result.success) activities.push(result.data);
    else details.push(...detailsOf(result.error, 'activities').map((detail) => ({ index, ...detail })));
  });
  if (details.length > 0) {
    const bad = new Set(details.map(({ index }) => index)).size;
    const message = `${bad} of ${items.length} activities are invalid; none was recorded.`;
    throw new ApiError('validation', message, { details });
  }
  return activities;
}

/**
 * One statement whatever the number of activities. The rows go in ordered by `external_id`, so that parallel batches
 * with the same activities wait for each other instead of deadlocking; of a repeat in the batch the first one counts.
 */
export function recordActivities(sql: Sql, tenantId: string, activities: Activity[]): Statement {
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
           count(*) filter (where collaborator_id is not null)::integer as registered
    from item`;
}
