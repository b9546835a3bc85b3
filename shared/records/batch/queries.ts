// SQL of batches (migrations/*_records_batches.sql).
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { BatchKind, BatchMethod } from './batch.ts';

/** An operation as `app.apply_operations` takes it. */
export interface StoredOperation {
  method: BatchMethod;
  id?: string;
  external_id?: string;
  create?: object;
  change?: object;
  /** Why there is no change: the body is none, or what it asks for cannot be done. */
  change_fault?: 'invalid' | 'refused';
  /** Versions that the record may have; null is any. */
  versions?: readonly string[] | null;
  /** An external id that it gives. */
  names?: string;
}

/** Why the database refused an operation. */
export interface StoredError {
  /** SQLSTATE. */
  code: string;
  message: string;
  detail: string;
  constraint: string;
  /** The record that has what the operation would give to another. */
  existing_id?: string | null;
  /** The record that has another version; null where there is none. */
  current?: object | null;
}

/** What came of an operation; all of it is absent where the record was deleted. */
export interface StoredOutcome {
  made?: true;
  record?: object;
  error?: StoredError;
}

/** Does the operations in their order and gives their outcomes in the same. */
export const applyOperations = (
  sql: Sql,
  { source, columns }: BatchKind,
  clientId: string,
  operations: readonly StoredOperation[],
  { atomic, rejected }: { atomic: boolean; rejected: boolean },
): Statement<{ outcome: StoredOutcome }> => sql`
  select outcome from app.apply_operations(
    ${source}, ${clientId}, ${columns.created}, ${columns.changed},
    ${JSON.stringify(operations)}::jsonb, ${atomic}, ${rejected}
  ) with ordinality as o (outcome, place) order by place`;
