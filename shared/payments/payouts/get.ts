import type { Context } from '../../platform/context.ts';
import { notFound } from '../domain-errors.ts';
import { selectPayout } from './queries.ts';
import type { PayoutRow } from './serialize.ts';

/** Throws `not_found`. */
export async function getPayout({ read, tenantId }: Context, id: string): Promise<PayoutRow> {
  const [row] = await read((sql) => selectPayout(sql, tenantId, id));
  if (!row) throw notFound('payout');
  return row.snapshot;
}
