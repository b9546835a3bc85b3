// Applies one migration file, and records it where the Supabase CLI does.
import type postgres from 'postgres';
import { isConcurrent } from '../migrations/rules/locks.ts';
import { readMigration } from '../migrations/statements.ts';
import { splitStatements } from '../sql-statements.ts';

interface MigrationFile {
  /** `20261127011700_platform_monitoring.sql` */
  name: string;
  sql: string;
}

/** Why a file was not applied. Its transaction was rolled back. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** For files that set none. Requests queue behind a statement that waits for a table. */
const LOCK_TIMEOUT = '3s';
/** Building an index concurrently waits for the transactions that use the table, and blocks no request meanwhile. */
const CONCURRENT_LOCK_TIMEOUT = '10min';

/**
 * Settings of the session. Supabase ends statements of `postgres` after two minutes, but validating a constraint or indexing a large
 * table takes longer. They are set by a statement, because poolers ignore or reject startup parameters.
 */
const settingsFor = (lockTimeout: string) => ({
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  lock_timeout: lockTimeout,
  // If this process is killed, Postgres ends its statement.
  client_connection_check_interval: '5s',
});

/** Applies the file on the only connection of `sql`. Throws a {@link MigrationError} if it fails. */
export async function applyMigration(sql: postgres.Sql, file: MigrationFile): Promise<void> {
  const runsOutsideTransaction = isConcurrent(readMigration(file));
  const statements = splitStatements(file.sql);
  await resetSession(sql, runsOutsideTransaction ? CONCURRENT_LOCK_TIMEOUT : LOCK_TIMEOUT);
  if (runsOutsideTransaction) {
    for (const { text, line } of statements)
      await sql.unsafe(text).catch((error: unknown) => fail(error, file, { text, line }));
    return record(sql, file, statements);
  }
  await sql.begin(async (transaction) => {
    await transaction
      .unsafe(file.sql)
      .catch((error: unknown) => fail(error, file, { text: file.sql, line: 1 }));
    await record(transaction, file, statements);
  });
}

/** A file must not inherit settings of the one before it. */
async function resetSession(sql: postgres.Sql, lockTimeout: string): Promise<void> {
  await sql`reset all`;
  await sql`
    select set_config(name, value, false)
    from pg_catalog.jsonb_each_text(${JSON.stringify(settingsFor(lockTimeout))}::text::jsonb) as settings (name, value)
    join pg_catalog.pg_settings using (name)`.values();
}

async function record(
  sql: postgres.Sql | postgres.TransactionSql,
  { name }: MigrationFile,
  statements: readonly { text: string }[],
): Promise<void> {
  const [, version = '', title = ''] = /^(\d+)_(.*)\.sql$/.exec(name) ?? [];
  const texts = JSON.stringify(statements.map(({ text }) => text));
  await sql`
    insert into supabase_migrations.schema_migrations (version, name, statements)
    values (${version}, ${title}, array(select pg_catalog.jsonb_array_elements_text(${texts}::text::jsonb)))`;
}

/** The same table as the Supabase CLI creates. */
export async function createHistory(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
    alter table supabase_migrations.schema_migrations add column if not exists statements text[], add column if not exists name text;`);
}

/** Throws with file and line. Postgres counts code points. */
function fail(
  error: unknown,
  { name }: MigrationFile,
  { text, line }: { text: string; line: number },
): never {
  if (!(error instanceof Error)) throw error;
  const { code = '', position = '1', detail, hint } = error as Partial<postgres.PostgresError>;
  const before = [...text].slice(0, Number(position) - 1).join('');
  const place = `${name}:${line + before.split('\n').length - 1}`;
  const more = [detail, hint].filter(Boolean).map((part) => `\n    ${part}`);
  throw new MigrationError(`${place}: ${error.message} (SQLSTATE ${code})${more.join('')}`, code);
}
