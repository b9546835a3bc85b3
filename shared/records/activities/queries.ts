// SQL of the table `deal_activities`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { fromJson, type JsonColumns, namesOf } from '../../platform/db/json-columns.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { ActivityType } from './serialize.ts';

/** An activity in stored form. */
export type ActivityRecord = RowAs<'deal_activities', 'tenant_id', { type: ActivityType }>;

/** Without a deal it belongs to the user that the client acts for. */
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
           case when r.deal_id is null then (
             select u.id
             from public.oauth_clients c join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
             where c.tenant_id = ${tenantId} and c.client_id = ${clientId}
             for key share of u
           ) end
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
