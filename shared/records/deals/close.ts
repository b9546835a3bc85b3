import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertNote } from '../activities/queries.ts';
import { unprocessable, withDomainErrors } from '../domain-errors.ts';
import { type DealRecord, lockDeal, updateStatus } from './queries.ts';
import type { Closing } from './schema.ts';

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
