// What it means for a caller that the database is away or too busy: 503, and what is known of what the request did.
import postgres from 'postgres';
import { ApiError } from '../errors.ts';

/**
 * `none`: nothing of it is stored. `unknown`: statements were sent and their answer was lost, so a commit may have been
 * among what arrived.
 */
export type Effect = 'none' | 'unknown';

export const RETRY_AFTER_SECONDS = 2;

const NOTHING_DONE = 'Nothing was done; please retry.';
const LOOK = 'Look before you repeat it.';

/** A 503 for which the database is the reason. */
export class DatabaseUnavailable extends ApiError {
  readonly effect: Effect;
  readonly what: string;

  constructor(
    what: string,
    effect: Effect,
    reason: string,
    cause: unknown,
    { advice = LOOK, retryAfterSeconds = RETRY_AFTER_SECONDS } = {},
  ) {
    const known = effect === 'none' ? NOTHING_DONE : `It is not known whether this was done. ${advice}`;
    super('unavailable', `${what} ${known}`, { retryAfterSeconds, reason, cause });
    this.effect = effect;
    this.what = what;
  }
}

/** The database cannot be reached, or does not answer. */
export function databaseAway(cause: unknown, effect: Effect): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'The service cannot reach its database at the moment.',
    effect,
    'database_away',
    cause,
  );
}

/** The error for a request of which something is stored already, or may be; `advice` says how its caller finds out. */
export function asUnknown(error: DatabaseUnavailable, advice?: string): DatabaseUnavailable {
  const { what, reason = '', cause, retryAfterSeconds } = error;
  return new DatabaseUnavailable(what, 'unknown', reason, cause, {
    ...(advice && { advice }),
    ...(retryAfterSeconds && { retryAfterSeconds }),
  });
}

/** Codes of postgres.js and Node that say nothing about the statement and all about the connection. */
const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '57P01', // admin_shutdown: the connection ends with it, maybe after a commit
  '57P02', // crash_shutdown
]);

/** What the server answers when it does not even begin: nothing was done. */
const REFUSED = new Set([
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
]);

/** SQLSTATE class 53: no disk, memory or other resource left. What began was rolled back. */
const NO_ROOM = /^53[0-9A-Z]{3}$/;
/** Somebody has to make room first. */
const NO_ROOM_RETRY_SECONDS = 30;

/** The database is there but could not do this in time; it rolled the transaction back. */
const BUSY = new Set([
  '55P03', // lock_not_available
  '57014', // query_canceled, by statement_timeout
  '40P01', // deadlock_detected
  '40001', // serialization_failure
]);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/**
 * What `error` means to the caller; itself when it is about the statement. `sent` is what is known of the work's effect if its
 * answer was lost.
 */
export function asUnavailable(error: unknown, sent: Effect): unknown {
  const code = codeOf(error);
  if (LOST.has(code)) return databaseAway(error, sent);
  if (REFUSED.has(code)) return databaseAway(error, 'none');
  if (NO_ROOM.test(code)) {
    const what = 'The database has no disk space or memory left for this.';
    return new DatabaseUnavailable(what, 'none', 'database_full', error, {
      retryAfterSeconds: NO_ROOM_RETRY_SECONDS,
    });
  }
  if (!BUSY.has(code)) return error;
  const what = 'The database is busy with something that this request waits for.';
  return new DatabaseUnavailable(what, 'none', 'database_busy', error);
}

/** Whether the connection is as good as before: the server refused a statement and no more. */
export const leavesConnection = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !LOST.has(error.code) && !REFUSED.has(error.code);
