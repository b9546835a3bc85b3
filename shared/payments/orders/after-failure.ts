// Cleanup after a failed order, in the transaction that stores the failure.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { keyWasRefused, outcomeIsUnknown } from '../providers/ask-provider.ts';
import { reportRefusedKey } from '../providers/routing.ts';
import type { OrderTable } from './queries.ts';

/**
 * Deletes an invalid order, unless the provider may have accepted an earlier attempt. Schedules a lookup of an order whose outcome
 * is unknown. Records on the account that the provider rejects the API key.
 */
export function afterFailedOrder(
  sql: Sql,
  table: OrderTable,
  { id, provider_account_id: accountId }: { id: string; provider_account_id: string | null },
  error: unknown,
  again: boolean,
): Fragment[] {
  const invalid = error instanceof ApiError && error.code === 'validation';
  if (invalid && !again) return [sql`select app.discard_order(${table}, ${id})`];
  if (invalid || outcomeIsUnknown(error)) return [sql`select app.recover_order_soon(${table}, ${id})`];
  return accountId && keyWasRefused(error) ? [reportRefusedKey(sql, accountId)] : [];
}
