// SQL of the table `leads`; events, points and automations follow from its rows by trigger.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { fromJson, type JsonColumns, namesOf } from '../../platform/db/json-columns.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { ActivityRecord } from '../activities/queries.ts';
import { assignExternalId, type ExternalIdInput, type ExternalIds } from '../external-ids.ts';
import type { LeadStatus } from './states.ts';

/** A lead in stored form: what `app.lead_record` gives, and what events hold. */
export type LeadRecord = RowAs<
  'leads',
  'tenant_id' | 'search' | 'qualified_at',
  {
    status: LeadStatus;
    custom_fields: Record<string, unknown>;
    external_ids: ExternalIds;
    /** In `lead.merged`, and nowhere else: the lead that became a part of it. */
    merged_id?: string;
  }
>;

export type LeadWithHistory = LeadRecord & { activities: ActivityRecord[] };

/** Raises `lead_missing`, or `lead_merged` where it became a part of another lead. So do all that name a lead. */
export function checkLeadExists(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    select coalesce(
      (select to_jsonb(l.id) from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}),
      app.raise_lead_missing(${leadId})
    )`;
}

/** How much of its history a lead is shown with. */
export const NEWEST_ACTIVITIES = 100;

/**
 * The lead with the newest of its history, newest first; raises `lead_missing`. Each part is limited by itself, so that an index
 * gives no more than is shown.
 */
export function selectLead(
  sql: Sql,
  tenantId: string,
  leadId: string | Fragment,
): Statement<{ record: LeadWithHistory }> {
  return sql`
    select coalesce((
      select app.lead_record(l) || jsonb_build_object('activities', (
        select coalesce(jsonb_agg(to_jsonb(newest) order by newest.created_at desc, newest.id desc), '[]')
        from (
          (select a.* from public.deal_activities a where a.tenant_id = l.tenant_id and a.lead_id = l.id
           order by a.created_at desc, a.id desc limit ${NEWEST_ACTIVITIES})
          union all
          (select of_deal.* from public.deals d cross join lateral (
             select a.* from public.deal_activities a where a.tenant_id = d.tenant_id and a.deal_id = d.id
             order by a.created_at desc, a.id desc limit ${NEWEST_ACTIVITIES}
           ) of_deal
           where d.tenant_id = l.tenant_id and d.lead_id = l.id)
          order by created_at desc, id desc limit ${NEWEST_ACTIVITIES}
        ) newest
      ))
      from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}
    ), app.raise_lead_missing(${leadId})) as record`;
}

export function selectLeadIdByEmail(sql: Sql, tenantId: string, email: string): Statement<{ id: string }> {
  return sql`select id from public.leads where tenant_id = ${tenantId} and email = ${email}`;
}

/** In batches: `app.create_in_batch`. */
export function insertLead(
  sql: Sql,
  tenantId: string,
  columns: JsonColumns,
  lead: object,
  where: Fragment = sql`true`,
): Statement<{ record: LeadRecord }> {
  return sql`
    insert into public.leads as l (tenant_id, ${namesOf(sql, columns)})
    select ${tenantId}::uuid, ${fromJson(sql, columns)}
    from jsonb_populate_record(null::public.leads, ${JSON.stringify(lead)}::jsonb) as r
    where ${where}
    returning app.lead_record(l) as record`;
}

/**
 * Changes what `change` has; nothing, and gives null, where the id is null. Raises `lead_missing`, and `lead_stays_converted` for another
 * status of a converted one (by trigger). In batches: `app.change_in_batch`.
 */
export function updateLead(
  sql: Sql,
  tenantId: string,
  leadId: string | Fragment,
  columns: JsonColumns,
  change: object,
  given: ExternalIdInput,
): Statement<{ record: LeadRecord }> {
  return sql`
    with changed as (
      update public.leads l
      set (${namesOf(sql, columns)}) = (
        select ${fromJson(sql, columns)} from jsonb_populate_record(l, ${JSON.stringify(change)}::jsonb) as r
      )${assignExternalId(sql, 'l', given)}
      where l.tenant_id = ${tenantId} and l.id = ${leadId}
      returning app.lead_record(l) as record
    )
    select coalesce(
      (select record from changed), case when ${leadId}::uuid is not null then app.raise_lead_missing(${leadId}) end
    ) as record`;
}

/** Removes it with its history; raises `lead_missing`. */
export function deleteLead(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    with gone as (delete from public.leads where tenant_id = ${tenantId} and id = ${leadId} returning 1)
    select coalesce((select to_jsonb(1) from gone), app.raise_lead_missing(${leadId}))`;
}

/**
 * Two requests for one lead come one after the other. Its owner, whose the deal becomes, is held before it: whoever removes a user takes
 * that first, and then their leads. Raises `lead_missing` and `lead_converted`.
 */
export function lockUnconvertedLead(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    with held as materialized (
      select from public.users u
      where u.tenant_id = ${tenantId}
        and u.id = (select l.owner_id from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId})
      for key share
    ), found as (
      select l.status from public.leads l
      where l.tenant_id = ${tenantId} and l.id = ${leadId} and (select count(*) from held) >= 0
      for no key update
    )
    select case
      when not exists (select from found) then app.raise_lead_missing(${leadId})
      when (select status from found) = 'converted' then app.raise_domain_error('lead_converted')
    end`;
}

export function markConverted(sql: Sql, tenantId: string, leadId: string): Statement<{ record: LeadRecord }> {
  return sql`
    update public.leads l set status = 'converted'
    where l.tenant_id = ${tenantId} and l.id = ${leadId}
    returning app.lead_record(l) as record`;
}

/**
 * Makes the loser a part of the winner, which must have one of these versions; null is any. Raises `loser_is_winner`, `loser_missing`,
 * `loser_merged`.
 */
export const mergeLeads = (
  sql: Sql,
  winnerId: string,
  loserId: string,
  versions: string | null,
): Statement<{ record: LeadRecord }> =>
  sql`select app.merge_leads(${winnerId}, ${loserId}, ${versions}::text::timestamptz[]) as record`;
