// Cleanup after a failed order, in the transaction that stores the failure.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import {
  isKeyRejected,
  isOrderRejected,
  isOutcomeUnknown,
  isProviderUnreachable,
} from '../providers/errors.ts';
import { recordAnsweredOrder, recordRejectedKey, recordUnansweredOrder } from '../providers/routing.ts';
import type { OrderTable } from './queries.ts';

interface FailedOrder {
  id: string;
  provider_account_id: string | null;
}

/**
 * Deletes an invalid order, unless the provider may have accepted an earlier attempt. Schedules a lookup of an order whose outcome
 * is unknown. Records on the account the provider state that the failure shows.
 */
export function afterFailedOrder(
  sql: Sql,
  table: OrderTable,
  order: FailedOrder,
  error: unknown,
  again: boolean,
): Fragment[] {
  const { id } = order;
  const reports = reportFailure(sql, order, error);
  const invalid = error instanceof ApiError && error.code === 'validation';
  if (invalid && !again) return [...reports, sql`select app.discard_order(${table}, ${id})`];
  if (invalid || isOutcomeUnknown(error))
    return [...reports, sql`select app.recover_order_soon(${table}, ${id})`];
  return reports;
}

/** Records on the order's account the provider state that a failure shows. */
export function reportFailure(
  sql: Sql,
  { id, provider_account_id: accountId }: FailedOrder,
  error: unknown,
): Fragment[] {
  if (accountId === null) return [];
  if (isKeyRejected(error)) return [recordRejectedKey(sql, accountId)];
  if (isProviderUnreachable(error)) return [recordUnansweredOrder(sql, accountId, id)];
  return isOrderRejected(error) ? [recordAnsweredOrder(sql, accountId)] : [];
}
