// Deals: creating, reading, changing, moving, closing. SQL of the table `deals`; events follow from it by trigger.
import type { Context } from '../../platform/context.ts';
import type { Sql, Statement } from '../../platform/db/database.ts';
import { oneRow } from '../../platform/db/rows.ts';
import { ApiError } from '../../platform/errors.ts';
import { withDomainErrors } from '../domain-errors.ts';
import {
  changedFilters,
  day,
  id,
  type List,
  number,
  stage as ofStage,
  ownerTeam,
  search,
  word,
} from '../list.ts';
import { stageIdOf } from '../stages/list.ts';
import type { Row } from '../variants/naming.ts';
import type { Closing, DealChange, Move, NewDeal } from './schema.ts';

export const dealList: List = {
  table: 'deals',
  filters: {
    ...changedFilters,
    stage_id: id,
    stage: ofStage,
    owner_id: id,
    team_id: ownerTeam,
    status: word,
    min_value: number('value', 'gte'),
    max_value: number('value', 'lte'),
    close_date_after: day('expected_close_date', 'gt'),
    close_date_before: day('expected_close_date', 'lt'),
    search,
  },
  sorts: ['created_at', 'updated_at', 'name', 'value', 'expected_close_date'],
  record: (sql) => sql`app.deal_record(r)`,
};

interface One {
  record: Row;
}

/** Throws `not_found`. */
export async function getDeal({ transaction, tenantId }: Context, dealId: string): Promise<Row> {
  const [rows] = await withDomainErrors(transaction((sql) => [selectDeal(sql, tenantId, dealId)]));
  return oneRow<One>(rows).record;
}

function selectDeal(sql: Sql, tenantId: string, dealId: string): Statement {
  return sql`
    select coalesce(
      (select app.deal_record(d) from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId}),
      app.raise_domain_error('deal_missing')
    ) as record`;
}

/** Throws `unprocessable` for a stage, owner or lead that is not there. */
export async function createDeal({ write, tenantId }: Context, deal: NewDeal): Promise<Row> {
  const { stage_id: _id, stage: _stage, ...values } = deal;
  const [rows] = await withDomainErrors(
    write((sql) => [
      sql`
        insert into public.deals as d
          (tenant_id, name, value, currency, stage_id, contact_name, contact_email, company, owner_id, expected_close_date,
           priority, lead_id, products, custom_fields, tags)
        select ${tenantId}::uuid, r.name, r.value, coalesce(r.currency, 'BRL'), ${stageIdOf(sql, tenantId, deal)},
               r.contact_name, r.contact_email, r.company, r.owner_id, r.expected_close_date, coalesce(r.priority, 'medium'),
               r.lead_id, coalesce(r.products, '[]'), coalesce(r.custom_fields, '{}'), coalesce(r.tags, '{}')
        from jsonb_populate_record(null::public.deals, ${JSON.stringify(values)}::jsonb) as r
        returning app.deal_record(d) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/**
 * Changes what is given. Another stage is a move, which only an open deal can make. Throws `not_found`, `conflict` and
 * `unprocessable`.
 */
export async function changeDeal(
  { write, tenantId }: Context,
  dealId: string,
  change: DealChange,
): Promise<Row> {
  const { stage_id: stageId, stage, ...values } = change;
  const moves = Boolean(stageId ?? stage);
  const [, rows] = await withDomainErrors(
    write((sql) => [
      lockDeal(sql, tenantId, dealId),
      sql`
        with target as (
          select ${moves ? stageIdOf(sql, tenantId, { stage_id: stageId, stage }) : sql`null::uuid`} as stage_id
        ), changed as (
          update public.deals d
          set (name, value, currency, stage_id, contact_name, contact_email, company, owner_id, expected_close_date, priority,
               lead_id, products, custom_fields, tags) = (
            select r.name, r.value, r.currency, coalesce(target.stage_id, d.stage_id), r.contact_name, r.contact_email,
                   r.company, r.owner_id, r.expected_close_date, r.priority, r.lead_id, r.products, r.custom_fields, r.tags
            from jsonb_populate_record(d, ${JSON.stringify(values)}::jsonb) as r
          )
          from target
          where d.tenant_id = ${tenantId} and d.id = ${dealId}
            and (d.status = 'open' or coalesce(target.stage_id, d.stage_id) = d.stage_id)
          returning app.deal_record(d) as record
        )
        select coalesce((select record from changed), app.raise_domain_error('deal_closed')) as record`,
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Removes it with its activities. Throws `not_found`. */
export async function deleteDeal({ write, tenantId }: Context, dealId: string): Promise<void> {
  await withDomainErrors(
    write((sql) => [
      sql`
        with gone as (delete from public.deals where tenant_id = ${tenantId} and id = ${dealId} returning 1)
        select coalesce((select to_jsonb(1) from gone), app.raise_domain_error('deal_missing'))`,
    ]),
  );
}

/** Moves an open deal; to the stage it is in, nothing changes. Throws `not_found`, `conflict`, `unprocessable`. */
export async function moveDeal({ write, tenantId }: Context, dealId: string, move: Move): Promise<Row> {
  const [, rows] = await withDomainErrors(
    write((sql) => [
      lockDeal(sql, tenantId, dealId),
      sql`
        with target as (select ${stageIdOf(sql, tenantId, move)} as stage_id),
        moved as (
          update public.deals d set stage_id = target.stage_id from target
          where d.tenant_id = ${tenantId} and d.id = ${dealId} and d.status = 'open'
          returning app.deal_record(d) as record
        )
        select coalesce((select record from moved), app.raise_domain_error('deal_closed')) as record`,
      ...addNote(sql, tenantId, dealId, move.note),
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Wins or loses an open deal. Throws `not_found`, `conflict`, and `unprocessable` for a loss without a reason. */
export async function closeDeal(
  { write, tenantId }: Context,
  dealId: string,
  closing: Closing,
): Promise<Row> {
  const { result, final_value: finalValue, loss_reason: reason, note } = closing;
  if (result === 'lost' && !reason?.trim()) {
    throw new ApiError('unprocessable', 'This cannot be done with these values.', {
      details: [{ field: 'loss_reason', message: 'is required when the result is lost' }],
    });
  }
  const value = result === 'won' ? (finalValue ?? null) : null;
  const [, rows] = await withDomainErrors(
    write((sql) => [
      lockDeal(sql, tenantId, dealId),
      sql`
        with closed as (
          update public.deals d
          set status = ${result}, value = coalesce(${value}::double precision, d.value),
              loss_reason = ${result === 'lost' ? (reason ?? null) : null}
          where d.tenant_id = ${tenantId} and d.id = ${dealId} and d.status = 'open'
          returning app.deal_record(d) as record
        )
        select coalesce((select record from closed), app.raise_domain_error('deal_closed')) as record`,
      ...addNote(sql, tenantId, dealId, note),
    ]),
  );
  return oneRow<One>(rows).record;
}

/** Two requests for one deal come one after the other. */
function lockDeal(sql: Sql, tenantId: string, dealId: string): Statement {
  return sql`
    with found as (select d.id from public.deals d where d.tenant_id = ${tenantId} and d.id = ${dealId} for no key update)
    select coalesce((select to_jsonb(id) from found), app.raise_domain_error('deal_missing'))`;
}

function addNote(sql: Sql, tenantId: string, dealId: string, note: string | null | undefined): Statement[] {
  if (!note?.trim()) return [];
  return [
    sql`
      insert into public.deal_activities (tenant_id, type, description, deal_id)
      values (${tenantId}, 'note', ${note}, ${dealId})`,
  ];
}
