// Parses the operations of a batch, runs them, and reports the result of each in the names of the variant.

import { type Context, type EndpointResponse, personOf } from '../../shared/platform/access/context.ts';
import { mapInSlices } from '../../shared/platform/cpu-slices.ts';
import { sqlErrorCodes } from '../../shared/platform/db/sql-errors.ts';
import { ApiError, type ErrorDetail, issueDetails, valueOrApiError } from '../../shared/platform/errors.ts';
import { recordsErrorFormat } from '../../shared/platform/request/error-formats.ts';
import { isUuid } from '../../shared/platform/uuid.ts';
import {
  applyBatch,
  type BatchKind,
  type Operation,
  type OperationKey,
  operationError,
  type ParseData,
} from '../../shared/records/batch/batch.ts';
import type { StoredError, StoredOutcome } from '../../shared/records/batch/queries.ts';
import { batchBody, methodOf, operationSchemas } from '../../shared/records/batch/schema.ts';
import { externalIdOfPerson } from '../../shared/records/external-ids.ts';
import type { RecordTypes } from '../../shared/records/variants/variant.ts';
import { checkSameExternalId } from './by-external-id.ts';
import { preconditionFailed, recordMissingForIfMatch } from './conditional.ts';
import { recordNotFound } from './records-endpoint.ts';
import { errorInVariant, type RecordsRequest } from './records-request.ts';

export type BatchResource = 'lead' | 'deal' | 'activity';
type Request = RecordsRequest<string>;

const OPERATION_EXTERNAL_ID = 'the external_id of the operation';

/** The result of an operation. */
type Result = { status: number; data?: object } | { status: number; error: unknown };

/** Runs the operations and responds with their results. Throws `batch_rejected` if an operation of an atomic batch fails. */
export async function runBatch(
  request: Request,
  resource: BatchResource,
  kind: BatchKind,
): Promise<EndpointResponse> {
  const { operations, atomic } = readBatch(request.json);
  const parsed = await mapInSlices(operations, (json) =>
    valueOrApiError(() => readOperation(request, resource, kind, json)),
  );
  const accepted = parsed.filter((operation): operation is Operation => !(operation instanceof ApiError));
  const rejected = accepted.length < parsed.length;

  const results = async (context: Context): Promise<Result[]> => {
    const outcomes = await applyBatch(context, kind, accepted, { atomic, rejected });
    const remaining = outcomes.values();
    return await mapInSlices(parsed, (operation) => {
      if (operation instanceof ApiError) return refusal(request, resource, operation);
      return resultOf(request, resource, context, operation, remaining.next().value ?? {});
    });
  };
  return await request.answer(
    200,
    async (context) => {
      const all = await results(context);
      if (atomic && all.some((result) => 'error' in result)) throw batchRejected(all);
      return all;
    },
    (all) => ({ results: all }),
  );
}

function readBatch(json: Readonly<Record<string, unknown>>): { operations: unknown[]; atomic: boolean } {
  const parsed = batchBody.safeParse(json);
  if (!parsed.success) throw invalid(issueDetails(parsed.error, 'body'));
  return { operations: parsed.data.operations, atomic: parsed.data.atomic ?? false };
}

const invalid = (details: ErrorDetail[]) => new ApiError('validation', 'Fix these fields.', { details });

function readOperation(request: Request, resource: BatchResource, kind: BatchKind, json: unknown): Operation {
  const { method } = parse(methodOf(kind.methods), json);
  if (personOf(request.actor) !== null && hasExternalId(json)) throw externalIdOfPerson();
  const { required } = request.variant.namings[resource];
  const reader =
    (data: Record<string, unknown>, more?: readonly string[]): ParseData =>
    (schema) =>
      request.parse(schema, more, data);
  switch (method) {
    case 'create': {
      const { external_id: externalId, data } = parse(operationSchemas.create, json);
      if (externalId) checkSameExternalId(data, externalId, OPERATION_EXTERNAL_ID);
      const create = kind.create(reader(data, required));
      return { method, create: externalId ? { ...create, external_id: externalId } : create };
    }
    case 'update': {
      const { data, if_match: tags, ...key } = parse(operationSchemas.update, json);
      const change = valueOrApiError(() => kind.change(reader(data)));
      const versions = tags ?? undefined;
      // With If-Match, only the database knows whether the version mismatch takes priority over this error.
      if (change instanceof ApiError && (change.code === 'validation' || versions === undefined))
        throw change;
      return { method, key: keyOf(key), change, versions };
    }
    case 'upsert': {
      const { external_id: externalId, data, if_match: tags } = parse(operationSchemas.upsert, json);
      checkSameExternalId(data, externalId, OPERATION_EXTERNAL_ID);
      const create = valueOrApiError(() => kind.create(reader(data, required)));
      const change = valueOrApiError(() => kind.change(reader(data)));
      return { method, externalId, create, change, versions: tags ?? undefined };
    }
    case 'delete': {
      const { if_match: tags, ...key } = parse(operationSchemas.delete, json);
      return { method, key: keyOf(key), versions: tags ?? undefined };
    }
  }
}

const hasExternalId = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'external_id' in json && typeof json.external_id === 'string';

function parse<
  S extends (typeof operationSchemas)[keyof typeof operationSchemas] | ReturnType<typeof methodOf>,
>(schema: S, json: unknown): NonNullable<ReturnType<S['safeParse']>['data']> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data as NonNullable<ReturnType<S['safeParse']>['data']>;
  throw invalid(issueDetails(parsed.error, 'operation'));
}

interface KeyInput {
  id?: string | null | undefined;
  external_id?: string | null | undefined;
}

/** Throws `not_found` if the id is not a UUID. */
function keyOf({ id, external_id: externalId }: KeyInput): OperationKey {
  if (typeof externalId === 'string') return { external_id: externalId };
  if (typeof id === 'string' && isUuid(id)) return { id };
  throw recordNotFound('id');
}

function resultOf(
  request: Request,
  resource: BatchResource,
  context: Context,
  operation: Operation,
  { made, record, error }: StoredOutcome,
): Result {
  if (error) return refusal(request, resource, errorOf(request, resource, context, operation, error));
  if (!record) return { status: 204 };
  // The database returns records of this resource.
  const data = request.shape(resource, record as RecordTypes[BatchResource]);
  return { status: made ? 201 : 200, data };
}

function errorOf(
  request: Request,
  resource: BatchResource,
  context: Context,
  operation: Operation,
  error: StoredError,
): ApiError {
  if (error.code === sqlErrorCodes.preconditionFailed && resource !== 'activity') {
    if (!error.current) return recordMissingForIfMatch();
    return preconditionFailed(
      context,
      request.variant,
      resource,
      error.current as RecordTypes['lead' | 'deal'],
    );
  }
  const known = operationError(operation, error);
  if (known) return known;
  context.log.error('operation of a batch failed', { code: error.code, error: error.message });
  return new ApiError(
    'server_error',
    `An internal error occurred. If it persists, report it with request ID ${context.requestId}.`,
  );
}

function refusal({ variant }: Request, resource: BatchResource, error: ApiError): Result {
  const named = errorInVariant(variant, resource, error);
  const { status, body } = recordsErrorFormat(named instanceof ApiError ? named : error, {
    requestId: '',
    path: '',
  });
  return { status, error: body.error };
}

function batchRejected(results: readonly Result[]): ApiError {
  const message = 'No operation was applied. Fix the operations that `results` reports as failed.';
  return new ApiError('batch_rejected', message, {
    extra: { results: results.map((result) => ('error' in result ? result : { status: 424 })) },
    reason: 'batch_rejected',
  });
}
