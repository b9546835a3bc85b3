// Activities of deals: calls, meetings, notes. SQL of the table `deal_activities`.
import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import type { NewActivity } from '../deals/schema.ts';
import { domainError, withDomainErrors } from '../domain-errors.ts';
import { createdFilters, id, type List, type ListQuery, type ListResult, readList, word } from '../list.ts';
import type { Row } from '../variants/naming.ts';

export const activityList: List = {
  table: 'deal_activities',
  filters: { ...createdFilters, type: word, owner_id: id, deal_id: id },
  sorts: ['created_at'],
  record: (sql) => sql`to_jsonb(r)`,
};

/** Logs an activity; without a deal it belongs to the user that the client acts for. Throws `unprocessable`. */
export async function createActivity(
  { write, tenantId, actor }: Context,
  activity: NewActivity,
): Promise<Row> {
  const client = actor.type === 'oauth_client' ? actor.clientId : null;
  const [rows] = await withDomainErrors(
    write((sql) => [
      sql`
        insert into public.deal_activities as a
          (tenant_id, type, title, description, date, due_date, duration_minutes, deal_id, owner_id)
        select ${tenantId}::uuid, r.type, r.title, r.description, r.date, r.due_date, r.duration_minutes, r.deal_id,
               case when r.deal_id is null then (
                 select u.id
                 from public.oauth_clients c join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
                 where c.tenant_id = ${tenantId} and c.client_id = ${client}
                 for key share of u
               ) end
        from jsonb_populate_record(null::public.deal_activities, ${JSON.stringify(activity)}::jsonb) as r
        returning to_jsonb(a) as record`,
    ]),
  );
  return oneRow<{ record: Row }>(rows).record;
}

/** Logs an activity of this deal. Throws `not_found`. */
export async function createDealActivity(
  context: Context,
  dealId: string,
  activity: NewActivity,
): Promise<Row> {
  try {
    return await createActivity(context, { ...activity, deal_id: dealId });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unprocessable') throw domainError('deal_missing');
    throw error;
  }
}

/** A page of one deal's activities. Throws `not_found`. */
export async function listDealActivities(
  context: Context,
  dealId: string,
  query: ListQuery,
): Promise<ListResult> {
  const { tenantId } = context;
  return await withDomainErrors(
    readList(context, activityList, query, [{ op: 'eq', column: 'deal_id', value: dealId }], (sql) => [
      sql`
        select coalesce(
          (select to_jsonb(d.id) from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId}),
          app.raise_domain_error('deal_missing')
        )`,
    ]),
  );
}
