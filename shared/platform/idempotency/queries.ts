// SQL for the table `request_answers`.
import type { Fragment, Sql, Statement } from '../db/database.ts';

/** A request with an Idempotency-Key. */
export interface KeyedRequest {
  /** The namespace of the key. */
  scope: string;
  key: string;
  fingerprint: string;
}

export interface StoredAnswer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/** Locks the key until the transaction ends. Raises `keyInUse`, `keyReused` or `alreadyAnswered`. */
export const lockKey = (sql: Sql, { scope, key, fingerprint }: KeyedRequest): Fragment =>
  sql`select app.hold_request_key(${scope}, ${key}, ${fingerprint})`;

export const keepAnswer = (
  sql: Sql,
  { scope, key, fingerprint }: KeyedRequest,
  { status, body = null, headers }: StoredAnswer,
): Fragment => sql`
  select app.keep_request_answer(
    ${scope}, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(body)}::jsonb, ${JSON.stringify(headers)}::jsonb
  )`;

export const selectAnswer = (sql: Sql, { scope, key }: KeyedRequest): Statement<StoredAnswer> => sql`
  select status, nullif(body, 'null') as body, headers from public.request_answers
  where tenant_id = app.tenant_id() and scope = ${scope} and key = ${key}`;
