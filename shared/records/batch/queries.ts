// SQL of batches (database/records/batches.sql).
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { BatchKind, BatchMethod } from './batch.ts';

/** An operation in the format of `app.apply_operations`. */
export interface StoredOperation {
  method: BatchMethod;
  id?: string;
  external_id?: string;
  create?: object;
  change?: object;
  /** Why there is no `change`: the body failed validation (`invalid`), or the change is not allowed (`refused`). */
  change_fault?: 'invalid' | 'refused';
  /** Accepted versions of the record; null accepts any version. */
  versions?: readonly string[] | null;
  /** The external id that the operation assigns. */
  names?: string;
}

/** Why an operation failed in the database. */
export interface StoredError {
  /** SQLSTATE. */
  code: string;
  message: string;
  detail: string;
  constraint: string;
  /** The record that already has the unique value. */
  existing_id?: string | null;
  /** The current record if its version does not match; null if the record does not exist. */
  current?: object | null;
}

/** The outcome of an operation; empty if the record was deleted. */
export interface StoredOutcome {
  made?: true;
  record?: object;
  error?: StoredError;
}

/** Executes the operations (JSON of `StoredOperation[]`) in order and returns their outcomes in the same order. */
export const applyOperations = (
  sql: Sql,
  { source, columns }: BatchKind,
  clientId: string,
  operations: string,
  { atomic, rejected }: { atomic: boolean; rejected: boolean },
): Statement<{ outcome: StoredOutcome }> => sql`
  select outcome from app.apply_operations(
    ${source}, ${clientId}, ${columns.created}, ${columns.changed},
    ${operations}::jsonb, ${atomic}, ${rejected}
  ) with ordinality as o (outcome, place) order by place`;
