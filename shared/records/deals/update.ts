import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { givenBy, writeNamed } from '../external-ids.ts';
import { type DealRecord, lockDeal, updateDeal as updateRow } from './queries.ts';
import { type DealChange, dealChange } from './schema.ts';

export const columns = columnsOf(dealChange, 'stage_id', 'stage', 'external_id');

/**
 * Changes what is given. Another stage is a move, which only an open deal can make. Throws `not_found`, `conflict` and
 * `unprocessable`.
 */
export async function updateDeal(
  context: Context,
  dealId: string,
  { external_id: externalId, ...change }: DealChange,
): Promise<DealRecord> {
  const { tenantId } = context;
  const given = givenBy(context, externalId);
  const { deal } = await withDomainErrors(
    writeNamed(context, 'deals', given, (sql) => ({
      lock: lockDeal(sql, tenantId, dealId),
      deal: updateRow(sql, tenantId, dealId, columns, change, given),
    })),
  );
  return oneRow(deal).record;
}
