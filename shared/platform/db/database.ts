// Access to Postgres. A transaction is one message and one response. Its role and tenant apply only to that transaction.

import { namesTransactionPooler, readAddress } from '../database-address.ts';
import type { Env } from '../env.ts';
import type { Logger } from '../logger.ts';
import { currentTraceparent, startSpan } from '../tracing/scope.ts';
import type { Connection } from './connection.ts';
import { ConnectionLost, indicatesTransactionPooler, isServerError } from './message.ts';
import { createPool } from './pool.ts';
import { oneRow } from './row.ts';
import {
  compileAll,
  type Fragment,
  type RowsOf,
  type Sql,
  type Statement,
  shapeRows,
  sql,
  type Work,
} from './sql.ts';
import { databaseUnreachable } from './unavailable.ts';

export { oneRow } from './row.ts';
export type { Fragment, RowsOf, Sql, Statement, Work } from './sql.ts';

/** Runs the statements in one transaction. Returns their rows in the shape of the work. If one fails, nothing is stored. */
export type Transaction = <const W extends Work>(build: (sql: Sql) => W) => Promise<RowsOf<W>>;

/**
 * Builds the final statements of a transaction from the rows of the earlier ones. The transaction stays open meanwhile and takes a
 * second round trip. If the function throws, nothing is stored.
 */
export type FinalStatements<W> = (rows: RowsOf<W>) => Promise<(sql: Sql) => Work>;

/** A transaction with optional final statements. */
export type WriteTransaction = <const W extends Work>(
  build: (sql: Sql) => W,
  ending?: FinalStatements<W>,
) => Promise<RowsOf<W>>;

export interface Session {
  /**
   * `api` works for one tenant. `payments` does too, and can read the tenant's payment provider keys. `manage` does too, and can call
   * the functions of administration. `worker` runs jobs; its policies restrict what it sees in other tables.
   */
  role: 'api' | 'payments' | 'manage' | 'worker';
  tenantId: string | null;
  /** The caller's name for the cause of its changes. Events contain it. */
  origin?: string | undefined;
  /** Who acts: for the audit trail, and for what SQL refuses or hides. Reads need it only in administration. */
  auditActor?: AuditActor | undefined;
  /** Whether changes are only stored, without deliveries or side effects (`app.is_silent`). */
  silent?: boolean;
  /** Whether the transaction is read-only. If its response is lost, nothing was done. */
  reads?: boolean;
  /** Admits the caller, in the first transaction of its request. The transaction fails if the caller is not admitted. */
  admission?: Admission;
  /** Whether the request has stored something. It then waits for its tenant's share of connections without the usual limit. */
  hasWritten?: boolean;
}

/** The caller of a request as the audit trail names it. At most 255 characters each. */
export interface AuditActor {
  kind: 'client' | 'api_key' | 'person';
  id: string;
  request_id: string;
  /** Scopes of the token. */
  scopes?: readonly string[];
  /** How the request arrived, if not through the HTTP API. */
  via?: 'mcp';
  /** The User-Agent, or the name and version of an MCP client. */
  program?: string | undefined;
  /** `X-On-Behalf-Of`. */
  on_behalf_of?: string | undefined;
}

/** How the first transaction of a request admits its caller. */
export interface Admission {
  /** An SQL expression whose value is the caller's limit of requests per minute. It raises why a caller is not admitted. */
  limit: Fragment;
  onAdmitted(requestsPerMinute: number): void;
}

export interface Database {
  /**
   * Runs the statements in one transaction: one message for the work and one for its final statements. If a statement fails, nothing is
   * stored and its error is thrown. Throws `DatabaseUnavailable` if the database is unreachable or its response was lost, and 429 if the
   * tenant has too many requests in progress.
   */
  transaction<const W extends Work>(
    session: Session,
    build: (sql: Sql) => W,
    ending?: FinalStatements<W>,
  ): Promise<RowsOf<W>>;
  /** Runs one statement as the login role without a tenant. Only for SQL functions that are designed for this. */
  asLogin<R extends object>(effect: 'reads' | 'writes', build: (sql: Sql) => Statement<R>): Promise<R[]>;
  close(): Promise<void>;
}

/** The session of jobs, which work across tenants. */
export const WORKER_SESSION = { role: 'worker', tenantId: null } as const satisfies Session;

/** Timeout of statements in transactions that may write. `DATABASE_READ_TIMEOUT_MS` is the one for reads. */
const WRITE_TIMEOUT_MS = 25_000;
/** Timeout for locks, so that waiting transactions do not occupy connections that other requests need. */
const LOCK_TIMEOUT = sql`set_config('lock_timeout', '5s', true),`;
/** How long a request waits for its tenant's share of connections. Longer than `LOCK_TIMEOUT`, so that a lock is reported first. */
const TENANT_WAIT_MS = 8_000;

