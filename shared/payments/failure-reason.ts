import type { Fragment, Sql } from '../platform/db/database.ts';

/** What a row says of why it failed once a provider reported this status: nothing unless it has. */
export const failureReason = (sql: Sql, status: string, reason: string | undefined): Fragment =>
  sql`${status === 'failed' ? (reason ?? 'The provider gave no reason.') : null}::text`;
