// SQL of the table `leads`. Triggers on it create events, points and automation runs (listed in database/records/leads.sql).
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import type { ActivityRecord } from '../activities/queries.ts';
import { assignExternalId, type ExternalIdInput, type ExternalIds } from '../external-ids.ts';
import type { LeadStatus } from './states.ts';

/** A lead as stored and as events contain it: the result of `app.lead_record`. */
export type LeadRecord = RowAs<
  'leads',
  'tenant_id' | 'search' | 'qualified_at',
  {
    status: LeadStatus;
    custom_fields: Record<string, unknown>;
    external_ids: ExternalIds;
    /** The lead that was merged into this one; only in `lead.merged`. */
    merged_id?: string;
  }
>;

export type LeadWithHistory = LeadRecord & { activities: ActivityRecord[] };

/** Like all statements on a lead, raises `lead_missing`, or `lead_merged` if the lead was merged into another one. */
export function checkLeadExists(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    select coalesce(
      (select to_jsonb(l.id) from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}),
      app.raise_lead_missing(${leadId})
    )`;
}

/**
 * The lead with its newest activities, at most a hundred, newest first. Raises `lead_missing`. Each part of the union has its own limit, so that index
 * scans read no more rows than are returned. `shownDeals` is a condition on the deals `d` whose activities it includes.
 */
export function selectLead(
  sql: Sql,
  tenantId: string,
  leadId: string | Fragment,
  shownDeals: Fragment = sql`true`,
): Statement<{ record: LeadWithHistory }> {
  return sql`
    select coalesce((
      select app.lead_record(l) || jsonb_build_object('activities', (
        select coalesce(jsonb_agg(to_jsonb(newest) order by newest.created_at desc, newest.id desc), '[]')
        from (
          (select a.* from public.deal_activities a where a.tenant_id = l.tenant_id and a.lead_id = l.id
           order by a.created_at desc, a.id desc limit 100)
          union all
          (select of_deal.* from public.deals d cross join lateral (
             select a.* from public.deal_activities a where a.tenant_id = d.tenant_id and a.deal_id = d.id
             order by a.created_at desc, a.id desc limit 100
           ) of_deal
           where d.tenant_id = l.tenant_id and d.lead_id = l.id and ${shownDeals})
          order by created_at desc, id desc limit 100
        ) newest
      ))
      from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}
    ), app.raise_lead_missing(${leadId})) as record`;
}

export function selectLeadIdByEmail(sql: Sql, tenantId: string, email: string): Statement<{ id: string }> {
  return sql`select id from public.leads where tenant_id = ${tenantId} and email = ${email}`;
}

/** Inserts these columns, with the values of the members of `lead` that have their names. Batches use `app.create_in_batch` instead. */
export function insertLead(
  sql: Sql,
  tenantId: string,
  columns: JsonColumns,
  lead: object,
  where: Fragment = sql`true`,
): Statement<{ record: LeadRecord }> {
  return sql`
    insert into public.leads as l (tenant_id, ${columnList(sql, columns)})
    select ${tenantId}::uuid, ${columnsFromJson(sql, columns)}
    from jsonb_populate_record(null::public.leads, ${JSON.stringify(lead)}::jsonb) as r
    where ${where}
    returning app.lead_record(l) as record`;
}

/**
 * Updates the columns in `change`. If the id is null, changes nothing and returns null. Raises `lead_missing`, and
 * `lead_stays_converted` if the status of a converted lead would change (by trigger). Batches use `app.change_in_batch` instead.
 */
export function updateLead(
  sql: Sql,
  tenantId: string,
  leadId: string | Fragment,
  columns: JsonColumns,
  change: object,
  externalId: ExternalIdInput,
): Statement<{ record: LeadRecord }> {
  return sql`
    with changed as (
      update public.leads l
      set (${columnList(sql, columns)}) = (
        select ${columnsFromJson(sql, columns)} from jsonb_populate_record(l, ${JSON.stringify(change)}::jsonb) as r
      )${assignExternalId(sql, 'l', externalId)}
      where l.tenant_id = ${tenantId} and l.id = ${leadId}
      returning app.lead_record(l) as record
    )
    select coalesce(
      (select record from changed), case when ${leadId}::uuid is not null then app.raise_lead_missing(${leadId}) end
    ) as record`;
}

/** Deletes the lead and its activities. Raises `lead_missing`. */
export function deleteLead(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    with gone as (delete from public.leads where tenant_id = ${tenantId} and id = ${leadId} returning 1)
    select coalesce((select to_jsonb(1) from gone), app.raise_lead_missing(${leadId}))`;
}

/**
 * Locks the lead, so that concurrent requests for it run one after the other. Locks the owner first, who also becomes the deal's owner,
 * because deleting a user locks the user before the user's leads. Raises `lead_missing` and `lead_converted`.
 */
export function lockUnconvertedLead(sql: Sql, tenantId: string, leadId: string): Fragment {
  return sql`
    with locked_owner as materialized (
      select from public.users u
      where u.tenant_id = ${tenantId}
        and u.id = (select l.owner_id from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId})
      for key share
    ), found as (
      select l.status from public.leads l
      where l.tenant_id = ${tenantId} and l.id = ${leadId} and (select count(*) from locked_owner) >= 0
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
 * Merges the loser into the winner, which must have one of these versions; null accepts any. Raises `loser_is_winner`,
 * `loser_missing`, `loser_merged`.
 */
export const mergeLeads = (
  sql: Sql,
  winnerId: string,
  loserId: string,
  versions: string | null,
): Statement<{ record: LeadRecord }> =>
  sql`select app.merge_leads(${winnerId}, ${loserId}, ${versions}::text::timestamptz[]) as record`;
