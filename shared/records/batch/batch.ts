// Batches: operations on one kind of record, executed in one transaction in the order of the request.

import type { z } from 'zod';
import { type Context, clientOf } from '../../platform/access/context.ts';
import { runSlice } from '../../platform/cpu-slices.ts';
import type { JsonColumns } from '../../platform/db/sql.ts';
import type { EntityTags } from '../../platform/entity-tags.ts';
import { ApiError } from '../../platform/errors.ts';
import { asDomainError, duplicateLead } from '../domain-errors.ts';
import { duplicateExternalId } from '../external-ids.ts';
import { faultOf } from '../upsert.ts';
import { versionsOf } from '../versions.ts';
import { applyOperations, type StoredError, type StoredOperation, type StoredOutcome } from './queries.ts';

export const MAX_OPERATIONS = 500;

export const batchMethods = ['create', 'update', 'upsert', 'delete'] as const;
export type BatchMethod = (typeof batchMethods)[number];

/** Parses the operation's `data` with a schema. Throws `validation`. */
export type ParseData = <S extends z.ZodObject>(schema: S) => z.output<S>;

/** The columns of a new record, with its external id as a separate member. */
interface NewRecordColumns {
  external_id?: string | null | undefined;
  [column: string]: unknown;
}

/** How one kind of record is written in batches. */
export interface BatchKind {
  source: 'leads' | 'deals' | 'deal_activities';
  methods: readonly BatchMethod[];
  /** Columns that can be set on creation, and columns that can be changed. */
  columns: { created: JsonColumns; changed: JsonColumns };
  create(read: ParseData): NewRecordColumns;
  /** Throws `validation`, and `unprocessable` for changes that are never allowed. */
  change(read: ParseData): object;
}

/** A validated operation. */
export type Operation =
  | { method: 'create'; create: NewRecordColumns }
  | { method: 'update'; key: OperationKey; change: object | ApiError; versions: EntityTags | undefined }
  | {
      method: 'upsert';
      externalId: string;
      create: NewRecordColumns | ApiError;
      change: object | ApiError;
      versions: EntityTags | undefined;
    }
  | { method: 'delete'; key: OperationKey; versions: EntityTags | undefined };

export type OperationKey = { id: string } | { external_id: string };

/**
 * Executes each operation as if it were a request of its own, and returns their outcomes. An atomic batch makes no changes if any
 * operation fails, or if one was already invalid (`rejected`).
 */
export async function applyBatch(
  context: Context,
  kind: BatchKind,
  operations: readonly Operation[],
  options: { atomic: boolean; rejected: boolean },
): Promise<StoredOutcome[]> {
  const clientId = clientOf(context.actor) ?? '';
  const stored = await runSlice(() =>
    JSON.stringify(operations.map((operation) => storedForm(operation, clientId))),
  );
  const rows = await context.write(
    (sql) => applyOperations(sql, kind, clientId, stored, options),
    (sql) => sql`case current_setting('app.batch_rejected', true) when 'true' then 422 else 200 end`,
  );
  return rows.map(({ outcome }) => outcome);
}

function storedForm(operation: Operation, clientId: string): StoredOperation {
  const { method } = operation;
  switch (method) {
    case 'create':
      return { method, ...created(operation.create, clientId, operation.create.external_id) };
    case 'update':
      return { method, ...operation.key, ...conditionOf(operation.versions), ...changed(operation.change) };
    case 'upsert': {
      const { externalId, create, change, versions } = operation;
      return {
        method,
        external_id: externalId,
        ...conditionOf(versions),
        ...(create instanceof ApiError ? {} : created(create, clientId, externalId)),
        ...changed(change),
        names: externalId,
      };
    }
    case 'delete':
      return { method, ...operation.key, ...conditionOf(operation.versions) };
  }
}

function created(
  { external_id: _externalId, ...body }: NewRecordColumns,
  clientId: string,
  externalId: string | null | undefined,
) {
  const ids = externalId ? { [clientId]: [externalId] } : {};
  return { create: { ...body, external_ids: ids }, ...(externalId && { names: externalId }) };
}

function changed(change: object | ApiError) {
  if (change instanceof ApiError) return { change_fault: faultOf(change) };
  const names = 'external_id' in change && typeof change.external_id === 'string' && change.external_id;
  return { change, ...(names && { names }) };
}

const conditionOf = (versions: EntityTags | undefined) =>
  versions === undefined ? {} : { versions: versions === '*' ? null : versionsOf(versions) };

/** Reasons that the database raises when it needs a body that failed validation, and that body. */
const BODIES: Readonly<Record<string, 'create' | 'change'>> = {
  upsert_not_new: 'create',
  upsert_no_change: 'change',
  operation_refused: 'change',
};

/** The API error; undefined for unexpected errors. Does not handle `preconditionFailed`, whose error contains a record. */
export function operationError(
  operation: Operation,
  { code, message, detail, constraint, existing_id: existingId }: StoredError,
): ApiError | undefined {
  const needed = BODIES[message];
  const fault = needed && needed in operation ? operation[needed as keyof Operation] : undefined;
  if ((fault as unknown) instanceof ApiError) return fault as unknown as ApiError;
  if (constraint === 'leads_tenant_id_email_key') return duplicateLead(existingId);
  if (constraint === 'external_ids_pkey') return duplicateExternalId(existingId);
  const known = asDomainError(
    Object.assign(new Error(message), { code, detail, ...(constraint && { constraint }) }),
  );
  return known instanceof ApiError ? known : undefined;
}
