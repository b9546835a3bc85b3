// What it means for a caller that the database is unreachable or too busy: 503, and whether anything was done.
import { ApiError, type Effect } from '../errors.ts';
import { ConnectionLost, isServerError } from './message.ts';

const NOTHING_DONE = 'Nothing was done; please retry.';
const LOOK = 'Look before you repeat it.';
/** A random number of seconds in this range, so that callers do not all return at once. */
const RETRY_AFTER_SECONDS = { from: 2, to: 5 };

const randomRetryAfter = (): number => {
  const { from, to } = RETRY_AFTER_SECONDS;
  return from + Math.floor(Math.random() * (to - from + 1));
};

/** A 503 that the database causes. */
export class DatabaseUnavailable extends ApiError {
  readonly what: string;

  constructor(
    what: string,
    effect: Effect,
    reason: string,
    cause: unknown,
    { advice = LOOK, retryAfterSeconds = randomRetryAfter() } = {},
  ) {
    const known = effect === 'none' ? NOTHING_DONE : `It is not known whether this was done. ${advice}`;
    super('unavailable', `${what} ${known}`, { effect, retryAfterSeconds, reason, cause });
    this.what = what;
  }
}

/** The database cannot be reached, or does not answer. */
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

/** The error for a request that has stored something, or may have; `advice` says how its caller finds out. */
export function withUnknownOutcome(error: DatabaseUnavailable, advice?: string): DatabaseUnavailable {
  const { what, reason = '', cause, retryAfterSeconds } = error;
  return new DatabaseUnavailable(what, 'unknown', reason, cause, {
    ...(advice && { advice }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  });
}

/** Errors with which the server rolled a transaction back though nothing is wrong with its statements. */
const TROUBLES: { codes: RegExp; reason: string; what: string; retryAfterSeconds?: number }[] = [
  {
    // lock_not_available, query_canceled (by statement_timeout), deadlock_detected, serialization_failure
    codes: /^(55P03|57014|40P01|40001)$/,
    reason: 'database_busy',
    what: 'The database is busy with something that this request waits for.',
  },
  {
    // No disk space, memory or other resource left. An operator has to make room first.
    codes: /^53/,
    reason: 'database_full',
    what: 'The database has no disk space or memory left for this.',
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

/** What `error` means to the caller; `error` itself when it is about the statement. `ifLost`: what a lost connection may have done. */
export function asUnavailable(error: unknown, ifLost: Effect): unknown {
  if (error instanceof ConnectionLost)
    return databaseUnreachable(error.cause, error.mayHaveRun ? ifLost : 'none');
  if (!isServerError(error)) return error;
  const trouble = TROUBLES.find(({ codes }) => codes.test(error.code ?? ''));
  // What only reads and tries to write is a fault of ours.
  if (!trouble || (trouble.reason === 'database_read_only' && ifLost === 'none')) return error;
  const { codes: _, what, reason, ...options } = trouble;
  return new DatabaseUnavailable(what, 'none', reason, error, options);
}
