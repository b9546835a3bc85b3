// SQL of the table `deal_activities`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import type { ActivityType } from './schema.ts';

/** An activity as stored. */
export type ActivityRecord = RowAs<'deal_activities', 'tenant_id', { type: ActivityType }>;

/** An activity without a deal is owned by the person, or by the user that the client acts for. Batches use `app.create_in_batch` instead. */
export function insertActivity(
  sql: Sql,
  tenantId: string,
  clientId: string | null,
  columns: JsonColumns,
  activity: object,
): Statement<{ record: ActivityRecord }> {
  return sql`
    insert into public.deal_activities as a (tenant_id, ${columnList(sql, columns)}, owner_id)
    select ${tenantId}::uuid, ${columnsFromJson(sql, columns)},
           case when r.deal_id is null then app.lock_acting_user(${clientId}) end
    from jsonb_populate_record(null::public.deal_activities, ${JSON.stringify(activity)}::jsonb) as r
    returning to_jsonb(a) as record`;
}

/** A statement that logs a note on a deal; empty if the note is blank. */
export function insertNote(
  sql: Sql,
  tenantId: string,
  dealId: string,
  note: string | null | undefined,
): Fragment[] {
  if (!note?.trim()) return [];
  return [
    sql`
      insert into public.deal_activities (tenant_id, type, description, deal_id)
      values (${tenantId}, 'note', ${note}, ${dealId})`,
  ];
}
