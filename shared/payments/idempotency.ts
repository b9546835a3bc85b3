// Requests that may be sent again with the same Idempotency-Key. The key and what it is making are claimed in one short
// transaction, the provider is asked outside any, and a second short transaction writes effect and answer together. A
// retry after a crash goes on where the first one stopped.
import type { Context } from '../platform/context.ts';
import type { Rows, Sql, Statement } from '../platform/db/database.ts';
import { oneRow } from '../platform/db/rows.ts';
import { raised } from '../platform/db/sql-errors.ts';
import { ApiError, type ErrorCode } from '../platform/errors.ts';

/** How long a request holds its key. A later one can only take over after that, and the first then writes nothing more. */
const LEASE_SECONDS = 20;
/** An attempt asks no provider past this: its lease must outlast the call. */
const PROVIDER_DEADLINE_MS = 8_000;

/** What was made, as stored: what answers and events are rendered from. */
export interface Snapshot {
  kind: 'invoice' | 'payout' | 'tax_document';
  row: Record<string, unknown>;
}

/** A request with its key. */
export interface KeyedRequest {
  key: string;
  /** SHA-256 of method, path and body with sorted members. */
  fingerprint: string;
  /** Status of its success. */
  successStatus: number;
  /** The body of an error as this request's caller is to see it, now and on every replay. */
  renderError(error: ApiError): { status: number; body: unknown };
}

export type KeyedOutcome =
  | { replayed: false; snapshot: Snapshot }
  | { replayed: true; status: number; snapshot: Snapshot }
  | { replayed: true; status: number; body: unknown };

/** An attempt that holds its key. */
export interface Attempt {
  /** Rows of the statements that began the work, or found what an earlier attempt began. */
  rows: Rows[];
  /** Whether an earlier attempt may have reached the provider: look there before anything is sent again. */
  again: boolean;
  /** Throws unless enough of the lease is left to ask a provider. */
  checkLease(): void;
  /** Completes the request: these statements, and the snapshot of what the last of them gives as `snapshot`. */
  finish(kind: Snapshot['kind'], build: (sql: Sql) => Statement[]): Promise<Snapshot>;
}

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

interface Stored {
  response_status: number | null;
  response_body: unknown;
  snapshot: Record<string, unknown> | null;
  snapshot_kind: Snapshot['kind'] | null;
}

interface ClaimRow extends Stored {
  outcome: 'claimed' | 'replay' | 'reused' | 'in_use';
  again: boolean;
}

export interface KeyedWork<I> {
  /** Checks the input; throwing is the request's outcome, kept like any other. */
  validate(): I;
  /** Statements that begin the work in the transaction of the claim. They must do so only where `attemptId` holds the key. */
  begin(sql: Sql, input: I, attemptId: string): Statement[];
  /** Goes on from there, first time or again. */
  complete(attempt: Attempt, input: I): Promise<Snapshot>;
}

/** Runs a request under its key, or replays what it was answered with. Throws 409 for a key that is in use or another's. */
export async function runKeyed<I>(
  context: Context,
  request: KeyedRequest,
  work: KeyedWork<I>,
): Promise<KeyedOutcome> {
  const startedAt = performance.now();
  const attemptId = crypto.randomUUID();
  const checked = attemptSync(() => work.validate());
  const [claimed, ...rows] = await context.transaction((sql) => [
    sql`select * from app.claim_key(${request.key}, ${request.fingerprint}, ${attemptId}, ${LEASE_SECONDS})`,
    ...('value' in checked ? work.begin(sql, checked.value, attemptId) : []),
  ]);
  const claim = oneRow<ClaimRow>(claimed);
  if (claim.outcome === 'reused') {
    const message = 'This Idempotency-Key belongs to another request. Send a fresh key with this one.';
    throw new ApiError('idempotency_key_reused', message, { reason: 'idempotency_key_reused' });
  }
  if (claim.outcome !== 'claimed') return storedOutcome(claim);

  const attempt: Attempt = {
    rows,
    again: claim.again,
    checkLease() {
      if (performance.now() - startedAt + PROVIDER_DEADLINE_MS < LEASE_SECONDS * 1000) return;
      throw new ApiError('unavailable', 'The request took too long. Retry with the same Idempotency-Key.', {
        retryAfterSeconds: 1,
        reason: 'lease_over',
      });
    },
    async finish(kind, build) {
      const results = await context.write((sql) => [
        sql`select app.lock_claimed_key(${request.key}, ${attemptId})`,
        ...build(sql),
      ]);
      const { snapshot } = oneRow<{ snapshot: Record<string, unknown> }>(results.at(-1));
      return { kind, row: snapshot };
    },
  };
  try {
    if (!('value' in checked)) throw checked.error;
    return { replayed: false, snapshot: await work.complete(attempt, checked.value) };
  } catch (error) {
    const overtaken = raised(error, 'overtaken') || (await settle(context, request, attemptId, error));
    if (!overtaken) throw error;
    return await readStored(context, request);
  }
}

/** The statement that stores a success; its row has the `snapshot`. */
export function keepSuccess(
  sql: Sql,
  { key, successStatus }: KeyedRequest,
  kind: Snapshot['kind'],
  snapshot: Statement,
) {
  return sql`
    select app.store_response(${key}, ${successStatus}, null, made.snapshot, ${kind}) as snapshot from (${snapshot}) as made`;
}

function attemptSync<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

/** What a request was answered with. Throws 409 when it still has no answer. */
function storedOutcome({
  response_status: status,
  response_body,
  snapshot,
  snapshot_kind,
}: Stored): KeyedOutcome {
  if (!status) {
    const message = 'The first request with this Idempotency-Key is still running. Retry in a moment.';
    throw new ApiError('idempotency_key_in_use', message, {
      retryAfterSeconds: 1,
      reason: 'idempotency_key_in_use',
    });
  }
  if (snapshot && snapshot_kind)
    return { replayed: true, status, snapshot: { kind: snapshot_kind, row: snapshot } };
  return { replayed: true, status, body: response_body };
}

/** The answer of whoever overtook this attempt, so that one key never gets two different ones. */
async function readStored(context: Context, { key, fingerprint }: KeyedRequest): Promise<KeyedOutcome> {
  const [rows] = await context.transaction((sql) => [
    sql`
      select response_status, response_body, snapshot, snapshot_kind from public.idempotency_keys
      where tenant_id = ${context.tenantId} and key = ${key} and fingerprint = ${fingerprint}`,
  ]);
  const nothing = { response_status: null, response_body: null, snapshot: null, snapshot_kind: null };
  return storedOutcome((rows?.[0] as Stored | undefined) ?? nothing);
}

/**
 * Keeps an outcome of the work; lets go of the key after anything else, so that a retry may go on at once. Gives true
 * when the outcome does not count because this attempt was overtaken.
 */
async function settle(
  context: Context,
  request: KeyedRequest,
  attemptId: string,
  error: unknown,
): Promise<boolean> {
  try {
    if (error instanceof ApiError && KEPT.has(error.code)) {
      const { status, body } = request.renderError(error);
      await context.transaction((sql) => [
        sql`select app.lock_claimed_key(${request.key}, ${attemptId})`,
        sql`select app.store_response(${request.key}, ${status}, ${JSON.stringify(body)}::jsonb)`,
      ]);
    } else {
      await context.transaction((sql) => [sql`select app.release_key(${request.key}, ${attemptId})`]);
    }
  } catch (failure) {
    if (raised(failure, 'overtaken')) return true;
    context.log.warn('idempotency key not settled; it is free again when its lease is over', {
      error: String(failure),
    });
  }
  return false;
}
