// Requests that may be sent again with the same Idempotency-Key, where the work is one transaction: it holds the key, does the
// work and keeps the answer, so that a request that was cut off left nothing behind. Payments, which ask a provider in
// between, have their own: `shared/payments/idempotency/run-idempotent.ts`.

import type { EndpointAnswer } from '../access/context.ts';
import type { CallerSession } from '../access/guard.ts';
import type { RowsOf, Sql, Transaction, Work } from '../db/database.ts';
import { isSqlError } from '../db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import { keyInUse, keyReused } from './key.ts';
import { holdKey, type KeyedRequest, keepAnswer, type StoredAnswer, selectAnswer } from './queries.ts';

/** Refusals that are kept and replayed: what the work decided, not what kept it from being done. */
const KEPT = new Set<ErrorCode>([
  'not_found',
  'conflict',
  'precondition_failed',
  'unprocessable',
  'batch_rejected',
  'user_limit_reached',
]);

/** Work whose only transaction stays open until its answer is known. */
export interface WorkInTransaction {
  /** May be called once. */
  write: Transaction;
  /** Has something done once the transaction is committed. */
  whenStored(work: () => void): void;
}

export interface AnswerOnceOptions {
  session: CallerSession;
  /** Members of the answer's `data` that are shown this one time: they are not kept, and no replay has them. */
  shownOnce: readonly string[];
  /** A refusal as the caller is to see it, each time. */
  refusal(error: ApiError): StoredAnswer;
}

/** Does the work and keeps its answer, or gives the one that is kept. Throws 409 and 422 for a key that is in use or another request's. */
export async function answerOnce(
  request: KeyedRequest,
  { session, shownOnce, refusal }: AnswerOnceOptions,
  work: (held: WorkInTransaction) => Promise<EndpointAnswer>,
): Promise<EndpointAnswer> {
  const held = new HeldTransaction(request, session);
  try {
    const answer = await work(held);
    await held.complete(stored(answer, shownOnce));
    return answer;
  } catch (error) {
    await held.abandon(error);
    const kept = error instanceof ApiError && KEPT.has(error.code) ? refusal(error) : undefined;
    return await orStoredAnswer(request, session, async () => {
      if (kept) await keepAlone(session, request, kept);
      // What is wrong with a body comes after what is wrong with its key.
      else if (isInvalid(error)) await session.read((sql) => holdKey(sql, request));
      throw error;
    });
  }
}

const isInvalid = (error: unknown): boolean => error instanceof ApiError && error.code === 'validation';

const keepAlone = (session: CallerSession, request: KeyedRequest, answer: StoredAnswer) =>
  session.write((sql) => ({ held: holdKey(sql, request), kept: keepAnswer(sql, request, answer) }));

class HeldTransaction implements WorkInTransaction {
  readonly #request: KeyedRequest;
  readonly #session: CallerSession;
  #transaction: Promise<unknown> | undefined;
  readonly #afterwards: (() => void)[] = [];
  #end: { keep(answer: StoredAnswer): void; undo(reason: unknown): void } | undefined;

  constructor(request: KeyedRequest, session: CallerSession) {
    this.#request = request;
    this.#session = session;
  }

  write: Transaction = <const W extends Work>(build: (sql: Sql) => W): Promise<RowsOf<W>> => {
    if (this.#transaction) throw new Error('Work with an Idempotency-Key must be one transaction.');
    const answer = new Promise<StoredAnswer>((keep, undo) => {
      this.#end = { keep, undo };
    });
    // Nobody waits for it where the work itself fails.
    answer.catch(() => {});
    return new Promise((resolve, reject) => {
      this.#transaction = this.#session.write(
        (sql) => ({ held: holdKey(sql, this.#request), work: build(sql) }),
        async ({ work }) => {
          resolve(work);
          const known = await answer;
          return (sql) => keepAnswer(sql, this.#request, known);
        },
      );
      this.#transaction.catch(reject);
    });
  };

  whenStored(work: () => void): void {
    this.#afterwards.push(work);
  }

  /** Keeps the answer and ends the transaction. */
  async complete(answer: StoredAnswer): Promise<void> {
    if (this.#transaction) {
      this.#end?.keep(answer);
      await this.#transaction;
    } else {
      await keepAlone(this.#session, this.#request, answer);
    }
    for (const work of this.#afterwards) work();
  }

  /** Ends the transaction, if it still runs, without keeping anything of it. */
  async abandon(reason: unknown): Promise<void> {
    this.#end?.undo(reason);
    await this.#transaction?.catch(() => {});
  }
}

/** Waits for work that holds the key; gives the stored answer where there is one already. */
async function orStoredAnswer(
  request: KeyedRequest,
  session: CallerSession,
  work: () => Promise<never>,
): Promise<EndpointAnswer> {
  try {
    return await work();
  } catch (error) {
    if (isSqlError(error, 'keyReused')) throw keyReused();
    if (isSqlError(error, 'keyInUse')) throw keyInUse();
    if (!isSqlError(error, 'alreadyAnswered')) throw error;
    const [answer] = await session.read((sql) => selectAnswer(sql, request));
    if (!answer) throw keyInUse();
    const { status, body, headers } = answer;
    const replay = { ...headers, 'Idempotent-Replay': 'true' };
    return { status, headers: replay, ...(body !== null && { body }) };
  }
}

function stored({ status, body, headers = {} }: EndpointAnswer, shownOnce: readonly string[]): StoredAnswer {
  return { status, headers, body: shownOnce.length > 0 ? withoutMembers(body, shownOnce) : body };
}

/** A body whose `data` has none of these members. */
function withoutMembers(body: unknown, names: readonly string[]): unknown {
  if (typeof body !== 'object' || body === null || !('data' in body)) return body;
  const members = Object.entries(body.data ?? {}).filter(([name]) => !names.includes(name));
  return { ...body, data: Object.fromEntries(members) };
}
