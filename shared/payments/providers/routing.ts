// Who takes an order, as the database chose (`app.choose_provider`), and what it means where nobody does.
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { invalidFields } from '../requests/errors.ts';
import type { OrderKind, ProviderAccount } from './provider.ts';

export interface OrderToRoute {
  kind: OrderKind;
  /** Values, or columns of the statement that it is part of. */
  region: string | Fragment;
  currency: string | Fragment;
  /** Of a charge. */
  method?: string;
  amountMinor?: number;
}

/** One row of `provider`, `account_id`, `problem` and `detail`. */
export const chooseProvider = (
  sql: Sql,
  { kind, region, currency, method, amountMinor }: OrderToRoute,
): Fragment =>
  sql`app.choose_provider(${kind}, ${region}, ${currency}, ${method ?? null}, ${amountMinor ?? null})`;

/** What kept an order from being begun. */
export interface RoutingProblem {
  problem: 'not_configured' | 'not_ready' | 'amount' | null;
  detail: string | null;
}

const RETRY_AFTER_SECONDS = 60;

/** The error that a problem leads to; nothing where there is none. */
export function problemOf({ problem, detail }: RoutingProblem): ApiError | undefined {
  switch (problem) {
    case null:
      return undefined;
    case 'amount':
      return invalidFields([{ field: 'amount', message: detail ?? 'is out of range' }]);
    case 'not_ready':
      return new ApiError('provider_error', `The provider cannot be asked at the moment: ${detail}`, {
        extra: { retryable: true },
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        reason: 'provider_not_ready',
      });
    case 'not_configured':
      return new ApiError('provider_not_configured', detail ?? 'No provider takes it.');
  }
}

/** Column `account` of a row that has a `provider_account_id`: what its provider is called with; null in the sandbox. */
export const accountOf = (sql: Sql, row: Fragment): Fragment =>
  sql`app.provider_account(${row}.provider_account_id) as account`;

/** The provider rejected the account's API key. */
export const reportRefusedKey = (sql: Sql, accountId: string): Fragment =>
  sql`select app.report_refused_key(${accountId})`;

export interface WithAccount {
  account: ProviderAccount | null;
}

/** Whether an order has one of these names at an account; by our own name in the sandbox (null), which has no accounts. */
export const isNamed = (
  sql: Sql,
  row: Fragment,
  accountId: string | null,
  { reference, providerReference }: OrderNames,
): Fragment =>
  accountId === null
    ? sql`${row}.id = ${reference ?? null} and ${row}.provider_account_id is null`
    : sql`
      ${row}.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
      and ${row}.provider_account_id = ${accountId}
      and (${row}.id = ${reference ?? null} or ${row}.provider_reference = ${providerReference ?? null})`;

/** What an order is called: by us, by its provider, or by both. */
export interface OrderNames {
  reference?: string | undefined;
  providerReference?: string | undefined;
}
