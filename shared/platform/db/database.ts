// How everything here talks to Postgres: a transaction whose statements all leave together, so that it waits on the
// network once, under a role and a tenant that hold for that transaction alone.
import type postgres from 'postgres';
import type { Env } from '../env.ts';
import { type Connection, createPool } from './pool.ts';

export type Rows = postgres.RowList<postgres.Row[]>;
export type Statement = postgres.PendingQuery<postgres.Row[]>;
export type Sql = Connection;

export interface Session {
  /** `api` works for one tenant; `worker` is for jobs, and sees of other tables only what its policies name. */
  role: 'api' | 'worker';
  tenantId: string | null;
  /** What the caller says of the cause of its changes; events carry it. */
  origin?: string | undefined;
  /** Longest time for one statement, in milliseconds. */
  statementTimeoutMs?: number;
}

export interface Database {
  /**
   * Runs the statements in one transaction, sent together. Returns their rows in order. When any of them fails nothing
   * is kept and the first error is thrown, a `503` `ApiError` when the database could not be reached.
   */
  transaction(session: Session, build: (sql: Sql) => Statement[]): Promise<Rows[]>;
  /** Runs one statement as the login role, outside any tenant: only for functions that were written for it. */
  lone(build: (sql: Sql) => Statement): Promise<Rows>;
  close(): Promise<void>;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 25_000;
/** Longest wait for a lock: somebody's long transaction must not hold the connections that others need. */
const LOCK_TIMEOUT_MS = 5_000;

/** Quotes a value for the text of a statement. */
function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function preamble({
  role,
  tenantId,
  origin,
  statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
}: Session): string {
  const settings = {
    role,
    'app.tenant_id': tenantId ?? '',
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(LOCK_TIMEOUT_MS),
    ...(origin !== undefined && { 'app.origin': origin }),
  };
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true)`,
  );
  return `begin; select ${calls.join(', ')}`;
}

async function pipeline(connection: Connection, session: Session, build: (sql: Sql) => Statement[]) {
  const begin = connection.unsafe(preamble(session)).simple().execute();
  const statements = build(connection).map((statement) => statement.execute());
  const commit = connection.unsafe('commit').simple().execute();
  const settled = await Promise.allSettled([begin, ...statements, commit]);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const results = settled.map((result) =>
    result.status === 'fulfilled' ? (result.value as Rows) : undefined,
  );
  // A transaction that failed in the meantime answers COMMIT with ROLLBACK, and not with an error.
  if (results.at(-1)?.command !== 'COMMIT') throw new Error('The transaction was rolled back.');
  return results.slice(1, -1).filter((rows) => rows !== undefined);
}

/** A database with a pool of its own. `DATABASE_TIMEOUT_MS` bounds the whole wait of one call, connecting included. */
export function createDatabase(env: Env<'database'>): Database {
  const pool = createPool({
    url: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    size: env.DATABASE_POOL_SIZE,
    timeoutMs: env.DATABASE_TIMEOUT_MS,
  });
  return {
    transaction: (session, build) => pool.use((connection) => pipeline(connection, session, build)),
    lone: (build) => pool.use(async (connection) => await build(connection)),
    close: () => pool.close(),
  };
}
