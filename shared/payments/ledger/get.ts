import type { Context } from '../../platform/context.ts';
import { notFound } from '../domain-errors.ts';
import { selectLedgerEntry } from './queries.ts';
import type { LedgerEntryRow } from './serialize.ts';

/** Throws `not_found`. */
export async function getLedgerEntry({ read, tenantId }: Context, id: string): Promise<LedgerEntryRow> {
  const [row] = await read((sql) => selectLedgerEntry(sql, tenantId, id));
  if (!row) throw notFound('entry');
  return row.entry;
}
