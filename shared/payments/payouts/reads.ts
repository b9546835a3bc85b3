// Reads of payouts. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { providerFilter } from '../providers/names.ts';
import { notFound } from '../requests/errors.ts';
import { controlFilters } from '../requests/list-filters.ts';
import { type PayoutRow, type PayoutSnapshotRow, payoutListSource, selectPayout } from './queries.ts';
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

export async function listPayouts(
  { read, tenantId }: Context,
  query: KeysetQuery,
): Promise<KeysetPage<PayoutRow>> {
  const rows = await read(
    (sql) => sql<PayoutSnapshotRow>`${payoutListSource(sql)} ${keysetClauses(sql, tenantId, query)}`,
  );
  return toKeysetPage(
    rows.map(({ snapshot }) => snapshot),
    query,
  );
}
