// How everything here talks to Postgres: a transaction whose statements all leave together, so that it waits on the
// network once, under a role and a tenant that hold for that transaction alone.
import type postgres from 'postgres';
import type { Env } from '../env.ts';
import { sendAtOnce } from './cold-statements.ts';
import type { Taker } from './line.ts';
import { type Connection, createPool } from './pool.ts';

export type Sql = Connection;
/** A statement that gives such rows. */
export type Statement<R extends object = postgres.Row> = postgres.PendingQuery<R[]>;
/** A part of a statement. */
export type Fragment = postgres.Fragment;
/** The rows that each statement gives, in order. */
export type RowsOf<S extends readonly Fragment[]> = {
  -readonly [I in keyof S]: S[I] extends postgres.PendingQuery<infer Rows> ? Rows : never;
};

/** Runs the statements in one transaction, sent together. Gives their rows in order; when one fails, nothing is kept. */
export type Transaction = <const S extends readonly Fragment[]>(build: (sql: Sql) => S) => Promise<RowsOf<S>>;

/**
 * Gives the statements that end a transaction, from the rows of those before: the transaction stays open meanwhile, and waits on the
 * network once more. Nothing is kept when it throws.
 */
export type Ending = (rows: readonly unknown[][]) => Promise<(sql: Sql) => readonly Fragment[]>;

/** A transaction that may have an ending. */
export type WriteTransaction = <const S extends readonly Fragment[]>(
  build: (sql: Sql) => S,
  ending?: Ending,
) => Promise<RowsOf<S>>;

export interface Session {
  /**
   * `api` works for one tenant, `payments` as well, and reads its keys of payment providers; `worker` is for jobs, and sees of other
   * tables only what its policies name.
   */
  role: 'api' | 'payments' | 'worker';
  tenantId: string | null;
  /** What the caller says of the cause of its changes; events carry it. */
  origin?: string | undefined;
  /** Whether what it changes is delivered nowhere and causes nothing (`app.is_silent`). */
  silent?: boolean;
  /** Whether it writes nothing; Postgres sees to it. So nothing was done when its answer is lost. */
  reads?: boolean;
  /** The client whose first transaction it is: it is let in by it, or the transaction fails. */
  client?: EnteringClient;
  /** Whether the request stored something already: then it waits for its tenant's share of connections however long it takes. */
  begun?: boolean;
}

/** An OAuth client that is let in by its first transaction. */
export interface EnteringClient {
  id: string;
  /** Of the token that it came with, where that can be revoked. */
  tokenId: string | null;
  /** Requests of its tenant in this minute, if that is known: too many of them are refused. */
  used: number | undefined;
  /** Told how many requests a minute the plan allows, once it is let in. */
  onAdmitted(allowed: number): void;
}

export interface Database {
  /**
   * Runs the statements in one transaction, sent together, those of its ending apart. Gives the rows of the first ones in order.
   * When any fails nothing is kept and the first error is thrown: a `DatabaseUnavailable` when the database could not be reached
   * or its answer was lost, 429 when the tenant has too much under way at once.
   */
  transaction<const S extends readonly Fragment[]>(
    session: Session,
    build: (sql: Sql) => S,
    ending?: Ending,
  ): Promise<RowsOf<S>>;
  /**
   * Runs one statement as the login role, outside any tenant: only for functions that were written for it. `effect` says
   * whether it writes.
   */
  asOwner<R extends object>(effect: 'reads' | 'writes', build: (sql: Sql) => Statement<R>): Promise<R[]>;
  close(): Promise<void>;
}

/** The session of jobs, which work across tenants. */
export const WORKER_SESSION = { role: 'worker', tenantId: null } as const satisfies Session;

/** Longest time for a statement of a transaction that may write; that of reads is a setting. */
const WRITE_TIMEOUT_MS = 25_000;
/** Longest wait for a lock: somebody's long transaction must not hold the connections that others need. */
const LOCK_TIMEOUT_MS = 5_000;
/**
 * How long a tenant's request waits for its share of the connections before it is refused: longer than a lock may take, so that
 * those behind a lock are told of it as well.
 */
const TENANT_WAIT_MS = 8_000;

