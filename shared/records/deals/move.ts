import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { insertNote } from '../activities/queries.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type DealRecord, lockDeal, updateStage } from './queries.ts';
import type { Move } from './schema.ts';

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
