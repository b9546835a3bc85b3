// SQL of the table `deals`. Triggers on it create events, points and automation runs.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns, RowAs } from '../../platform/db/row.ts';
import { columnList, columnsFromJson, type JsonColumns } from '../../platform/db/sql.ts';
import { assignExternalId, type ExternalIdInput, type ExternalIds } from '../external-ids.ts';
import { type StageChoice, stageOf } from '../stages/reads.ts';
import type { DealPriority, DealStatus } from './states.ts';

/** A stage as deals contain it: the result of `app.stage_record`. */
export type DealStage = Columns<'pipeline_stages', 'id' | 'name' | 'probability'>;

/** A deal as stored and as events contain it: the result of `app.deal_record`. */
export type DealRecord = RowAs<
  'deals',
  'tenant_id' | 'search' | 'stage_id',
  {
    status: DealStatus;
    priority: DealPriority;
    stage: DealStage;
    custom_fields: Record<string, unknown>;
    products: Record<string, unknown>[];
    external_ids: ExternalIds;
    /** The previous stage; only in `deal.stage_changed` and `deal.won`. */
    previous_stage?: DealStage;
  }
>;

type DealRow = { record: DealRecord };

/** Raises `deal_missing`. */
export function selectDeal(sql: Sql, tenantId: string, dealId: string | Fragment): Statement<DealRow> {
  return sql`
    select coalesce(
      (select app.deal_record(d) from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId}),
      app.raise_domain_error('deal_missing')
    ) as record`;
}

/** Raises `deal_missing`. */
export function checkDealExists(sql: Sql, tenantId: string, dealId: string): Fragment {
  return sql`
    select coalesce(
      (select to_jsonb(d.id) from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId}),
      app.raise_domain_error('deal_missing')
    )`;
}

/** `columns` excludes the stage. Batches use `app.create_in_batch` instead. */
export function insertDeal(
  sql: Sql,
  tenantId: string,
  columns: JsonColumns,
  deal: StageChoice,
  where: Fragment = sql`true`,
): Statement<DealRow> {
  const { stage_id: _id, stage: _stage, ...values } = deal;
  return sql`
    insert into public.deals as d (tenant_id, stage_id, ${columnList(sql, columns)})
    select ${tenantId}::uuid, ${stageOf(sql, deal)}, ${columnsFromJson(sql, columns)}
    from jsonb_populate_record(null::public.deals, ${JSON.stringify(values)}::jsonb) as r
    where ${where}
    returning app.deal_record(d) as record`;
}

/** The deal's values in a lead conversion. */
interface DealOfLead extends StageChoice {
  deal_name?: string | null | undefined;
  deal_value?: number | null | undefined;
  expected_close_date?: string | null | undefined;
}

/** Creates the deal of a converted lead. The deal takes its contact and owner from the lead. */
export function insertDealOfLead(
  sql: Sql,
  tenantId: string,
  leadId: string,
  conversion: DealOfLead,
): Statement<DealRow> {
  const { deal_name: name, deal_value: value, expected_close_date: closeDate } = conversion;
  return sql`
    insert into public.deals as d
      (tenant_id, name, value, stage_id, contact_name, contact_email, company, owner_id, expected_close_date, lead_id)
    select l.tenant_id, coalesce(${name ?? null}::text, l.name), ${value ?? 0}::double precision,
           ${stageOf(sql, conversion)},
           l.name, l.email, l.company, l.owner_id, ${closeDate ?? null}::date, l.id
    from public.leads l where l.tenant_id = ${tenantId} and l.id = ${leadId}
    returning app.deal_record(d) as record`;
}

/** Locks the deal, so that concurrent requests for it run one after the other. Raises `deal_missing`. */
export function lockDeal(sql: Sql, tenantId: string, dealId: string): Fragment {
  return sql`
    with found as (select d.id from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId} for no key update)
    select coalesce((select to_jsonb(id) from found), app.raise_domain_error('deal_missing'))`;
}

/**
 * Updates the columns in `change`; `columns` excludes the stage. If the id is null, changes nothing and returns null. Raises
 * `deal_missing`, and `deal_closed` if a closed deal would move (by trigger). Batches use `app.change_in_batch` instead.
 */
export function updateDeal(
  sql: Sql,
  tenantId: string,
  dealId: string | Fragment,
  columns: JsonColumns,
  change: StageChoice,
  externalId: ExternalIdInput,
): Statement<DealRow> {
  const { stage_id: stageId, stage, ...values } = change;
  return sql`
    with changed as (
      update public.deals d
      set (stage_id, ${columnList(sql, columns)}) = (
        select ${stageId || stage ? stageOf(sql, change) : sql`d.stage_id`}, ${columnsFromJson(sql, columns)}
        from jsonb_populate_record(d, ${JSON.stringify(values)}::jsonb) as r
      )${assignExternalId(sql, 'd', externalId)}
      where d.tenant_id = ${tenantId} and d.id = ${dealId}
      returning app.deal_record(d) as record
    )
    select coalesce(
      (select record from changed), case when ${dealId}::uuid is not null then app.raise_domain_error('deal_missing') end
    ) as record`;
}

/** Deletes the deal and its activities. Raises `deal_missing`. */
export function deleteDeal(sql: Sql, tenantId: string, dealId: string): Fragment {
  return sql`
    with gone as (delete from public.deals where tenant_id = ${tenantId} and id = ${dealId} returning 1)
    select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('deal_missing'))`;
}

/** Raises `deal_closed`. */
export function updateStage(
  sql: Sql,
  tenantId: string,
  dealId: string,
  choice: StageChoice,
): Statement<DealRow> {
  return sql`
    with target as (select ${stageOf(sql, choice)} as stage_id),
    moved as (
      update public.deals d set stage_id = target.stage_id from target
      where d.tenant_id = ${tenantId} and d.id = ${dealId} and d.status = 'open'
      returning app.deal_record(d) as record
    )
    select coalesce((select record from moved), app.raise_domain_error('deal_closed')) as record`;
}

/** Raises `deal_closed`. */
export function updateStatus(
  sql: Sql,
  tenantId: string,
  dealId: string,
  { status, value, lossReason }: { status: DealStatus; value: number | null; lossReason: string | null },
): Statement<DealRow> {
  return sql`
    with closed as (
      update public.deals d
      set status = ${status}, value = coalesce(${value}::double precision, d.value), loss_reason = ${lossReason}
      where d.tenant_id = ${tenantId} and d.id = ${dealId} and d.status = 'open'
      returning app.deal_record(d) as record
    )
    select coalesce((select record from closed), app.raise_domain_error('deal_closed')) as record`;
}
