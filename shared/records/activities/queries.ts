// SQL of the table `deal_activities`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { fromJson, type JsonColumns, namesOf } from '../../platform/db/json-columns.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { ActivityType } from './serialize.ts';

/** An activity in stored form. */
export type ActivityRecord = RowAs<'deal_activities', 'tenant_id', { type: ActivityType }>;

/** Without a deal it belongs to the user that the client acts for. In batches: `app.create_in_batch`. */
export function insertActivity(
  sql: Sql,
  tenantId: string,
  clientId: string | null,
  columns: JsonColumns,
  activity: object,
): Statement<{ record: ActivityRecord }> {
  return sql`
    insert into public.deal_activities as a (tenant_id, ${namesOf(sql, columns)}, owner_id)
    select ${tenantId}::uuid, ${fromJson(sql, columns)},
           case when r.deal_id is null then app.user_of_client(${clientId}) end
    from jsonb_populate_record(null::public.deal_activities, ${JSON.stringify(activity)}::jsonb) as r
    returning to_jsonb(a) as record`;
}

/** Statement that logs a note of a deal; none when there is nothing to note. */
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
