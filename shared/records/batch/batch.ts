// Batches: operations on one kind of record, done in one transaction in the order in which they were sent.
import type { z } from 'zod';
import { type Context, clientOf } from '../../platform/access/context.ts';
import type { JsonColumns } from '../../platform/db/json-columns.ts';
import type { EntityTags } from '../../platform/entity-tags.ts';
import { ApiError } from '../../platform/errors.ts';
import { timesOf } from '../versions.ts';
import { applyOperations, type StoredOperation, type StoredOutcome } from './queries.ts';

export const MAX_OPERATIONS = 500;

export const batchMethods = ['create', 'update', 'upsert', 'delete'] as const;
export type BatchMethod = (typeof batchMethods)[number];

/** Reads the operation's `data` by a schema. Throws 400. */
export type ReadData = <S extends z.ZodObject>(schema: S) => z.output<S>;

/** A body of a new record in stored form, but for its external id, which stands beside. */
export interface NewBody {
  external_id?: string | null | undefined;
  [column: string]: unknown;
}

/** What a kind of record that can be written in batches brings along. */
export interface BatchKind {
  source: 'leads' | 'deals' | 'deal_activities';
  methods: readonly BatchMethod[];
  /** Columns that a new record's body has, and a change's. */
  columns: { created: JsonColumns; changed: JsonColumns };
  create(read: ReadData): NewBody;
  /** Throws 400, and 422 for what the record's state has no part in. */
  change(read: ReadData): object;
}

/** An operation whose members are what they should be. */
export type Operation =
  | { method: 'create'; create: NewBody }
  | { method: 'update'; key: OperationKey; change: object | ApiError; versions: EntityTags | undefined }
  | {
      method: 'upsert';
      externalId: string;
      create: NewBody | ApiError;
      change: object | ApiError;
      versions: EntityTags | undefined;
    }
  | { method: 'delete'; key: OperationKey; versions: EntityTags | undefined };

export type OperationKey = { id: string } | { external_id: string };

/**
 * Does the operations, each as if it had come alone, and gives what came of each. An atomic batch of which one is refused, or was
 * before (`rejected`), does nothing.
 */
export async function applyBatch(
  context: Context,
  kind: BatchKind,
  operations: readonly Operation[],
  options: { atomic: boolean; rejected: boolean },
): Promise<StoredOutcome[]> {
  const clientId = clientOf(context.actor) ?? '';
  const stored = operations.map((operation) => storedForm(operation, clientId));
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
  { external_id: _said, ...body }: NewBody,
  clientId: string,
  externalId: string | null | undefined,
) {
  const ids = externalId ? { [clientId]: [externalId] } : {};
  return { create: { ...body, external_ids: ids }, ...(externalId && { names: externalId }) };
}

function changed(change: object | ApiError) {
  if (change instanceof ApiError) {
    return { change_fault: change.code === 'unprocessable' ? ('refused' as const) : ('invalid' as const) };
  }
  const names = 'external_id' in change && typeof change.external_id === 'string' && change.external_id;
  return { change, ...(names && { names }) };
}

const conditionOf = (versions: EntityTags | undefined) =>
  versions === undefined ? {} : { versions: versions === '*' ? null : timesOf(versions) };
