// How everything here talks to Postgres: a transaction is one message and one answer, under a role and a tenant that hold for that
// transaction only.

import { namesTransactionPooler, readAddress } from '../database-address.ts';
import type { Env } from '../env.ts';
import type { Logger } from '../logger.ts';
import type { Connection } from './connection.ts';
import { ConnectionLost, isServerError, isSignOfPooler } from './message.ts';
import { createPool } from './pool.ts';
import { compileAll, type RowsOf, type Sql, type Statement, shapeRows, sql, type Work } from './sql.ts';
import { databaseUnreachable } from './unavailable.ts';

export type { Fragment, RowsOf, Sql, Statement, Work } from './sql.ts';

/** Runs the statements in one transaction. Gives their rows in the shape of the work; when one fails, nothing is stored. */
export type Transaction = <const W extends Work>(build: (sql: Sql) => W) => Promise<RowsOf<W>>;

/**
 * Gives the statements that end a transaction, from the rows of those before: the transaction stays open meanwhile, and waits on the
 * network once more. Nothing is stored when it throws.
 */
export type FinalStatements<W> = (rows: RowsOf<W>) => Promise<(sql: Sql) => Work>;

/** A transaction that may have an ending. */
export type WriteTransaction = <const W extends Work>(
  build: (sql: Sql) => W,
  ending?: FinalStatements<W>,
) => Promise<RowsOf<W>>;

export interface Session {
  /**
   * `api` works for one tenant; `payments` does too, and reads the tenant's keys of payment providers; `worker` runs jobs, and sees of
   * other tables only what its policies name.
   */
  role: 'api' | 'payments' | 'worker';
  tenantId: string | null;
  /** What the caller says of the cause of its changes; events contain it. */
  origin?: string | undefined;
  /** Whether its changes are delivered nowhere and cause nothing (`app.is_silent`). */
  silent?: boolean;
  /** Whether the transaction is read-only. Nothing was done when the answer to one is lost. */
  reads?: boolean;
  /** The OAuth client whose first transaction this is: the transaction admits the client, or fails. */
  client?: ClientToAdmit;
  /** Whether the request has stored something: then it waits for its tenant's share of connections as long as it takes. */
  hasWritten?: boolean;
}

/** An OAuth client that its first transaction admits. */
export interface ClientToAdmit {
  id: string;
  /** Of the client's token, where that can be revoked. */
  tokenId: string | null;
  /** Requests of its tenant in this minute, if known: too many of them are refused. */
  used: number | undefined;
  /** Called with the requests a minute that the plan allows, once the client is admitted. */
  onAdmitted(allowed: number): void;
}

export interface Database {
  /**
   * Runs the statements in one transaction: in one message, those of its ending in another. When one fails nothing is stored and its
   * error is thrown. Throws `DatabaseUnavailable` when the database is unreachable or its answer was lost, and 429 when the tenant has
   * too many requests in progress.
   */
  transaction<const W extends Work>(
    session: Session,
    build: (sql: Sql) => W,
    ending?: FinalStatements<W>,
  ): Promise<RowsOf<W>>;
  /** Runs one statement as the login role, outside any tenant: only for functions that were written for it. */
  asOwner<R extends object>(effect: 'reads' | 'writes', build: (sql: Sql) => Statement<R>): Promise<R[]>;
  close(): Promise<void>;
}

/** The session of jobs, which work across tenants. */
export const WORKER_SESSION = { role: 'worker', tenantId: null } as const satisfies Session;

/** Longest time for a statement of a transaction that may write; that of reads is a setting. */
const WRITE_TIMEOUT_MS = 25_000;
/** Longest wait for a lock: a long transaction must not occupy the connections that others need. */
const LOCK_TIMEOUT_MS = 5_000;
/** How long a tenant's request waits for its share of connections: longer than `LOCK_TIMEOUT_MS`, so that a lock is reported first. */
const TENANT_WAIT_MS = 8_000;

