// What a batch and its operations hold around the bodies of records.
import { z } from 'zod';
import { ENTITY_TAGS_RULE, type EntityTags, parseEntityTags } from '../../platform/entity-tags.ts';
import { externalIdText } from '../external-ids.ts';
import { type BatchMethod, batchMethods, MAX_OPERATIONS } from './batch.ts';

const ITEMS_RULE = `must be an array of at most ${MAX_OPERATIONS} operations`;

export const batchBody = z.object({
  operations: z
    .array(z.unknown(), { error: (issue) => (issue.input === undefined ? 'is required' : ITEMS_RULE) })
    .max(MAX_OPERATIONS, { error: ITEMS_RULE }),
  atomic: z.boolean({ error: 'must be true or false' }).nullish(),
});

const ifMatch = z.string({ error: 'must be text' }).transform((text, ctx): EntityTags => {
  const tags = parseEntityTags(text);
  if (tags) return tags;
  ctx.addIssue({ code: 'custom', message: ENTITY_TAGS_RULE });
  return z.NEVER;
});

const data = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object') },
);

const id = z.string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be text') });
const absent = (rule: string) => z.null({ error: rule }).optional();
const ownId = externalIdText.nullish();

/** One by id, or by what the client calls it. */
const keyed = { id: id.nullish(), external_id: ownId, if_match: ifMatch.nullish() };
const hasOneKey = ({ id: one, external_id: other }: { id?: unknown; external_id?: unknown }) =>
  (one ?? undefined) === undefined ? (other ?? undefined) !== undefined : (other ?? undefined) === undefined;
const ONE_KEY = { error: 'is required, or external_id, and not both', path: ['id'] };

/** An operation by its method, but for what `data` holds. */
export const operationSchemas = {
  create: z.object({
    method: z.literal('create'),
    id: absent('must not be given: a new record gets one'),
    external_id: ownId,
    data,
  }),
  update: z.object({ method: z.literal('update'), ...keyed, data }).refine(hasOneKey, ONE_KEY),
  upsert: z.object({
    method: z.literal('upsert'),
    id: absent('must not be given: external_id says which record'),
    external_id: externalIdText,
    if_match: ifMatch.nullish(),
    data,
  }),
  delete: z.object({ method: z.literal('delete'), ...keyed }).refine(hasOneKey, ONE_KEY),
} satisfies Record<BatchMethod, z.ZodType>;

/** The method of an operation, of those that the kind of record takes. */
export const methodOf = (methods: readonly BatchMethod[]) =>
  z.object(
    {
      method: z.enum(batchMethods.filter((one) => methods.includes(one)) as [BatchMethod, ...BatchMethod[]], {
        error: (issue) =>
          issue.input === undefined ? 'is required' : `must be one of ${methods.join(', ')}`,
      }),
    },
    { error: 'must be an object' },
  );