/** A value in the text of a statement. */
function literal(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** One message begins the transaction, says whose it is, and lets its client in. */
function beginText(
  { role, tenantId, origin, silent, reads = false, client }: Session,
  readTimeoutMs: number,
): string {
  const values = [role, tenantId, reads ? readTimeoutMs : WRITE_TIMEOUT_MS, LOCK_TIMEOUT_MS, origin];
  const all = client ? [...values, client.id, client.used, client.tokenId] : values;
  const quiet = silent ? `set local app.silent = 'on'; ` : '';
  return `begin${reads ? ' read only' : ''}; ${quiet}select app.begin_transaction(${all.map(literal).join(', ')}) as allowed`;
}

interface Beginning {
  begin: string;
  client: EnteringClient | undefined;
}

async function runPipelined<const S extends readonly Fragment[]>(
  connection: Connection,
  { begin, client }: Beginning,
  build: (sql: Sql) => S,
  ending?: Ending,
): Promise<RowsOf<S>> {
  const beginning = connection.unsafe(begin).simple().execute();
  const statements = execute(connection, build);
  const commit = ending ? undefined : end(connection, 'commit');
  const [begun, committed, ...settled] = await Promise.allSettled([beginning, commit, ...statements]);
  const rows = settled.map((result) => (result.status === 'fulfilled' ? result.value : []));
  try {
    for (const result of [begun, ...settled, committed]) {
      if (result.status === 'rejected') throw result.reason;
    }
    if (ending) await runEnding(connection, await ending(rows));
  } catch (error) {
    if (ending) await end(connection, 'rollback').catch(() => {});
    throw error;
  }
  if (client && begun.status === 'fulfilled') client.onAdmitted(allowedOf(begun.value));
  // One result for each statement, in their order: what a list cannot say of itself.
  return rows as RowsOf<S>;
}

async function runEnding(connection: Connection, build: (sql: Sql) => readonly Fragment[]): Promise<void> {
  const results = await Promise.allSettled([...execute(connection, build), end(connection, 'commit')]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

const execute = (connection: Connection, build: (sql: Sql) => readonly Fragment[]) =>
  build(connection).map((statement) => sendAtOnce(statement).execute());

async function end(connection: Connection, how: 'commit' | 'rollback'): Promise<void> {
  const { command } = await connection.unsafe(how).simple().execute();
  // A transaction that failed in the meantime answers COMMIT with ROLLBACK, and not with an error.
  if (command !== how.toUpperCase()) throw new Error('The transaction was rolled back.');
}

/** Several statements in one message give a result each. */
function allowedOf(results: unknown): number {
  const rows = (results as { allowed: number }[][]).at(-1) ?? [];
  return oneRow(rows).allowed;
}

/** Jobs work across tenants and hold no one up who waits for an answer; what they do is short. */
const takerOf = ({ role, tenantId, begun = false }: Session): Taker => ({
  tenantId: role === 'worker' ? null : tenantId,
  begun,
});

/** A database with a pool of its own. `DATABASE_TIMEOUT_MS` bounds the whole wait of one call, connecting included. */
export function createDatabase(env: Env<'database'>): Database {
  const { DATABASE_POOL_SIZE: size, DATABASE_READ_TIMEOUT_MS: readTimeoutMs } = env;
  const pool = createPool({
    url: env.DATABASE_URL ?? env.SUPABASE_DB_URL,
    size,
    timeoutMs: env.DATABASE_TIMEOUT_MS,
    perTenant: env.DATABASE_TENANT_CONNECTIONS ?? Math.max(1, Math.floor(size / 2)),
    tenantWaitMs: TENANT_WAIT_MS,
  });
  return {
    transaction: (session, build, ending) =>
      pool.use(
        (connection) =>
          runPipelined(
            connection,
            { begin: beginText(session, readTimeoutMs), client: session.client },
            build,
            ending,
          ),
        session.reads ? 'none' : 'unknown',
        takerOf(session),
      ),
    asOwner: (effect, build) =>
      pool.use(
        async (connection) => await sendAtOnce(build(connection)),
        effect === 'reads' ? 'none' : 'unknown',
        { tenantId: null, begun: false },
      ),
    close: () => pool.close(),
  };
}

/** The only row of a statement that always gives one. */
export function oneRow<R>(rows: readonly R[]): R {
  const [row] = rows;
  if (!row) throw new Error('A statement that always gives a row gave none.');
  return row;
}
