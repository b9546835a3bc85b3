// Writing deals; loaded with the first request that needs it, so that a function starts quickly.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { insertNote } from '../activities/queries.ts';
import { type BatchKind, batchMethods } from '../batch/batch.ts';
import { unprocessable, withDomainErrors } from '../domain-errors.ts';
import { externalIdInput, newExternalIds, writeWithExternalId } from '../external-ids.ts';
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

/** What is absent in a body, as it is stored. */
export const withDealDefaults = <D extends Omit<NewDeal, 'external_id'>>(deal: D) => ({
  ...deal,
  currency: deal.currency ?? DEFAULT_CURRENCY,
  priority: deal.priority ?? DEFAULT_PRIORITY,
  products: deal.products ?? [],
  custom_fields: deal.custom_fields ?? {},
  tags: deal.tags ?? [],
});

/**
 * In the first stage when none is said. Throws `conflict` for an external id that is taken, `unprocessable` for a stage, owner or lead that is
 * not there.
 */
export async function createDeal(
  context: Context,
  { external_id: externalId, ...input }: NewDeal,
): Promise<DealRecord> {
  const given = externalIdInput(context, externalId);
  const deal = { ...withDealDefaults(input), ...newExternalIds(given) };
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'deals', given, (sql) =>
      insertDeal(sql, context.tenantId, newDealColumns, deal),
    ),
  );
  return oneRow(rows).record;
}

const dealChangeColumns = columnsOf(dealChange, 'stage_id', 'stage', 'external_id');

/**
 * Changes what is given. Another stage is a move, which only an open deal can make. Throws `not_found`, `conflict` and
 * `unprocessable`.
 */
export async function updateDeal(
  context: Context,
  dealId: string,
  { external_id: externalId, ...change }: DealChange,
): Promise<DealRecord> {
  const given = externalIdInput(context, externalId);
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'deals', given, (sql) =>
      updateRow(sql, context.tenantId, dealId, dealChangeColumns, change, given),
    ),
  );
  return oneRow(rows).record;
}

/** Makes the deal that the caller calls so, or changes it. Throws what making and changing one do, and `precondition_failed`. */
export function upsertDeal(
  context: Context,
  asked: Upsert<NewDeal, DealChange>,
): Promise<Upserted<DealRecord>> {
  const { tenantId } = context;
  return withDomainErrors(
    upsert<NewDeal, DealChange, DealRecord>(context, {
      ...asked,
      source: 'deals',
      change: (sql, { external_id: _same, ...members }, given) =>
        updateRow(sql, tenantId, foundId(sql), dealChangeColumns, members, given),
      create(sql, { external_id: _same, ...members }, given) {
        const deal = { ...withDealDefaults(members), ...newExternalIds(given) };
        return insertDeal(sql, tenantId, newDealColumns, deal, shouldCreate(sql));
      },
    }),
  );
}

/** Moves an open deal; to the stage it is in, nothing changes. Throws `not_found`, `conflict`, `unprocessable`. */
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

/** Wins or loses an open deal. Throws `not_found`, `conflict`, and `unprocessable` for a loss without a reason. */
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

/** Removes it with its activities. Throws `not_found`. */
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
