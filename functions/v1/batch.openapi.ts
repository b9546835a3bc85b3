// OpenAPI descriptions of batches.
import { z } from 'zod';
import { MAX_OPERATIONS } from '../../shared/records/batch/batch.ts';
import { externalId } from '../../shared/records/external-ids.ts';
import { id } from '../../shared/records/fields.ts';
import type { Untagged } from './openapi.ts';
import { errorMembers } from './responses.openapi.ts';

const ifMatch = z.string().nullish().describe('Works like the header `If-Match`.');
const optionalExternalId = externalId.describe("Your client's id for the record.");
const requiredExternalId = z.string().min(1).max(255).describe("Your client's id for the record.");

const oneOf = (...statuses: number[]) =>
  z.int().meta({
    ...{ type: 'integer', enum: statuses },
    description: 'The status that a separate request would have returned.',
  });

interface Batched {
  /** Schema name of the record, such as `Lead`. */
  name: string;
  records: string;
  create: z.ZodType;
  /** Absent if records can only be created. */
  change?: z.ZodType;
  data: z.ZodType;
}

/** Errors of single operations are part of the 200 response. */
export function batchDescription({ name, records, create, change, data }: Batched): Untagged {
  const creation = z.object({ method: z.literal('create'), external_id: optionalExternalId, data: create });
  const keys = {
    id: id.nullish().describe('Required unless `external_id` is set.'),
    external_id: optionalExternalId,
    if_match: ifMatch,
  };
  const operation = change
    ? z.discriminatedUnion('method', [
        creation,
        z.object({ method: z.literal('update'), ...keys, data: change }),
        z.object({
          method: z.literal('upsert'),
          external_id: requiredExternalId,
          if_match: ifMatch,
          data: z.union([create, change]),
        }),
        z.object({ method: z.literal('delete'), ...keys }),
      ])
    : creation;
  const result = z.union([
    z.object({ status: oneOf(200, 201), data }),
    z.object({ status: oneOf(204) }),
    z.object({ status: oneOf(400, 404, 409, 412, 422, 500), error: z.object(errorMembers) }),
  ]);
  return {
    summary: `Write ${records} in a batch`,
    description:
      `Runs up to ${MAX_OPERATIONS} operations in order, each like a separate request: a rejected operation does not stop the others. ` +
      'With `atomic`, either all succeed or none is applied: a rejected operation causes a 422 `BATCH_REJECTED` with `error.results`. ' +
      'A batch counts as one request.',
    body: z
      .object({
        operations: z.array(operation.meta({ id: `${name}Operation` })).max(MAX_OPERATIONS),
        atomic: z.boolean().nullish().describe('Default: false.'),
      })
      .meta({ id: `${name}Batch` }),
    data: z.object({ results: z.array(result).describe('In the order of the operations.') }),
    failures: [422],
  };
}
