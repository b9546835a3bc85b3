// The transaction of a change of administration.
import type { Context, LoggedStatus } from '../platform/access/context.ts';
import {
  type Fragment,
  oneRow,
  type RowsOf,
  type Sql,
  type Statement,
  type Work,
} from '../platform/db/database.ts';
import { type ErrorContext, withAdminErrors } from './errors.ts';
import { type Shown, selectSummary } from './statements.ts';

/** What a change did: the record as it is shown, if it still exists, and the change in one sentence, as in the audit trail. */
export interface Changed extends Partial<Shown> {
  summary: string;
  /** Whether the record was created, for operations that create or update. */
  made?: boolean;
}

/** In the statements of a change that creates or updates: remembers for `upsertStatus` whether it creates. */
export const rememberMade = (sql: Sql, exists: Fragment): Statement<{ made: string }> =>
  sql`select set_config('app.made', (not ${exists})::text, true) as made`;

/** The status of a change that creates or updates. */
export const upsertStatus: LoggedStatus = (sql) =>
  sql`case current_setting('app.made') when 'true' then 201 else 200 end`;

/** Runs the statements of a change. Returns their rows and the summary. Throws known errors as `ApiError`. */
export async function change<const W extends Work>(
  { write }: Context,
  build: (sql: Sql) => W,
  errors: ErrorContext & { status?: LoggedStatus } = {},
): Promise<{ rows: RowsOf<W>; summary: string }> {
  const { rows, summary } = await withAdminErrors(
    write((sql) => ({ rows: build(sql), summary: selectSummary(sql) }), errors.status),
    errors,
  );
  return { rows, summary: oneRow(summary).summary };
}
