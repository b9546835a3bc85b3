// What OpenAPI says of batches.
import { z } from 'zod';
import type { Operation } from '../../shared/platform/http/openapi.ts';
import { MAX_OPERATIONS } from '../../shared/records/batch/batch.ts';
import { externalId } from '../../shared/records/external-ids.ts';
import { id } from '../../shared/records/fields.ts';
import { type Describe, errorMembers } from './openapi.ts';

const ifMatch = z.string().nullish().describe('As the header `If-Match`.');
const ownId = externalId.describe('What your client calls the record.');
const neededId = z.string().min(1).max(255).describe('What your client calls the record.');

const oneOf = (...statuses: number[]) =>
  z.int().meta({
    ...{ type: 'integer', enum: statuses },
    description: 'What the operation alone would have been answered with.',
  });

interface Batched {
  tag: string;
  /** Of the records, such as `Lead`. */
  name: string;
  records: string;
  create: z.ZodType;
  /** Absent where records are only made. */
  change?: z.ZodType;
  data: z.ZodType;
}

/** Unlike others a batch says in its answer what was refused. */
export function batchOperation(
  describe: Describe,
  { tag, name, records, create, change, data }: Batched,
): Operation {
  const making = z.object({ method: z.literal('create'), external_id: ownId, data: create });
  const keys = { id: id.nullish().describe('This or `external_id`.'), external_id: ownId, if_match: ifMatch };
  const operation = change
    ? z.discriminatedUnion('method', [
        making,
        z.object({ method: z.literal('update'), ...keys, data: change }),
        z.object({
          method: z.literal('upsert'),
          external_id: neededId,
          if_match: ifMatch,
          data: z.union([create, change]),
        }),
        z.object({ method: z.literal('delete'), ...keys }),
      ])
    : making;
  const result = z.union([
    z.object({ status: oneOf(200, 201), data }),
    z.object({ status: oneOf(204) }),
    z.object({ status: oneOf(400, 404, 409, 412, 422, 500), error: z.object(errorMembers) }),
  ]);
  return describe({
    summary: `Write many ${records} at once`,
    description:
      `Up to ${MAX_OPERATIONS} operations, done in their order, each as if it had come alone: one that is refused stops no other. ` +
      'With `atomic` all are done or none: then a refused one is 422 `BATCH_REJECTED`, and `error.results` says which. Counts as one request.',
    tag,
    body: z
      .object({
        operations: z.array(operation.meta({ id: `${name}Operation` })).max(MAX_OPERATIONS),
        atomic: z.boolean().nullish().describe('false when absent.'),
      })
      .meta({ id: `${name}Batch` }),
    data: z.object({ results: z.array(result).describe('In the order of the operations.') }),
    writes: true,
    failures: [422],
  });
}
