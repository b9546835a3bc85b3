// Requests that may be sent again with the same Idempotency-Key, in a straight line: claim the key and begin the work in
// one short transaction, ask the provider outside any, complete it in a second short transaction that has effect, answer
// and log row. A retry after a crash goes on where the first one stopped.
import type { Context } from '../../platform/access/context.ts';
import { oneRow, type RowsOf, type Sql, type Statement, type Work } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../../platform/errors.ts';
import { keyInUse, keyReused } from '../../platform/idempotency/key.ts';
import type { Logger } from '../../platform/logger.ts';
import { askProvider } from '../providers/ask-provider.ts';
import {
  type AnswerRow,
  type Claim,
  claimKey,
  lockClaimedKey,
  releaseKey,
  type Snapshot,
  type SnapshotKind,
  selectAnswer,
  storeRefusal,
  storeSuccess,
} from './queries.ts';

/** How long a request holds its key. A later one can only take over after that, and the first then writes nothing more. */
const LEASE_SECONDS = 25;
/** By then an attempt has its answer from the provider: its lease must outlast the call. */
const PROVIDER_DEADLINE_MS = 24_000;
/** Less time than this is not enough to ask a provider. */
const LEAST_PROVIDER_MS = 8_000;
/** How often an attempt looks again at what changed while the provider was asked. */
const MAX_ROUNDS = 3;

/** A request with its key. */
export interface IdempotentRequest {
  key: string;
  /** SHA-256 of method, path and body with sorted members. */
  fingerprint: string;
  /** Status of its success. */
  successStatus: number;
  /** The body of an error as this request's caller is to see it, now and on every replay. */
  formatError(error: ApiError): { status: number; body: unknown };
}

export type IdempotentOutcome =
  | { replayed: false; status: number; snapshot: Snapshot; once: object | undefined }
  | { replayed: true; status: number; snapshot: Snapshot }
  | { replayed: true; status: number; body: unknown };

