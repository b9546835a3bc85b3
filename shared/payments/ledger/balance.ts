import type { Context } from '../../platform/context.ts';
import { selectBalance } from './queries.ts';
import type { BalanceResponse } from './schema.ts';

/** What the ledger adds up to: one item for each currency that it has. */
export async function getBalance({ read, tenantId }: Context): Promise<BalanceResponse> {
  const rows = await read((sql) => selectBalance(sql, tenantId));
  return { data: rows.map(({ balance }) => balance) };
}
