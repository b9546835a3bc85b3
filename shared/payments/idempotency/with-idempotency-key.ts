// Runs requests with an Idempotency-Key: claim the key and insert the resource in one short transaction, call the provider outside any
// transaction, then store the effect, the response and the log row in a second short transaction. A retry after a crash continues
// where the first attempt stopped.
import type { Context } from '../../platform/access/context.ts';
import { oneRow, type RowsOf, type Sql, type Statement, type Work } from '../../platform/db/database.ts';
import { isSqlError } from '../../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../../platform/errors.ts';
import { keyInUse, keyReused } from '../../platform/idempotency/key.ts';
import { callProvider } from '../providers/errors.ts';
import {
  type Claim,
  type ClaimRow,
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
  | ({ replayed: false } & Completed)
  | { replayed: true; status: number; snapshot: Snapshot }
  | { replayed: true; status: number; body: unknown };

/** A stored success. */
export interface Completed {
  status: number;
  snapshot: Snapshot;
  /** Members added only to the first response. They are not stored, so replays omit them. */
  once?: object | undefined;
}

/** What a success stores besides its effect. */
interface Success {
  kind: SnapshotKind;
  /** Selects the resource for the response, after the effect. */
  snapshot(sql: Sql): Statement<{ snapshot: object }>;
  /** HTTP status, if it differs from `successStatus` of the request. */
  status?: number | undefined;
  once?: object;
}

/** One attempt of a request, which holds its key after `begin`. */
export interface Attempt {
  /** Whether an earlier attempt may have reached the provider. If so, look the order up before sending it again. */
  readonly isRetry: boolean;
  /**
   * Claims the key, in one transaction with this work: it inserts the resource if the claim has none (`whereNotStarted`), or finds that
   * of an earlier attempt. Ends the callback if the key has a response already.
   */
  begin<const W extends Work>(work: (sql: Sql, claim: Claim) => W): Promise<RowsOf<W>>;
  /** Cleanup if the attempt fails from here on, in the transaction that stores the outcome. Skipped if another attempt took over. */
  onFailure(undo: (sql: Sql, error: unknown) => Work): void;
  /** Calls a provider with a timeout within the lease (`providers/errors.ts`). Throws 503 if too little of the lease is left. */
  callProvider<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Writes the effect and stores the response, in one transaction with the log row. */
  complete(effect: (sql: Sql) => Work, success: Success): Promise<Completed>;
}

/** Thrown by an attempt whose resource changed during the provider call: the callback runs again, and throws `cause` after three rounds. */
export class StartOver extends Error {
  override readonly name = 'StartOver';
}

/** Ends the callback of a request that has a response already. */
class Replay extends Error {
  readonly outcome: IdempotentOutcome;
  constructor(outcome: IdempotentOutcome) {
    super('The request has a response already.');
    this.outcome = outcome;
  }
}

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
 * Runs a request under its key, or replays its stored response. An error that the callback throws is the request's outcome; if it is
 * final (`STORED_ERRORS`), it is stored as well. Throws 409 if the key is in use or belongs to another request.
 */
export async function withIdempotencyKey(
  context: Context,
  request: IdempotentRequest,
  run: (attempt: Attempt) => Promise<Completed>,
): Promise<IdempotentOutcome> {
  const attempt = new KeyedAttempt(context, request);
  try {
    return { replayed: false, ...(await runRounds(attempt, run)) };
  } catch (error) {
    if (error instanceof Replay) return error.outcome;
    return await attempt.fail(error);
  }
}

async function runRounds(
  attempt: KeyedAttempt,
  run: (attempt: Attempt) => Promise<Completed>,
): Promise<Completed> {
  for (let round = 1; ; round++) {
    try {
      return await run(attempt);
    } catch (error) {
      if (!(error instanceof StartOver)) throw error;
      if (round === MAX_ROUNDS) throw error.cause;
    }
  }
}

class KeyedAttempt implements Attempt {
  readonly #context: Context;
  readonly #request: IdempotentRequest;
  readonly #claim: Claim;
  readonly #startedAt = performance.now();
  #state: 'new' | 'begun' | 'claimed' = 'new';
  #isRetry = false;
  #undo: (sql: Sql, error: unknown) => Work = () => [];

  constructor(context: Context, request: IdempotentRequest) {
    this.#context = context;
    this.#request = request;
    this.#claim = { tenantId: context.tenantId, key: request.key, attemptId: crypto.randomUUID() };
  }

  get isRetry() {
    return this.#isRetry;
  }

  async begin<const W extends Work>(work: (sql: Sql, claim: Claim) => W): Promise<RowsOf<W>> {
    const claim = this.#claim;
    if (this.#state === 'claimed') return await this.#context.checkpoint((sql) => work(sql, claim));
    this.#state = 'begun';
    const { claims, found } = await this.#context.checkpoint((sql) => ({
      claims: claimKey(sql, claim, this.#request.fingerprint, LEASE_SECONDS),
      found: work(sql, claim),
    }));
    this.#take(oneRow(claims));
    return found;
  }

  #take(claimed: ClaimRow): void {
    if (claimed.outcome === 'reused') throw keyReused();
    if (claimed.outcome !== 'claimed') throw new Replay(storedOutcome(claimed));
    this.#state = 'claimed';
    this.#isRetry = claimed.again;
  }

  onFailure(undo: (sql: Sql, error: unknown) => Work): void {
    this.#undo = undo;
  }

  async callProvider<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return await callProvider(this.#context.log, call, timeLeftMs(this.#startedAt));
  }

  async complete(effect: (sql: Sql) => Work, success: Success): Promise<Completed> {
    const { kind, snapshot, once, status = this.#request.successStatus } = success;
    const { stored } = await this.#context.write(
      (sql) => ({
        lock: lockClaimedKey(sql, this.#claim),
        effect: effect(sql),
        stored: storeSuccess(sql, this.#claim, status, kind, snapshot(sql)),
      }),
      status,
    );
    return { status, snapshot: { kind, row: oneRow(stored).snapshot }, once };
  }

  /** Stores the outcome, or releases the key. Throws the error, unless another attempt took over, whose response it returns. */
  async fail(error: unknown): Promise<IdempotentOutcome> {
    // The key of a request whose body is invalid is claimed here, so that the error can be stored.
    if (this.#state === 'new') {
      try {
        await this.begin(() => []);
      } catch (replay) {
        if (replay instanceof Replay) return replay.outcome;
        throw replay;
      }
    }
    if (this.#state !== 'claimed') throw error;
    const over = isSqlError(error, 'attemptOver') || (await this.#storeOutcomeOrReleaseKey(error));
    if (!over) throw error;
    // Returns the response of the attempt that took over, so that a key never has two different responses.
    const [answer] = await this.#context.read((sql) =>
      selectStoredResponse(sql, this.#claim, this.#request.fingerprint),
    );
    return storedOutcome(answer);
  }

  /**
   * Stores a final outcome. After a transient failure, releases the key instead, so that a retry can run immediately. Returns true if
   * another attempt took over, which makes this outcome void. Throws 503 if a final outcome could not be stored: a retry runs again and
   * may end differently, so the caller must not treat this outcome as final.
   */
  async #storeOutcomeOrReleaseKey(error: unknown): Promise<boolean> {
    const isFinal = error instanceof ApiError && STORED_ERRORS.has(error.code);
    try {
      if (isFinal) {
        const { status, body } = this.#request.formatError(error);
        await this.#context.writeAfterFailure((sql) => ({
          lock: lockClaimedKey(sql, this.#claim),
          refusal: storeError(sql, this.#claim, status, body),
          undo: this.#undo(sql, error),
        }));
      } else {
        await this.#context.writeAfterFailure((sql) => ({
          release: releaseKey(sql, this.#claim),
          undo: this.#undo(sql, error),
        }));
      }
    } catch (failure) {
      if (isSqlError(failure, 'attemptOver')) return true;
      if (isFinal) throw outcomeNotStored(failure);
      this.#context.log.warn('idempotency key not released; it becomes available when its lease expires', {
        error: String(failure),
      });
    }
    return false;
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
