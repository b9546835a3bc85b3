import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type DealRecord, selectDeal } from './queries.ts';

/** Throws `not_found`. */
export async function getDeal({ read, tenantId }: Context, dealId: string): Promise<DealRecord> {
  const [rows] = await withDomainErrors(read((sql) => [selectDeal(sql, tenantId, dealId)]));
  return oneRow(rows).record;
}
