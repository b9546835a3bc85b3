// The transactions of administration: reads of a page or record, and changes with their summary. Throw known errors as `ApiError`.
import type { Context, LoggedStatus } from '../platform/access/context.ts';
import { type Fragment, oneRow, type Sql, type Statement, type Work } from '../platform/db/database.ts';
import { adminError, type ErrorContext, withAdminErrors } from './errors.ts';
import { type Page, type Shown, selectSummary } from './statements.ts';

export async function readPage({ read }: Context, build: (sql: Sql) => Statement<Page>): Promise<Page> {
  return oneRow(await read(build));
}

/** Reads the record that `shown` selects, after `found`. Without `found`, throws `not_found` if there is none of this kind. */
export async function readShown(
  { read }: Context,
  build: (sql: Sql) => { found?: Fragment; shown: Statement<Shown> },
  kind?: string,
): Promise<Shown> {
  const rows = await withAdminErrors(
    read((sql) => {
      const { found, shown } = build(sql);
      return { found: found ? [found] : [], shown };
    }),
  );
  const [shown] = rows.shown;
  if (!shown) throw adminError('unknown_reference', kind ? { kind } : {});
  return shown;
}

/** What a change did: the record as it is shown, if it still exists, and the change in one sentence, as in the audit trail. */
export interface Changed extends Partial<Shown> {
  summary: string;
  /** Whether the record was created, for operations that create or update. */
  made?: boolean;
}

/** The statements of a change. Those with these names are read, in any order. */
interface ChangeWork {
  readonly [name: string]: Work;
}
interface ChangeRows {
  /** The record after the change. */
  shown?: Partial<Shown>[];
  /** Members of the record that only this answer shows. */
  secret?: Record<string, unknown>[];
  /** `rememberMade`. */
  made?: { made: string }[];
}

/** Runs the statements of a change. */
export async function change(
  { write }: Context,
  build: (sql: Sql) => ChangeWork,
  { status, ...errors }: ErrorContext & { status?: LoggedStatus } = {},
): Promise<Changed> {
  const { work, summary } = await withAdminErrors(
    write((sql) => ({ work: build(sql), summary: selectSummary(sql) }), status),
    errors,
  );
  const { shown: [shown] = [], secret: [secret] = [], made: [made] = [] } = work as ChangeRows;
  return {
    ...shown,
    ...(secret && { record: { ...shown?.record, ...secret } }),
    ...(made && { made: made.made === 'true' }),
    summary: oneRow(summary).summary,
  };
}

/** In the statements of a change that creates or updates: remembers for `upsertStatus` whether it creates. */
export const rememberMade = (sql: Sql, exists: Fragment): Statement<{ made: string }> =>
  sql`select set_config('app.made', (not ${exists})::text, true) as made`;

/** The status of a change that creates or updates. */
export const upsertStatus: LoggedStatus = (sql) =>
  sql`case current_setting('app.made') when 'true' then 201 else 200 end`;
