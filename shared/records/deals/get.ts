import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { keyIn, type RecordKey } from '../external-ids.ts';
import { type DealRecord, selectDeal } from './queries.ts';

/** Throws `not_found`. */
export async function getDeal(context: Context, deal: RecordKey): Promise<DealRecord> {
  const rows = await withDomainErrors(
    context.read((sql) => selectDeal(sql, context.tenantId, keyIn(sql, context, 'deals', deal))),
  );
  return oneRow(rows).record;
}
