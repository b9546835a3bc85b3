import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { ProviderAccount } from './provider.ts';

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
