// SQL that chooses the provider of an order (`app.choose_provider`), and the errors if no provider is available.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';
import { invalidFields } from '../requests/errors.ts';
import type { ProviderAccount } from './accounts.ts';
import type { OrderKind } from './order-report.ts';

interface OrderToRoute {
  kind: OrderKind;
  /** Values, or columns of the enclosing statement. */
  region: string | Fragment;
  currency: string | Fragment;
  /** The payment method of a charge. */
  method?: string | undefined;
  amountMinor?: number | undefined;
}

/** Returns one row with `provider`, `account_id`, `problem` and `detail`. */
export const chooseProvider = (
  sql: Sql,
  { kind, region, currency, method, amountMinor }: OrderToRoute,
): Fragment =>
  sql`app.choose_provider(${kind}, ${region}, ${currency}, ${method ?? null}, ${amountMinor ?? null})`;

/** Why no provider accepts an order. */
export interface RoutingProblem {
  problem: 'not_configured' | 'not_ready' | 'amount' | null;
  detail: string | null;
}

const RETRY_AFTER_SECONDS = 60;

/** Maps a routing problem to an API error. Undefined if there is no problem. */
export function problemOf({ problem, detail }: RoutingProblem): ApiError | undefined {
  switch (problem) {
    case null:
      return undefined;
    case 'amount':
      return invalidFields(amountErrors({ problem, detail }));
    case 'not_ready':
      return new ApiError('provider_error', `The provider is unavailable: ${detail}`, {
        extra: { retryable: true },
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        reason: 'provider_not_ready',
      });
    case 'not_configured':
      return new ApiError('provider_not_configured', detail ?? 'No provider is configured for this request.');
  }
}

/** The error of an amount that no provider accepts, as the 422 lists it beside other errors. */
export const amountErrors = ({ problem, detail }: RoutingProblem): ErrorDetail[] =>
  problem === 'amount' ? [{ field: 'amount', message: detail ?? 'is out of range' }] : [];

/** The column `account` of a row with a `provider_account_id`: its provider account, null in the sandbox. */
export const accountOf = (sql: Sql, row: Fragment): Fragment =>
  sql`app.provider_account(${row}.provider_account_id) as account`;

/** Records that the provider rejected the account's API key. */
export const recordRejectedKey = (sql: Sql, accountId: string): Fragment =>
  sql`select app.report_refused_key(${accountId})`;

/** Records that the provider did not respond to this order. Three orders in a row make the account failing. */
export const recordUnansweredOrder = (sql: Sql, accountId: string, orderId: string): Fragment =>
  sql`select app.record_unanswered_order(${accountId}, ${orderId})`;

/** Records that the provider responded to an order. Writes nothing unless earlier orders got no response. */
export const recordAnsweredOrder = (sql: Sql, accountId: string): Fragment =>
  sql`select app.record_answered_order(${accountId})`;

export interface WithAccount {
  account: ProviderAccount | null;
}

/** The ids of an order: ours, the provider's, or both. */
export interface OrderIds {
  reference?: string | undefined;
  providerReference?: string | undefined;
}