/** Creates a database client with its own pool. `DATABASE_TIMEOUT_MS` limits each call, connecting included. */
export function createDatabase(env: Env<'database'>, log: Logger): Database {
  const url = env.DATABASE_URL ?? env.SUPABASE_DB_URL;
  const { DATABASE_POOL_SIZE: size, DATABASE_READ_TIMEOUT_MS: readTimeoutMs, DATABASE_POOLER: pooler } = env;
  const address = readAddress(url, env.DATABASE_CA);
  const pool = createPool({
    address,
    size,
    timeoutMs: env.DATABASE_TIMEOUT_MS,
    perTenant: env.DATABASE_TENANT_CONNECTIONS ?? Math.max(1, Math.floor(size / 2)),
    waitMs: TENANT_WAIT_MS,
    log,
  });
  let named = pooler === 'auto' ? !namesTransactionPooler(url) : pooler !== 'transaction';

  /** `Pool.use` with a span. */
  const use = <T>(role: string, ...[work, ifLost, requester]: Parameters<typeof pool.use<T>>): Promise<T> => {
    const span = startSpan('client', 'postgres');
    if (!span) return pool.use(work, ifLost, requester);
    span.set('server.address', address.host).set('placar.db.role', role);
    const startedAtMs = performance.now();
    const working = (connection: Connection) => {
      span.set('placar.db.waited_ms', performance.now() - startedAtMs);
      return work(connection);
    };
    return span.endWith(pool.use(working, ifLost, requester));
  };

  /** Runs a transaction again without prepared statements if these caused its rollback, unless its final statements were built. */
  async function runWithFallback<T>(connection: Connection, run: (named: boolean) => Promise<T>): Promise<T> {
    try {
      return await run(named);
    } catch (error) {
      const reason = error instanceof FinalStatementsFailed ? error.cause : error;
      if (isStalePlan(reason)) connection.retiresAtMs = 0;
      else if (!indicatesTransactionPooler(reason)) throw error;
      else if (named) {
        named = false;
        log.warn('prepared statements turned off: a pooler in transaction mode is between');
      }
      if (error instanceof FinalStatementsFailed) throw databaseUnreachable(reason, 'none');
      return await run(false);
    }
  }

  return {
    async transaction(session, build, ending) {
      const { role, tenantId, hasWritten = false, reads = false, admission } = session;
      const work = build(sql);
      const begin = beginTransaction(session, reads ? readTimeoutMs : WRITE_TIMEOUT_MS);
      const rows = await use(
        role,
        (connection) =>
          runWithFallback(connection, (named) => runWork(connection, { begin, work, ending, named })),
        reads ? 'none' : 'unknown',
        // Jobs work across tenants and their transactions are short, so they do not count toward a tenant's share.
        { tenantId: role === 'worker' ? null : tenantId, hasWritten },
      );
      admission?.onAdmitted(oneRow(rows.begin).allowed);
      return rows.work;
    },
    asLogin: (effect, build) =>
      use(
        'login',
        (connection) =>
          runWithFallback(connection, async (named) => {
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

/** The first statement of a transaction: admits the caller, and sets tenant, timeouts and, last, the role. */
const beginTransaction = (
  { role, tenantId, origin, auditActor, silent, reads, admission }: Session,
  timeoutMs: number,
): Beginning => {
  // Events, jobs and deliveries that the transaction creates continue the trace.
  const traceparent = reads ? undefined : currentTraceparent();
  return sql`
    select ${admission ? sql`${admission.limit} as allowed,` : NOTHING}
           set_config('app.tenant_id', ${tenantId ?? ''}, true), set_config('statement_timeout', ${String(timeoutMs)}, true),
           ${LOCK_TIMEOUT}
           ${reads ? READ_ONLY : NOTHING}
           ${origin ? sql`set_config('app.origin', ${origin}, true),` : NOTHING}
           ${silent ? SILENT : NOTHING}
           ${traceparent ? sql`set_config('app.traceparent', ${traceparent}, true),` : NOTHING}
           ${auditActor ? sql`set_config('app.actor', ${JSON.stringify(auditActor)}, true),` : NOTHING}
           ${ROLES[role]}`;
};
const NOTHING = sql``;
const ROLES = {
  api: sql`set_config('role', 'api', true)`,
  payments: sql`set_config('role', 'payments', true)`,
  manage: sql`set_config('role', 'manage', true)`,
  worker: sql`set_config('role', 'worker', true)`,
} satisfies Record<Session['role'], Fragment>;
const READ_ONLY = sql`set_config('transaction_read_only', 'on', true),`;
const SILENT = sql`set_config('app.silent', 'on', true),`;

/** Returns the caller's requests per minute if it was admitted. */
type Beginning = Statement<{ allowed: number }>;

interface Transacted<W> {
  begin: Beginning;
  work: W;
  ending: FinalStatements<W> | undefined;
  /** Whether to use named prepared statements. */
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
    const isPreparedFault = indicatesTransactionPooler(error) || isStalePlan(error);
    throw endingCalled && isPreparedFault ? new FinalStatementsFailed(error) : error;
  }
}

/** The final statements failed because of prepared statements. `ending` is not called again, because it may have had side effects. */
class FinalStatementsFailed extends Error {
  constructor(cause: unknown) {
    super('the final statements of a transaction could not be executed', { cause });
  }
}

/** Whether the statement was prepared before a migration changed its columns. */
const isStalePlan = (error: unknown): boolean =>
  isServerError(error) && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';
