// SQL for the table `idempotency_keys`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';

/** The kind of resource in a stored response. It selects the serializer. */
export type SnapshotKind =
  | 'invoice'
  | 'refund'
  | 'payout'
  | 'tax_document'
  | 'webhook'
  | 'webhook_test'
  | 'webhook_replay'
  | 'replay';

/** The resource of a response as stored. `snapshots.ts` serializes it. */
export interface Snapshot {
  kind: SnapshotKind;
  row: object;
}

/** One attempt to run the request of a key. Only the latest attempt that claimed the key can complete it. */
export interface Claim {
  tenantId: string;
  key: string;
  /** Unique to this attempt. */
  attemptId: string;
}

export interface StoredResponseRow {
  /** Null while the request is unfinished. */
  response_status: number | null;
  /** The error body. */
  response_body: unknown;
  /** The resource of a success. */
  snapshot: object | null;
  snapshot_kind: SnapshotKind | null;
}

export interface ClaimRow extends StoredResponseRow {
  outcome: 'claimed' | 'replay' | 'reused' | 'in_use';
  again: boolean;
}

/** Claims the key, unless it has a stored response, belongs to another request, or is held by a running attempt. */
export const claimKey = (
  sql: Sql,
  { key, attemptId }: Claim,
  fingerprint: string,
  leaseSeconds: number,
): Statement<ClaimRow> => sql`
  select outcome, again, response_status, response_body, snapshot, snapshot_kind
  from app.claim_key(${key}, ${fingerprint}, ${attemptId}, ${leaseSeconds})`;

/**
 * Condition on `public.idempotency_keys k`: this attempt holds the key, and no attempt has inserted a resource under it. Used by the
 * statement that inserts the resource in the transaction of the claim.
 */
export const whereNotStarted = (sql: Sql, { tenantId, key, attemptId }: Claim): Fragment => sql`
  k.tenant_id = ${tenantId} and k.key = ${key} and k.claimed_by = ${attemptId}
  and k.resource_id is null and k.response_status is null`;

/** Must be the first statement of the transaction that completes a request. Throws `attemptOver` if another attempt took over the key. */
export const lockClaimedKey = (sql: Sql, { key, attemptId }: Claim): Fragment =>
  sql`select app.lock_claimed_key(${key}, ${attemptId})`;

/** Stores a success and returns its snapshot. */
export const storeSuccess = <R extends object>(
  sql: Sql,
  { key }: Claim,
  status: number,
  kind: SnapshotKind,
  snapshot: Statement<{ snapshot: R }>,
): Statement<{ snapshot: R }> => sql`
  select app.store_response(${key}, ${status}, null, made.snapshot, ${kind}) as snapshot
  from (${snapshot}) as made`;

export const storeError = (sql: Sql, { key }: Claim, status: number, body: unknown): Fragment =>
  sql`select app.store_response(${key}, ${status}, ${JSON.stringify(body)}::jsonb)`;

/** Releases the key, so that a retry can run immediately. */
export const releaseKey = (sql: Sql, { key, attemptId }: Claim): Fragment =>
  sql`select app.release_key(${key}, ${attemptId})`;

export const selectStoredResponse = (
  sql: Sql,
  { tenantId, key }: Claim,
  fingerprint: string,
): Statement<StoredResponseRow> => sql`
  select response_status, response_body, snapshot, snapshot_kind from public.idempotency_keys
  where tenant_id = ${tenantId} and key = ${key} and fingerprint = ${fingerprint}`;
