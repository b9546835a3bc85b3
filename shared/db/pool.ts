// The connection pool of one worker, and what it means that the database is away.
import postgres from 'postgres';
import { ApiError } from '../errors.ts';

export type Connection = postgres.ReservedSql;
export type Pool = postgres.Sql;

export interface DatabaseOptions {
  /** Port 6543 (a transaction pooler) turns prepared statements off. */
  url: string;
  poolSize: number;
}

/** postgres.js types a JSON parameter by its column; a text given for one is JSON already and goes out as it is. */
const jsonType = {
  to: 3802,
  from: [114, 3802],
  serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
  parse: (text: string) => JSON.parse(text) as unknown,
};

export function createPool({ url, poolSize }: DatabaseOptions): Pool {
  return postgres(url, {
    max: poolSize,
    prepare: new URL(url).port !== '6543',
    idle_timeout: 20,
    connect_timeout: 5,
    // The default waits up to 20 s before it tries again, which would hold up requests after the database is back.
    backoff: (attempt: number) => Math.min(0.1 * attempt, 0.5),
    fetch_types: false,
    types: { json: jsonType },
    onnotice: () => {},
    connection: { application_name: 'placar' },
  });
}

/** Codes of postgres.js, Node and Postgres that say nothing about the statement and all about the connection. */
const AWAY = new Set([
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
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
]);

export const RETRY_AFTER_SECONDS = 2;

/** The error for a database that cannot be reached: 503 with `Retry-After`. */
export function databaseAway(cause: unknown): ApiError {
  const message = 'The service cannot reach its database at the moment. Nothing was done; please retry.';
  return new ApiError('unavailable', message, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    reason: 'database_away',
    cause,
  });
}

/** Whether an error of a statement means that the database is away. */
export function isDatabaseAway(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return AWAY.has(code);
}
