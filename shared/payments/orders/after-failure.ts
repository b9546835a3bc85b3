// What the failure of an order leaves to do, in the transaction that keeps the failure.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { keyWasRefused, outcomeIsUnknown } from '../providers/ask-provider.ts';
import { reportRefusedKey } from '../providers/routing.ts';
import type { OrderTable } from './queries.ts';

/**
 * A faulty order leaves nothing behind, unless an earlier attempt at it may have been taken; one whose outcome is unknown is looked up soon; a key that its provider does not take is
 * noted on the account.
 */
export function afterFailedOrder(
  sql: Sql,
  table: OrderTable,
  { id, provider_account_id: accountId }: { id: string; provider_account_id: string | null },
  error: unknown,
  again: boolean,
): Fragment[] {
  const faulty = error instanceof ApiError && error.code === 'validation';
  if (faulty && !again) return [sql`select app.discard_order(${table}, ${id})`];
  if (faulty || outcomeIsUnknown(error)) return [sql`select app.recover_order_soon(${table}, ${id})`];
  return accountId && keyWasRefused(error) ? [reportRefusedKey(sql, accountId)] : [];
}
