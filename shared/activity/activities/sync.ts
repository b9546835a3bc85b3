// Records a batch of activities, skipping duplicates.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertActivities } from './queries.ts';
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
