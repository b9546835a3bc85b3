// Reads of the ledger. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { day, type Filter, type Filters, oneOf } from '../../platform/lists/filters.ts';
import {
  isTypeId,
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';
import { providerFilter } from '../providers/names.ts';
import { notFound } from '../requests/errors.ts';
import { controlFilters, currencyFilter } from '../requests/list-filters.ts';
import {
  type LedgerEntryJson,
  ledgerConditions,
  ledgerListSource,
  selectBalance,
  selectLedgerEntry,
} from './queries.ts';
import type { BalanceResponse } from './schema.ts';
import { entryTypes, type LedgerEntryRow } from './serialize.ts';

export { serializeLedgerEntry } from './serialize.ts';

/** The balance, with one item per currency. */
export async function getBalance({ read, tenantId }: Context): Promise<BalanceResponse> {
  const rows = await read((sql) => selectBalance(sql, tenantId));
  return { data: rows.map(({ balance }) => balance) };
}

/** Throws `not_found`. */
export async function getLedgerEntry({ read, tenantId }: Context, id: string): Promise<LedgerEntryRow> {
  const [row] = await read((sql) => selectLedgerEntry(sql, tenantId, id));
  if (!row) throw notFound('entry');
  return row.entry;
}

const month: Filter = (value) =>
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(value)
    ? { op: 'period', value: `${value}-01` }
    : { rule: 'must be a month in the format YYYY-MM' };

const source: Filter = (value) => {
  if (isTypeId('inv', value)) return { op: 'eq', column: 'invoice_id', value };
  if (isTypeId('rfd', value)) return { op: 'eq', column: 'refund_id', value };
  if (isTypeId('po', value)) return { op: 'eq', column: 'payout_id', value };
  return { rule: 'must be the id of an invoice, a refund or a payout' };
};

export const ledgerFilters: Filters = {
  ...controlFilters,
  type: oneOf('type', entryTypes),
  currency: currencyFilter,
  provider: providerFilter,
  period: month,
  'available_on[gte]': day('available_on', 'gte'),
  'available_on[lte]': day('available_on', 'lte'),
  source,
};

export async function listLedger(
  { read, tenantId }: Context,
  query: KeysetQuery,
): Promise<KeysetPage<LedgerEntryRow>> {
  const rows = await read(
    (sql) =>
      sql<LedgerEntryJson>`${ledgerListSource(sql)} ${keysetClauses(sql, tenantId, query, ledgerConditions(tenantId))}`,
  );
  return toKeysetPage(
    rows.map(({ entry }) => entry),
    query,
  );
}
