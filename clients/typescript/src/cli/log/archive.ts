// Archives a month of the request log: writes it, reads it back, detaches the partition and drops it. Each step can be repeated, so a run
// that was killed continues with the next run.
import type postgres from 'postgres';
import { wait } from '../../core/wait.ts';
import { CliError } from '../exit-codes.ts';
import { type Manifest, readArchive, writeArchive } from './archive-file.ts';

const ROWS_PER_BATCH = 2000;
/** While it waits for this lock, all requests wait as well. */
const LOCK_TIMEOUT = '2s';
const MAX_TRIES = 20;
const BETWEEN_TRIES_MS = 3000;
/** SQLSTATEs of a lock that was not granted in time. */
const LOCK_ERRORS = new Set(['55P03', '40P01']);

export interface ArchiveOptions {
  sql: postgres.Sql;
  /** `YYYY-MM`. */
  month: string;
  folder: string;
  /** Whether the partition stays in the database. */
  keep: boolean;
  signal: AbortSignal;
  note: (text: string) => void;
}

type State = 'attached' | 'detached' | 'missing';

export async function archiveMonth(
  options: ArchiveOptions,
): Promise<{ manifest: Manifest; isDropped: boolean }> {
  const { sql, month, folder, keep, signal, note } = options;
  const partition = `request_log_${month.replace('-', '_')}`;
  const state = await readState(sql, month, partition);
  let manifest = await readArchive(folder, month);
  if (state === 'missing') {
    if (manifest) return { manifest, isDropped: true };
    throw new CliError(`The database has no partition of ${month}.`);
  }
  const write = async () => {
    note(`Writing ${month}.`);
    return await exportRows(sql, partition, signal, (content) => writeArchive(folder, month, content));
  };
  if (!manifest || manifest.fingerprint !== (await readFingerprint(sql, partition))) manifest = await write();
  if (keep) return { manifest, isDropped: false };
  signal.throwIfAborted();
  if (state === 'attached') {
    note('Detaching the partition.');
    await tryForLock(
      sql,
      signal,
      (tx) => tx`alter table public.request_log detach partition public.${tx(partition)}`,
    );
  }
  // Nothing writes to a detached partition, so this comparison is final.
  if (manifest.fingerprint !== (await readFingerprint(sql, partition))) manifest = await write();
  await tryForLock(sql, signal, (tx) => tx`drop table public.${tx(partition)}`);
  return { manifest, isDropped: true };
}

/** Throws unless the month is over. */
async function readState(sql: postgres.Sql, month: string, partition: string): Promise<State> {
  const [row] = await sql<{ over: boolean; known: boolean; attached: boolean; in_default: boolean }[]>`
    select now() at time zone 'UTC' >= m.starts_at + interval '1 month' as over,
           to_regclass(${`public.${partition}`}) is not null as known,
           exists (select from pg_catalog.pg_inherits i
                   where i.inhrelid = to_regclass(${`public.${partition}`}) and i.inhparent = 'public.request_log'::regclass) as attached,
           exists (select from public.request_log_default d
                   where d.at >= m.starts_at at time zone 'UTC' and d.at < (m.starts_at + interval '1 month') at time zone 'UTC') as in_default
    from (select ${`${month}-01`}::timestamp as starts_at) as m`;
  if (!row?.over) throw new CliError(`${month} is not over. Archive months that have ended (UTC).`, 2);
  if (row.in_default)
    throw new CliError(
      `Rows of ${month} are in request_log_default, because the month had no partition. Export them with psql.`,
    );
  if (!row.known) return 'missing';
  return row.attached ? 'attached' : 'detached';
}

/** Reads without a statement timeout and in UTC, regardless of the role's settings. */
async function beginReading(sql: postgres.ISql): Promise<void> {
  await sql`begin isolation level repeatable read read only`;
  await sql`set local statement_timeout = 0`;
  await sql`set local time zone 'UTC'`;
}

const selectFingerprint = (sql: postgres.ISql, partition: string) => sql<{ fingerprint: string }[]>`
  select count(*) || ':' || coalesce(sum(hashtextextended(row_to_json(r)::text, 0)), 0) as fingerprint from public.${sql(partition)} r`;

/** The number of rows and a hash of their contents: erasing a person removes addresses from old rows. */
async function readFingerprint(sql: postgres.Sql, partition: string): Promise<string | undefined> {
  return await withConnection(sql, async (connection) => {
    const [row] = await selectFingerprint(connection, partition);
    return row?.fingerprint;
  });
}

interface Content {
  fingerprint: string;
  batches: AsyncIterable<readonly { line: string }[]>;
}

/** Reads all rows as JSON, in batches, and their fingerprint, in one snapshot. */
async function exportRows<T>(
  sql: postgres.Sql,
  partition: string,
  signal: AbortSignal,
  use: (content: Content) => Promise<T>,
): Promise<T> {
  return await withConnection(sql, async (connection) => {
    const [row] = await selectFingerprint(connection, partition);
    const rows = connection<{ line: string }[]>`
      select row_to_json(r)::text as line from public.${connection(partition)} r`.cursor(ROWS_PER_BATCH);
    async function* batches() {
      for await (const batch of rows) {
        signal.throwIfAborted();
        yield batch;
      }
    }
    return await use({ fingerprint: row?.fingerprint ?? '', batches: batches() });
  });
}

/** Runs `use` in a transaction that only reads. */
async function withConnection<T>(
  sql: postgres.Sql,
  use: (connection: postgres.ReservedSql) => Promise<T>,
): Promise<T> {
  const connection = await sql.reserve();
  try {
    await beginReading(connection);
    return await use(connection);
  } finally {
    await connection`rollback`.catch(() => {});
    connection.release();
  }
}

/** Runs a statement with a short lock timeout, and retries until it gets its locks. */
async function tryForLock(
  sql: postgres.Sql,
  signal: AbortSignal,
  build: (tx: postgres.TransactionSql) => postgres.PendingQuery<postgres.Row[]>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.begin(async (tx) => {
        await tx`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
        await build(tx);
      });
      return;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!LOCK_ERRORS.has(code)) throw error;
      if (tries >= MAX_TRIES)
        throw new CliError(
          'Transactions on the request log did not end in time. The archive is written; run the command again.',
        );
      await wait(BETWEEN_TRIES_MS, signal);
    }
  }
}
