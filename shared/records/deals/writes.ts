// Writes deals.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { insertNote } from '../activities/queries.ts';
import { type BatchKind, batchMethods } from '../batch/batch.ts';
import { unprocessable, withDomainErrors } from '../domain-errors.ts';
import { newExternalIds, writeWithExternalId } from '../external-ids.ts';
import { foundId, shouldCreate, type Upsert, type Upserted, upsert } from '../upsert.ts';
import {
  type DealRecord,
  deleteDeal as deleteRow,
  insertDeal,
  lockDeal,
  updateDeal as updateRow,
  updateStage,
  updateStatus,
} from './queries.ts';
import {
  type Closing,
  DEFAULT_CURRENCY,
  type DealChange,
  dealChange,
  type Move,
  type NewDeal,
  newDeal,
} from './schema.ts';
import { DEFAULT_PRIORITY } from './states.ts';

export { closing, dealChange, move, newDeal } from './schema.ts';

const newDealColumns = [...columnsOf(newDeal, 'stage_id', 'stage', 'external_id'), 'external_ids'];

/** Fills in the defaults of absent members. */
export const withDealDefaults = <D extends Omit<NewDeal, 'external_id'>>(deal: D) => ({
  ...deal,
  currency: deal.currency ?? DEFAULT_CURRENCY,
  priority: deal.priority ?? DEFAULT_PRIORITY,
  products: deal.products ?? [],
  custom_fields: deal.custom_fields ?? {},
  tags: deal.tags ?? [],
});

/**
 * Creates a deal, by default in the first stage. Throws `conflict` if the external id is taken, and `unprocessable` if the stage,
 * owner or lead does not exist.
 */
export async function createDeal(
  context: Context,
  { external_id: externalId, ...input }: NewDeal,
): Promise<DealRecord> {
  const deal = withDealDefaults(input);
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'deals', externalId, (sql, externalIds) =>
      insertDeal(sql, context.tenantId, newDealColumns, { ...deal, ...newExternalIds(externalIds) }),
    ),
  );
  return oneRow(rows).record;
}

const dealChangeColumns = columnsOf(dealChange, 'stage_id', 'stage', 'external_id');

/**
 * Updates the members in the request. Changing the stage moves the deal, which must be open. Throws `not_found`, `conflict` and
 * `unprocessable`.
 */
export async function updateDeal(
  context: Context,
  dealId: string,
  { external_id: externalId, ...change }: DealChange,
): Promise<DealRecord> {
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'deals', externalId, (sql, externalIds) =>
      updateRow(sql, context.tenantId, dealId, dealChangeColumns, change, externalIds),
    ),
  );
  return oneRow(rows).record;
}

/** Creates or updates the deal with an external id. Throws like `createDeal` and `updateDeal`, and `precondition_failed`. */
export function upsertDeal(
  context: Context,
  request: Upsert<NewDeal, DealChange>,
): Promise<Upserted<DealRecord>> {
  const { tenantId } = context;
  return withDomainErrors(
    upsert<NewDeal, DealChange, DealRecord>(context, {
      ...request,
      source: 'deals',
      change: (sql, { external_id: _externalId, ...members }, externalIds) =>
        updateRow(sql, tenantId, foundId(sql), dealChangeColumns, members, externalIds),
      create(sql, { external_id: _externalId, ...members }, externalIds) {
        const deal = { ...withDealDefaults(members), ...newExternalIds(externalIds) };
        return insertDeal(sql, tenantId, newDealColumns, deal, shouldCreate(sql));
      },
    }),
  );
}

/** Moves an open deal. Moving it to its current stage changes nothing. Throws `not_found`, `conflict`, `unprocessable`. */
export async function moveDeal(
  { write, tenantId }: Context,
  dealId: string,
  move: Move,
): Promise<DealRecord> {
  const { deal } = await withDomainErrors(
    write((sql) => ({
      lock: lockDeal(sql, tenantId, dealId),
      deal: updateStage(sql, tenantId, dealId, move),
      note: insertNote(sql, tenantId, dealId, move.note),
    })),
  );
  return oneRow(deal).record;
}

/** Closes an open deal as won or lost. Throws `not_found`, `conflict`, and `unprocessable` for a loss without a reason. */
export async function closeDeal(
  { write, tenantId }: Context,
  dealId: string,
  { result, final_value: finalValue, loss_reason: reason, note }: Closing,
): Promise<DealRecord> {
  if (result === 'lost' && !reason?.trim()) {
    throw unprocessable('loss_reason', 'is required when the result is lost');
  }
  const closed = {
    status: result,
    value: result === 'won' ? (finalValue ?? null) : null,
    lossReason: result === 'lost' ? (reason ?? null) : null,
  };
  const { deal } = await withDomainErrors(
    write((sql) => ({
      lock: lockDeal(sql, tenantId, dealId),
      deal: updateStatus(sql, tenantId, dealId, closed),
      note: insertNote(sql, tenantId, dealId, note),
    })),
  );
  return oneRow(deal).record;
}

/** Deletes the deal and its activities. Throws `not_found`. */
export async function deleteDeal({ write, tenantId }: Context, dealId: string): Promise<void> {
  await withDomainErrors(write((sql) => deleteRow(sql, tenantId, dealId)));
}

export const dealBatch: BatchKind = {
  source: 'deals',
  methods: batchMethods,
  columns: { created: newDealColumns, changed: dealChangeColumns },
  create: (read) => withDealDefaults(read(newDeal)),
  change: (read) => read(dealChange),
};
