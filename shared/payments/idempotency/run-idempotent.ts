// Runs requests with an Idempotency-Key in three steps: claim the key and insert the resource in one short transaction, call the
// provider outside any transaction, then store the effect, the response and the log row in a second short transaction. A retry after
// a crash continues where the first attempt stopped.
import type { Context } from '../../platform/access/context.ts';
import { oneRow, type RowsOf, type Sql, type Statement, type Work } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../../platform/errors.ts';
import { keyInUse, keyReused } from '../../platform/idempotency/key.ts';
import type { Logger } from '../../platform/logger.ts';
import { askProvider } from '../providers/errors.ts';
import {
  type Claim,
  claimKey,
  lockClaimedKey,
  releaseKey,
  type Snapshot,
  type SnapshotKind,
  type StoredResponseRow,
  selectStoredResponse,
  storeError,
  storeSuccess,
} from './queries.ts';

/** How long a request holds its key. After that a retry can take over, and the first attempt can no longer write. */
const LEASE_SECONDS = 25;
/** Deadline of provider calls, so that the lease outlasts them. */
const PROVIDER_DEADLINE_MS = 24_000;
/** Minimum time left to start a provider call. */
const MIN_PROVIDER_MS = 8_000;
/** Maximum rounds of an attempt, which starts over if its resource changed during the provider call. */
const MAX_ROUNDS = 3;

/** A request with its key. */
export interface IdempotentRequest {
  key: string;
  /** SHA-256 of method, path and body with sorted JSON members. */
  fingerprint: string;
  /** HTTP status of a success. */
  successStatus: number;
  /** Formats an error for this request's caller. Replays return the same body. */
  formatError(error: ApiError): { status: number; body: unknown };
}

export type IdempotentOutcome =
  | { replayed: false; status: number; snapshot: Snapshot; once: object | undefined }
  | { replayed: true; status: number; snapshot: Snapshot }
  | { replayed: true; status: number; body: unknown };

/** A running attempt that holds its key. */
interface KeyedAttempt {
  /** Whether an earlier attempt may have reached the provider. If so, look the order up before sending it again. */
  again: boolean;
  log: Logger;
  /**
   * Calls a provider with a timeout within the lease (`providers/errors.ts`). Throws 503 if too little of the lease is left.
   */
  askProvider<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * The steps of an operation between the claim of the key and the response:
 *
 *     claim of the key, begin  ->  ask  ->  complete, snapshot, stored response
 *     (one transaction)                     (one transaction; after an error: undo, stored error)
 */
export interface IdempotentSteps<S extends Work, A> {
  kind: SnapshotKind;
  /**
   * Runs in the transaction of the claim. Inserts the resource if the claim has none (`whereNotStarted`), or finds the
   * resource of an earlier attempt. Must be repeatable if `mapWriteError` may return 'look again'.
   */
  begin(sql: Sql, claim: Claim): S;
  /** Runs outside any transaction. An error that it throws is the request's outcome. */
  ask(found: RowsOf<S>, attempt: KeyedAttempt): Promise<A>;
  /** Writes the effect. */
  complete(sql: Sql, asked: A): Work;
  /** Selects the resource for the response, after the effect. */
  snapshot(sql: Sql, asked: A): Statement<{ snapshot: object }>;
  /** Maps a database error of `complete` to an error for the caller, or to 'look again' to start over. */
  mapWriteError?(error: unknown, asked: A): Error | 'look again' | undefined;
  /** Cleanup after a failure, in the transaction that stores the outcome. Skipped if another attempt took over. */
  undo?(sql: Sql, found: RowsOf<S>, error: unknown, again: boolean): Work;
  /** Members added only to the first response. They are not stored, so replays omit them. */
  shownOnce?: object;
  /** The HTTP status of this success, if it differs from `successStatus` of the request. */
  successStatus?(asked: A): number | undefined;
}

/** Identity function that lets the compiler infer the types passed between steps. */
export const idempotentSteps = <const S extends Work, A>(
  steps: IdempotentSteps<S, A>,
): IdempotentSteps<S, A> => steps;

/** Errors that are stored and replayed: decisions of the operation, not transient failures. */
const STORED_ERRORS = new Set<ErrorCode>([
  'validation',
  'unprocessable',
  'unknown_cost_center',
  'not_found',
  'conflict',
  'cancellation_window_expired',
  'invoice_not_cancelable',
  'invoice_not_payable',
  'invoice_not_refundable',
  'refund_window_expired',
  'insufficient_balance',
  'payout_not_cancelable',
  'tax_document_exists',
  'tax_document_not_cancelable',
]);

/**
 * Runs a request under its key, or replays its stored response. `prepare` returns the steps. An error that it throws is the
 * request's outcome and is stored like any other. Throws 409 if the key is in use or belongs to another request.
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
    if (!found) throw new Error('`begin` returned no result for the claimed key.');
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
    const over =
      isSqlError(error, 'attemptOver') ||
      (await storeOutcomeOrReleaseKey(context, request, claim, error, undo));
    if (!over) throw error;
    // Returns the response of the attempt that took over, so that a key never has two different responses.
    const [answer] = await context.read((sql) => selectStoredResponse(sql, claim, request.fingerprint));
    return storedOutcome(answer);
  }
}

/** Calls the provider, then stores effect, response and log row in one transaction. Starts over if the resource changed. */
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
      const meaning = steps.mapWriteError?.(error, asked);
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
  if (leftMs > MIN_PROVIDER_MS) return leftMs;
  throw new ApiError('unavailable', 'The request took too long. Retry with the same Idempotency-Key.', {
    retryAfterSeconds: 1,
    reason: 'lease_over',
  });
}

function outcomeNotStored(cause: unknown): ApiError {
  const message = 'The outcome of this request could not be stored. Retry with the same Idempotency-Key.';
  return new ApiError('unavailable', message, { retryAfterSeconds: 1, reason: 'outcome_not_kept', cause });
}

/** The stored response of a request. Throws 409 if it has none yet. */
function storedOutcome(answer: StoredResponseRow | undefined): IdempotentOutcome {
  if (!answer?.response_status) throw keyInUse();
  const { response_status: status, response_body: body, snapshot: row, snapshot_kind: kind } = answer;
  // Stored by `storeSuccess` together with its kind.
  if (row && kind) return { replayed: true, status, snapshot: { kind, row } };
  return { replayed: true, status, body };
}

/**
 * Stores a final outcome. After a transient failure, releases the key instead, so that a retry can run immediately. Returns true if
 * another attempt took over, which makes this outcome void. Throws 503 if a final outcome could not be stored: a retry runs again and
 * may end differently, so the caller must not treat this outcome as final.
 */
async function storeOutcomeOrReleaseKey(
  context: Context,
  request: IdempotentRequest,
  claim: Claim,
  error: unknown,
  undo: (sql: Sql) => Work,
): Promise<boolean> {
  const isFinal = error instanceof ApiError && STORED_ERRORS.has(error.code);
  try {
    if (isFinal) {
      const { status, body } = request.formatError(error);
      await context.writeAfterFailure((sql) => ({
        lock: lockClaimedKey(sql, claim),
        refusal: storeError(sql, claim, status, body),
        undo: undo(sql),
      }));
    } else {
      await context.writeAfterFailure((sql) => ({ release: releaseKey(sql, claim), undo: undo(sql) }));
    }
  } catch (failure) {
    if (isSqlError(failure, 'attemptOver')) return true;
    if (isFinal) throw outcomeNotStored(failure);
    context.log.warn('idempotency key not released; it becomes available when its lease expires', {
      error: String(failure),
    });
  }
  return false;
}
