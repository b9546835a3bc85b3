// SQL of the table `idempotency_keys`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';

/** What an operation answers with, by which it is stored and shown. */
export type SnapshotKind =
  | 'invoice'
  | 'payout'
  | 'tax_document'
  | 'webhook'
  | 'webhook_test'
  | 'webhook_replay'
  | 'replay';

/** What was made, as stored; `snapshots.ts` shows it. */
export interface Snapshot {
  kind: SnapshotKind;
  row: object;
}

/** One attempt at the request of a key. Only the last one that claimed the key may complete it. */
export interface Claim {
  tenantId: string;
  key: string;
  /** Of this attempt alone. */
  attemptId: string;
}

export interface AnswerRow {
  /** Null while there is no answer. */
  response_status: number | null;
  /** Of a refusal. */
  response_body: unknown;
  /** Of a success. */
  snapshot: object | null;
  snapshot_kind: SnapshotKind | null;
}

export interface ClaimRow extends AnswerRow {
  outcome: 'claimed' | 'replay' | 'reused' | 'in_use';
  again: boolean;
}

/** Takes the key, unless it is answered, another request's, or held by a running attempt. */
export function claimKey(
  sql: Sql,
  { key, attemptId }: Claim,
  fingerprint: string,
  leaseSeconds: number,
): Statement<ClaimRow> {
  return sql`
    select outcome, again, response_status, response_body, snapshot, snapshot_kind
    from app.claim_key(${key}, ${fingerprint}, ${attemptId}, ${leaseSeconds})`;
}

/**
 * Condition on `public.idempotency_keys k`: this attempt holds the key, and no attempt has begun anything under it. For
 * the statement that begins the work, in the transaction of the claim.
 */
export const whereNotStarted = (sql: Sql, { tenantId, key, attemptId }: Claim): Fragment => sql`
  k.tenant_id = ${tenantId} and k.key = ${key} and k.claimed_by = ${attemptId}
  and k.resource_id is null and k.response_status is null`;

/** First of the statements that complete a request: fails when another attempt took the key over. */
export const lockClaimedKey = (sql: Sql, { key, attemptId }: Claim): Fragment =>
  sql`select app.lock_claimed_key(${key}, ${attemptId})`;

/** Stores a success; gives its snapshot. */
export const storeSuccess = <R extends object>(
  sql: Sql,
  { key }: Claim,
  status: number,
  kind: SnapshotKind,
  snapshot: Statement<{ snapshot: R }>,
): Statement<{ snapshot: R }> => sql`
  select app.store_response(${key}, ${status}, null, made.snapshot, ${kind}) as snapshot
  from (${snapshot}) as made`;

export const storeRefusal = (sql: Sql, { key }: Claim, status: number, body: unknown): Fragment =>
  sql`select app.store_response(${key}, ${status}, ${JSON.stringify(body)}::jsonb)`;

/** Lets a retry go on at once. */
export const releaseKey = (sql: Sql, { key, attemptId }: Claim): Fragment =>
  sql`select app.release_key(${key}, ${attemptId})`;

export const selectAnswer = (
  sql: Sql,
  { tenantId, key }: Claim,
  fingerprint: string,
): Statement<AnswerRow> => sql`
  select response_status, response_body, snapshot, snapshot_kind from public.idempotency_keys
  where tenant_id = ${tenantId} and key = ${key} and fingerprint = ${fingerprint}`;