/** A database with a pool of its own. `DATABASE_TIMEOUT_MS` bounds the whole wait of one call, connecting included. */
export function createDatabase(env: Env<'database'>, log: Logger): Database {
  const url = env.DATABASE_URL ?? env.SUPABASE_DB_URL;
  const { DATABASE_POOL_SIZE: size, DATABASE_READ_TIMEOUT_MS: readTimeoutMs, DATABASE_POOLER: pooler } = env;
  const pool = createPool({
    address: readAddress(url, env.DATABASE_CA),
    size,
    timeoutMs: env.DATABASE_TIMEOUT_MS,
    perTenant: env.DATABASE_TENANT_CONNECTIONS ?? Math.max(1, Math.floor(size / 2)),
    waitMs: TENANT_WAIT_MS,
    log,
  });
  let named = pooler === 'auto' ? !namesTransactionPooler(url) : pooler !== 'transaction';

  /** Runs it once more without prepared statements where these cannot be relied on: it was rolled back, and nothing else knows of it. */
  async function runTwice<T>(connection: Connection, run: (named: boolean) => Promise<T>): Promise<T> {
    try {
      return await run(named);
    } catch (error) {
      const reason = error instanceof EndingLost ? error.cause : error;
      if (isStalePlan(reason)) connection.retiresAtMs = 0;
      else if (!isSignOfPooler(reason)) throw error;
      else if (named) {
        named = false;
        log.warn('prepared statements turned off: a pooler in transaction mode is between');
      }
      if (error instanceof EndingLost) throw databaseUnreachable(reason, 'none');
      return await run(false);
    }
  }

  return {
    async transaction(session, build, ending) {
      const { role, tenantId, hasWritten = false, reads = false, client } = session;
      const work = build(sql);
      const begin = beginTransaction(session, reads ? readTimeoutMs : WRITE_TIMEOUT_MS);
      const rows = await pool.use(
        (connection) => runTwice(connection, (named) => runWork(connection, { begin, work, ending, named })),
        reads ? 'none' : 'unknown',
        // Jobs work across tenants and keep no caller waiting; what they do is short.
        { tenantId: role === 'worker' ? null : tenantId, hasWritten },
      );
      client?.onAdmitted(oneRow(rows.begin).allowed);
      return rows.work;
    },
    asOwner: (effect, build) =>
      pool.use(
        (connection) =>
          runTwice(connection, async (named) => {
            const statement = build(sql);
            const rows = await connection.send(compileAll(statement), named);
            return shapeRows(statement, rows);
          }),
        effect === 'reads' ? 'none' : 'unknown',
        { tenantId: null, hasWritten: false },
      ),
    close: () => pool.close(),
  };
}

/** Says whose transaction it is, sets its limits, and admits its client. */
const beginTransaction = (
  { role, tenantId, origin, silent = false, reads = false, client }: Session,
  timeoutMs: number,
): Beginning =>
  sql`select app.begin_transaction(
    ${role}, ${tenantId}, ${timeoutMs}, ${LOCK_TIMEOUT_MS}, ${origin ?? null}, ${silent}, ${reads},
    ${client?.id ?? null}, ${client?.used ?? null}, ${client?.tokenId ?? null}
  ) as allowed`;

/** Gives the requests a minute that the client's plan allows. */
type Beginning = Statement<{ allowed: number }>;

interface Transacted<W> {
  begin: Beginning;
  work: W;
  ending: FinalStatements<W> | undefined;
  /** Whether its statements are prepared by name. */
  named: boolean;
}

async function runWork<W extends Work>(
  connection: Connection,
  { begin, work, ending, named }: Transacted<W>,
): Promise<RowsOf<{ begin: Beginning; work: W }>> {
  const send = async <T extends Work>(all: T) =>
    shapeRows(all, await connection.send(compileAll(all), named));
  if (!ending) return await send({ begin, work });
  let endingCalled = false;
  try {
    const rows = await send({ open: sql`begin`, begin, work });
    endingCalled = true;
    await send({ work: (await ending(rows.work))(sql), close: sql`commit` });
    return rows;
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    await connection.send(compileAll(sql`rollback`), false);
    throw endingCalled && (isSignOfPooler(error) || isStalePlan(error)) ? new EndingLost(error) : error;
  }
}

/** The statements of an ending could not be run as prepared. The ending may have told others, so it is not called again. */
class EndingLost extends Error {
  constructor(cause: unknown) {
    super('a statement of an ending was lost', { cause });
  }
}

/** A statement was prepared before a migration changed its columns. */
const isStalePlan = (error: unknown): boolean =>
  isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** The only row of a statement that always gives one. */
export function oneRow<R>(rows: readonly R[]): R {
  const [row] = rows;
  if (!row) throw new Error('A statement that always gives a row gave none.');
  return row;
}
