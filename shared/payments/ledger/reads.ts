// Reads of the ledger. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import type { KeysetPage, KeysetQuery } from '../../platform/lists/keyset-list.ts';
import { notFound } from '../requests/errors.ts';
import { listSnapshots } from '../requests/list-filters.ts';
import { ledgerConditions, ledgerListSource, selectBalance, selectLedgerEntry } from './queries.ts';
import type { BalanceResponse } from './schema.ts';
import type { NamedLedgerEntry } from './serialize.ts';

export { ledgerFilters } from './filters.ts';
export { serializeLedgerEntry } from './serialize.ts';

/** The balance, with one item per currency. */
export async function getBalance({ read, tenantId }: Context): Promise<BalanceResponse> {
  const rows = await read((sql) => selectBalance(sql, tenantId));
  return { data: rows.map(({ balance }) => balance) };
}

/** Throws `not_found`. */
export async function getLedgerEntry({ read, tenantId }: Context, id: string): Promise<NamedLedgerEntry> {
  const [row] = await read((sql) => selectLedgerEntry(sql, tenantId, id));
  if (!row) throw notFound('entry');
  return row.snapshot;
}

export const listLedger = (context: Context, query: KeysetQuery): Promise<KeysetPage<NamedLedgerEntry>> =>
  listSnapshots(context, ledgerListSource, query, ledgerConditions(context.tenantId));
