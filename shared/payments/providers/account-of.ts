import type { Fragment, Sql } from '../../platform/db/database.ts';
import type { ProviderAccount } from './provider.ts';

/** Column `account` of a row that has a `provider_account_id`: what its provider is called with; null in the sandbox. */
export const accountOf = (sql: Sql, row: Fragment): Fragment =>
  sql`app.provider_account(${row}.provider_account_id) as account`;

export interface WithAccount {
  account: ProviderAccount | null;
}

/** What an order is called: by us, by its provider, or by both. */
export interface OrderNames {
  reference?: string | undefined;
  providerReference?: string | undefined;
}
