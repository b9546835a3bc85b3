import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type DealRecord, lockDeal, updateDeal as updateRow } from './queries.ts';
import { type DealChange, dealChange } from './schema.ts';

const columns = columnsOf(dealChange, 'stage_id', 'stage');

/**
 * Changes what is given. Another stage is a move, which only an open deal can make. Throws `not_found`, `conflict` and
 * `unprocessable`.
 */
export async function updateDeal(
  { write, tenantId }: Context,
  dealId: string,
  change: DealChange,
): Promise<DealRecord> {
  const [, rows] = await withDomainErrors(
    write((sql) => [lockDeal(sql, tenantId, dealId), updateRow(sql, tenantId, dealId, columns, change)]),
  );
  return oneRow(rows).record;
}