/** An attempt that holds its key. */
export interface KeyedAttempt {
  /** Whether an earlier attempt may have reached the provider: look there before anything is sent again. */
  again: boolean;
  log: Logger;
  /**
   * Asks a provider, for as long as the lease lasts (`providers/ask-provider.ts`). Throws 503 where too little of it is left to ask at all.
   */
  askProvider<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** What an operation does between claiming a key and its answer. */
export interface IdempotentSteps<S extends Work, A> {
  kind: SnapshotKind;
  /**
   * In the transaction of the claim: begins the work where nothing was begun under this claim (`whereNothingBegan`), or
   * finds what an earlier attempt began. Must only read where `whenRefused` may ask for another look.
   */
  begin(sql: Sql, claim: Claim): S;
  /** Outside any transaction. What it throws is the request's outcome. */
  ask(found: RowsOf<S>, attempt: KeyedAttempt): Promise<A>;
  /** The effect. */
  complete(sql: Sql, asked: A): Work;
  /** What is answered, after the effect. */
  snapshot(sql: Sql, asked: A): Statement<{ snapshot: object }>;
  /** What it means that the database refused to complete: an error for the caller, or another look at what changed. */
  whenRefused?(error: unknown, asked: A): Error | 'look again' | undefined;
  /** What a failure leaves to do, with the keeping of its outcome. Not where another attempt took over. */
  undo?(sql: Sql, found: RowsOf<S>, error: unknown, again: boolean): Work;
  /** Members that the answer shows beside the snapshot this one time: they are not kept, and no replay has them. */
  shownOnce?: object;
  /** The status of this success, where it is another than the usual one. */
  successStatus?(asked: A): number | undefined;
}

/** Has the compiler infer what a step hands to the next. */
export const idempotentSteps = <const S extends Work, A>(
  steps: IdempotentSteps<S, A>,
): IdempotentSteps<S, A> => steps;

/** Outcomes that are kept and replayed: what the work decided, not what kept it from being done. */
const KEPT = new Set<ErrorCode>([
  'validation',
  'unprocessable',
  'unknown_cost_center',
  'not_found',
  'conflict',
  'cancellation_window_expired',
  'invoice_not_cancelable',
  'invoice_not_payable',
  'payout_not_cancelable',
  'tax_document_exists',
  'tax_document_not_cancelable',
]);

/**
 * Runs a request under its key, or replays what it was answered with. `prepare` gives the steps; what it throws is the
 * request's outcome, kept like any other. Throws 409 for a key that is in use or another request's.
 */
export async function runIdempotent<const S extends Work, A>(
  context: Context,
  request: IdempotentRequest,
  prepare: () => IdempotentSteps<S, A>,
): Promise<IdempotentOutcome> {
  const startedAt = performance.now();
  const claim: Claim = { tenantId: context.tenantId, key: request.key, attemptId: crypto.randomUUID() };
  const prepared = attemptSync(prepare);

  const claimOf = (sql: Sql) => claimKey(sql, claim, request.fingerprint, LEASE_SECONDS);
  const { claims, found } =
    'value' in prepared
      ? await context.checkpoint((sql) => ({
          claims: claimOf(sql),
          found: prepared.value.begin(sql, claim),
        }))
      : { claims: await context.checkpoint(claimOf), found: undefined };
  const claimed = oneRow(claims);
  if (claimed.outcome === 'reused') throw keyReused();
  if (claimed.outcome !== 'claimed') return storedOutcome(claimed);

  try {
    if ('error' in prepared) throw prepared.error;
    if (!found) throw new Error('A claimed key has no work that was begun.');
    const steps = prepared.value;
    const { again } = claimed;
    const { log } = context;
    const attempt: KeyedAttempt = {
      again,
      log,
      askProvider: async (ask) => await askProvider(log, ask, timeLeftMs(startedAt)),
    };
    const { status, row } = await askAndComplete(context, request, claim, steps, found, attempt);
    return {
      replayed: false,
      status,
      snapshot: { kind: steps.kind, row },
      once: steps.shownOnce,
    };
  } catch (error) {
    const undo = (sql: Sql): Work =>
      'value' in prepared && found ? (prepared.value.undo?.(sql, found, error, claimed.again) ?? []) : [];
    const over = isSqlError(error, 'attemptOver') || (await settle(context, request, claim, error, undo));
    if (!over) throw error;
    // The answer of whoever took the key over, so that one key never gets two different ones.
    const [answer] = await context.read((sql) => selectAnswer(sql, claim, request.fingerprint));
    return storedOutcome(answer);
  }
}

/** The provider, then effect, answer and log row in one transaction; again where it turns out that what was found changed. */
async function askAndComplete<const S extends Work, A>(
  context: Context,
  request: IdempotentRequest,
  claim: Claim,
  steps: IdempotentSteps<S, A>,
  foundFirst: RowsOf<S>,
  attempt: KeyedAttempt,
): Promise<{ status: number; row: object }> {
  let found = foundFirst;
  for (let round = 1; ; round++) {
    const asked = await steps.ask(found, attempt);
    try {
      const status = steps.successStatus?.(asked) ?? request.successStatus;
      const { stored } = await context.write(
        (sql) => ({
          lock: lockClaimedKey(sql, claim),
          effect: steps.complete(sql, asked),
          stored: storeSuccess(sql, claim, status, steps.kind, steps.snapshot(sql, asked)),
        }),
        status,
      );
      return { status, row: oneRow(stored).snapshot };
    } catch (error) {
      const meaning = steps.whenRefused?.(error, asked);
      if (meaning !== 'look again' || round === MAX_ROUNDS) throw meaning instanceof Error ? meaning : error;
    }
    found = await context.checkpoint((sql) => steps.begin(sql, claim));
  }
}

function attemptSync<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

function timeLeftMs(startedAt: number): number {
  const leftMs = PROVIDER_DEADLINE_MS - (performance.now() - startedAt);
  if (leftMs > LEAST_PROVIDER_MS) return leftMs;
  throw new ApiError('unavailable', 'The request took too long. Retry with the same Idempotency-Key.', {
    retryAfterSeconds: 1,
    reason: 'lease_over',
  });
}

function notKept(cause: unknown): ApiError {
  const message = 'The outcome of this request could not be kept. Retry with the same Idempotency-Key.';
  return new ApiError('unavailable', message, { retryAfterSeconds: 1, reason: 'outcome_not_kept', cause });
}

/** What a request was answered with. Throws 409 when it still has no answer. */
function storedOutcome(answer: AnswerRow | undefined): IdempotentOutcome {
  if (!answer?.response_status) throw keyInUse();
  const { response_status: status, response_body: body, snapshot: row, snapshot_kind: kind } = answer;
  // Stored by `storeSuccess`, with the kind that it is of.
  if (row && kind) return { replayed: true, status, snapshot: { kind, row } };
  return { replayed: true, status, body };
}

/**
 * Keeps an outcome of the work; lets go of the key after anything else, so that a retry may go on at once. Gives true
 * when the outcome does not count because another attempt took over. Throws 503 for an outcome that could not be kept:
 * the retry works anew and may answer otherwise, so this one must not be taken for final.
 */
async function settle(
  context: Context,
  request: IdempotentRequest,
  claim: Claim,
  error: unknown,
  undo: (sql: Sql) => Work,
): Promise<boolean> {
  const kept = error instanceof ApiError && KEPT.has(error.code);
  try {
    if (kept) {
      const { status, body } = request.formatError(error);
      await context.checkpoint((sql) => ({
        lock: lockClaimedKey(sql, claim),
        refusal: storeRefusal(sql, claim, status, body),
        undo: undo(sql),
      }));
    } else {
      await context.checkpoint((sql) => ({ release: releaseKey(sql, claim), undo: undo(sql) }));
    }
  } catch (failure) {
    if (isSqlError(failure, 'attemptOver')) return true;
    if (kept) throw notKept(failure);
    context.log.warn('idempotency key not settled; it is free again when its lease is over', {
      error: String(failure),
    });
  }
  return false;
}
