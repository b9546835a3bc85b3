// Schemas of batches and their operations, without the `data` of each operation.
import { z } from 'zod';
import { ENTITY_TAGS_RULE, type EntityTags, parseEntityTags } from '../../platform/entity-tags.ts';
import { evenIfInvalid, plainObject, required } from '../../platform/validation.ts';
import { externalIdText } from '../external-ids.ts';
import { type BatchMethod, batchMethods, MAX_OPERATIONS } from './batch.ts';

const ITEMS_RULE = `must be an array of at most ${MAX_OPERATIONS} operations`;

export const batchBody = z.object({
  operations: z
    .array(z.unknown(), { error: required(ITEMS_RULE) })
    .max(MAX_OPERATIONS, { error: ITEMS_RULE }),
  atomic: z.boolean({ error: 'must be true or false' }).nullish(),
});

const ifMatch = z.string({ error: 'must be text' }).transform((text, ctx): EntityTags => {
  const tags = parseEntityTags(text);
  if (tags) return tags;
  ctx.addIssue({ code: 'custom', message: ENTITY_TAGS_RULE });
  return z.NEVER;
});

const data = plainObject<Record<string, unknown>>(required('must be an object'), { abort: false });

const id = z.string({ error: required('must be text') });
const absent = (rule: string) => z.null({ error: rule }).optional();
const ownId = externalIdText.nullish();

/** Identifies the record by id or by the client's external id. */
const keyed = { id: id.nullish(), external_id: ownId, if_match: ifMatch.nullish() };
const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const hasOneKey = ({ id, external_id: externalId }: { id?: unknown; external_id?: unknown }) =>
  isPresent(id) !== isPresent(externalId);
const ONE_KEY = { error: 'or external_id is required, but not both', path: ['id'], ...evenIfInvalid };

/** The schema of an operation by its method; `data` is parsed separately. */
export const operationSchemas = {
  create: z.object({
    method: z.literal('create'),
    id: absent('must not be sent: the id is generated'),
    external_id: ownId,
    data,
  }),
  update: z.object({ method: z.literal('update'), ...keyed, data }).refine(hasOneKey, ONE_KEY),
  upsert: z.object({
    method: z.literal('upsert'),
    id: absent('must not be sent: external_id identifies the record'),
    external_id: externalIdText,
    if_match: ifMatch.nullish(),
    data,
  }),
  delete: z.object({ method: z.literal('delete'), ...keyed }).refine(hasOneKey, ONE_KEY),
} satisfies Record<BatchMethod, z.ZodType>;

/** The schema of `method`, limited to the methods that the kind of record supports. */
export const methodOf = (methods: readonly BatchMethod[]) =>
  z.object(
    {
      method: z.enum(
        batchMethods.filter((method) => methods.includes(method)) as [BatchMethod, ...BatchMethod[]],
        {
          error: required(`must be one of ${methods.join(', ')}`),
        },
      ),
    },
    { error: 'must be an object' },
  );
