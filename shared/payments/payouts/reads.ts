// Reads of payouts. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import type { KeysetPage, KeysetQuery } from '../../platform/lists/keyset-list.ts';
import { providerFilter } from '../provider-registry/registry.ts';
import { notFound } from '../requests/errors.ts';
import { controlFilters, listSnapshots } from '../requests/list-filters.ts';
import { type PayoutRow, payoutListSource, selectPayout } from './queries.ts';
import { payoutStatuses } from './states.ts';

export { serializePayout } from './serialize.ts';

/** Throws `not_found`. */
export async function getPayout({ read, tenantId }: Context, id: string): Promise<PayoutRow> {
  const [row] = await read((sql) => selectPayout(sql, tenantId, id));
  if (!row) throw notFound('payout');
  return row.snapshot;
}

export const payoutFilters: Filters = {
  ...controlFilters,
  status: oneOf('status', payoutStatuses),
  provider: providerFilter,
};

export const listPayouts = (context: Context, query: KeysetQuery): Promise<KeysetPage<PayoutRow>> =>
  listSnapshots(context, payoutListSource, query);
