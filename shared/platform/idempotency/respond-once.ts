// Idempotency-Keys for requests whose work is one transaction. That transaction locks the key, does the work and stores the response,
// so that an interrupted request leaves nothing behind. Payments call a provider in between and use
// `shared/payments/idempotency/with-idempotency-key.ts`.

import type { EndpointResponse } from '../access/context.ts';
import type { CallerSession } from '../access/guard.ts';
import type { Fragment, RowsOf, Sql, Statement, Transaction, Work } from '../db/database.ts';
import { isSqlError } from '../db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { keyInUse, keyReused } from './key.ts';

/** Errors that are stored and replayed: rejections by the work itself, not failures that prevented the work. */
const REPLAYED_ERRORS = new Set<ErrorCode>([
  'not_found',
  'conflict',
  'precondition_failed',
  'unprocessable',
  'batch_rejected',
  'user_limit_reached',
]);

/** Runs the work's only transaction, which stays open until the response is known. */
interface WorkInTransaction {
  /** Can be called once. */
  write: Transaction;
  /** Calls `work` once the transaction is committed. */
  onCommit(work: () => void): void;
}

interface RespondOnceOptions {
  session: CallerSession;
  /** Members of the response's `data` that are sent only once. They are not stored, so replays omit them. */
  shownOnce: readonly string[];
  /** Formats an error as the response to store and replay. */
  refusal(error: ApiError): StoredResponse;
}

/**
 * Does the work and stores its response, or returns the stored response. Throws 409 if the key is in use, and 422 if it was used for a
 * different request.
 */
export async function respondOnce(
  request: KeyedRequest,
  { session, shownOnce, refusal }: RespondOnceOptions,
  work: (transaction: WorkInTransaction) => Promise<EndpointResponse>,
): Promise<EndpointResponse> {
  const transaction = new OpenTransaction(request, session);
  try {
    const answer = await work(transaction);
    await transaction.complete(stored(answer, shownOnce));
    return answer;
  } catch (error) {
    await transaction.abandon(error);
    const replayed =
      error instanceof ApiError && REPLAYED_ERRORS.has(error.code) ? refusal(error) : undefined;
    return await orStoredResponse(request, session, async () => {
      if (replayed) await storeSeparately(session, request, replayed);
      // Faults of the key take precedence over faults of the body.
      else if (isInvalid(error)) await session.read((sql) => lockKey(sql, request));
      throw error;
    });
  }
}

const isInvalid = (error: unknown): boolean => error instanceof ApiError && error.code === 'validation';

const storeSeparately = (session: CallerSession, request: KeyedRequest, answer: StoredResponse) =>
  session.write((sql) => ({ lock: lockKey(sql, request), answer: storeKeyedResponse(sql, request, answer) }));

class OpenTransaction implements WorkInTransaction {
  readonly #request: KeyedRequest;
  readonly #session: CallerSession;
  #transaction: Promise<unknown> | undefined;
  readonly #afterwards: (() => void)[] = [];
  #end: { keep(answer: StoredResponse): void; undo(reason: unknown): void } | undefined;

  constructor(request: KeyedRequest, session: CallerSession) {
    this.#request = request;
    this.#session = session;
  }

  write: Transaction = <const W extends Work>(build: (sql: Sql) => W): Promise<RowsOf<W>> => {
    if (this.#transaction) throw new Error('Work with an Idempotency-Key must be one transaction.');
    const answer = new Promise<StoredResponse>((keep, undo) => {
      this.#end = { keep, undo };
    });
    // If the work fails, nothing awaits this promise, so its rejection must be handled here.
    answer.catch(() => {});
    return new Promise((resolve, reject) => {
      this.#transaction = this.#session.write(
        (sql) => ({ lock: lockKey(sql, this.#request), work: build(sql) }),
        async ({ work }) => {
          resolve(work);
          const response = await answer;
          return (sql) => storeKeyedResponse(sql, this.#request, response);
        },
      );
      this.#transaction.catch(reject);
    });
  };

  onCommit(work: () => void): void {
    this.#afterwards.push(work);
  }

  /** Stores the response and commits the transaction. */
  async complete(answer: StoredResponse): Promise<void> {
    if (this.#transaction) {
      this.#end?.keep(answer);
      await this.#transaction;
    } else {
      await storeSeparately(this.#session, this.#request, answer);
    }
    for (const work of this.#afterwards) work();
  }

  /** Rolls back the transaction if it is still open. */
  async abandon(reason: unknown): Promise<void> {
    this.#end?.undo(reason);
    await this.#transaction?.catch(() => {});
  }
}

/** Runs `work`, or returns the stored response if the key already has one. Throws 409 and 422 for errors of the key. */
async function orStoredResponse(
  request: KeyedRequest,
  session: CallerSession,
  work: () => Promise<never>,
): Promise<EndpointResponse> {
  try {
    return await work();
  } catch (error) {
    if (isSqlError(error, 'keyReused')) throw keyReused();
    if (isSqlError(error, 'keyInUse')) throw keyInUse();
    if (!isSqlError(error, 'alreadyAnswered')) throw error;
    const [answer] = await session.read((sql) => selectStoredResponse(sql, request));
    if (!answer) throw keyInUse();
    const { status, body, headers } = answer;
    const replay = { ...headers, 'Idempotent-Replay': 'true' };
    return { status, headers: replay, ...(body !== null && { body }) };
  }
}

function stored(
  { status, body, headers = {} }: EndpointResponse,
  shownOnce: readonly string[],
): StoredResponse {
  return { status, headers, body: shownOnce.length > 0 ? withoutMembers(body, shownOnce) : body };
}

/** Returns the body without these members of its `data`. */
function withoutMembers(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || !('data' in body)) return body;
  const members = Object.entries(body.data ?? {}).filter(([name]) => !names.includes(name));
  return { ...body, data: Object.fromEntries(members) };
}

/** A request with an Idempotency-Key. */
interface KeyedRequest {
  /** The namespace of the key. */
  scope: string;
  key: string;
  fingerprint: string;
}

interface StoredResponse {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

/** Locks the key until the transaction ends. Raises `keyInUse`, `keyReused` or `alreadyAnswered`. */
const lockKey = (sql: Sql, { scope, key, fingerprint }: KeyedRequest): Fragment =>
  sql`select app.hold_request_key(${scope}, ${key}, ${fingerprint})`;

const storeKeyedResponse = (
  sql: Sql,
  { scope, key, fingerprint }: KeyedRequest,
  { status, body = null, headers }: StoredResponse,
): Fragment => sql`
  select app.keep_request_answer(
    ${scope}, ${key}, ${fingerprint}, ${status}, ${JSON.stringify(body)}::jsonb, ${JSON.stringify(headers)}::jsonb
  )`;

const selectStoredResponse = (sql: Sql, { scope, key }: KeyedRequest): Statement<StoredResponse> => sql`
  select status, nullif(body, 'null') as body, headers from public.request_answers
  where tenant_id = app.tenant_id() and scope = ${scope} and key = ${key}`;
