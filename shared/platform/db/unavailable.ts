// Converts errors of an unreachable or overloaded database to 503 errors that say whether anything was done.
import { ApiError, type Effect } from '../errors.ts';
import { ConnectionLost, isServerError } from './message.ts';
import { sqlErrorCodes } from './sql-errors.ts';

const NOTHING_DONE = 'Nothing was done; please retry.';
const CHECK_FIRST = 'Check before you repeat it.';
/** `Retry-After` is random in this range, so that callers do not all retry at the same moment. */
const RETRY_AFTER_SECONDS = { from: 2, to: 5 };

const randomRetryAfter = (): number => {
  const { from, to } = RETRY_AFTER_SECONDS;
  return from + Math.floor(Math.random() * (to - from + 1));
};

/** A 503 caused by the database. */
export class DatabaseUnavailable extends ApiError {
  readonly what: string;

  constructor(
    what: string,
    effect: Effect,
    reason: string,
    cause: unknown,
    { advice = CHECK_FIRST, retryAfterSeconds = randomRetryAfter() } = {},
  ) {
    const known = effect === 'none' ? NOTHING_DONE : `It is not known whether this was done. ${advice}`;
    super('unavailable', `${what} ${known}`, { effect, retryAfterSeconds, reason, cause });
    this.what = what;
  }
}

/** Whether a tenant cannot write because it is being moved to another project. */
export const isTenantMoving = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.reason === 'tenant_moving';

/** The 503 for a database that is unreachable or does not respond. */
export function databaseUnreachable(
  cause: unknown,
  effect: Effect,
  retryAfterSeconds?: number,
): DatabaseUnavailable {
  const what = 'The service cannot reach its database at the moment.';
  return new DatabaseUnavailable(what, effect, 'database_away', cause, {
    ...(retryAfterSeconds && { retryAfterSeconds }),
  });
}

/** The same error for a request that has or may have stored something. `advice` tells the caller how to find out. */
export function withUnknownOutcome(error: DatabaseUnavailable, advice?: string): DatabaseUnavailable {
  const { what, reason = '', cause, retryAfterSeconds } = error;
  return new DatabaseUnavailable(what, 'unknown', reason, cause, {
    ...(advice && { advice }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  });
}

/** Errors with which the server rolls back a transaction whose statements are correct. */
const TRANSIENT_ERRORS: { codes: RegExp; reason: string; what: string; retryAfterSeconds?: number }[] = [
  {
    // lock_not_available, query_canceled (by statement_timeout), deadlock_detected, serialization_failure
    codes: /^(55P03|57014|40P01|40001)$/,
    reason: 'database_busy',
    what: 'The database is busy.',
  },
  {
    // The tenant is being moved to another project (database/moves/window.sql).
    codes: new RegExp(`^${sqlErrorCodes.tenantMoving}$`),
    reason: 'tenant_moving',
    what: 'This workspace is being moved.',
    retryAfterSeconds: 5,
  },
  {
    // insufficient_resources: an operator has to free disk space, memory or another resource first.
    codes: /^53/,
    reason: 'database_full',
    what: 'The database is out of disk space or memory.',
    retryAfterSeconds: 30,
  },
  {
    // read_only_sql_transaction: hosted databases become read-only when their disk is nearly full.
    codes: /^25006$/,
    reason: 'database_read_only',
    what: 'The database is read-only at the moment.',
    retryAfterSeconds: 30,
  },
];

/** Converts `error` to a 503, or returns it unchanged if the statement caused it. `ifLost` is the effect after a lost connection. */
export function asUnavailable(error: unknown, ifLost: Effect): unknown {
  if (error instanceof ConnectionLost)
    return databaseUnreachable(error.cause, error.mayHaveRun ? ifLost : 'none');
  if (!isServerError(error)) return error;
  const fault = TRANSIENT_ERRORS.find(({ codes }) => codes.test(error.code ?? ''));
  // A read that tries to write is a bug.
  if (!fault || (fault.reason === 'database_read_only' && ifLost === 'none')) return error;
  const { codes: _, what, reason, ...options } = fault;
  return new DatabaseUnavailable(what, 'none', reason, error, options);
}
