// Conditional requests of records: entity tags of what is shown, 304 for what the caller has already, 412 for a record that is no
// longer as the caller knows it.
import { type Context, clientOf } from '../../shared/platform/access/context.ts';
import { isSqlError } from '../../shared/platform/db/sql-errors.ts';
import type { EntityTags } from '../../shared/platform/entity-tags.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type RecordTypes, serialize, type Variant } from '../../shared/records/variants/variant.ts';
import { entityTagOf, type VersionedResource, withPrecondition } from '../../shared/records/versions.ts';

/**
 * What an answer with a record depends on beside its address. It is to be sent as it is: whatever compresses an answer weakens
 * its tag.
 */
const ALWAYS = {
  Vary: 'Authorization, X-Api-Variant',
  'Cache-Control': 'private, no-cache, no-transform',
} as const;

type RecordHeaders = Record<'ETag' | keyof typeof ALWAYS, string>;

/** Lists that an answer shows with a record, by name. */
export type Lists = Readonly<Record<string, unknown[]>>;

/**
 * Headers of an answer that shows a record so. One whose lists are empty is the same as one that is shown without them, and one
 * that is shown with its secret, once, as ever after.
 */
export function headersOf<R extends VersionedResource>(
  variant: Variant,
  record: RecordTypes[R],
  { secret: _once, ...shown }: { secret?: unknown },
  lists: Lists = {},
): RecordHeaders {
  const filled = Object.entries(lists).filter(([, entries]) => entries.length > 0);
  return { ETag: `"${entityTagOf(record, [variant.id, shown, ...filled])}"`, ...ALWAYS };
}

/** Whether a caller that has these has what this tag is of. */
export const matchesAny = (tags: EntityTags | undefined, etag: string): boolean =>
  tags !== undefined && (tags === '*' || tags.some((tag) => `"${tag}"` === etag));

/** Reads a record as it is. Throws `not_found`. */
const readers: {
  [R in VersionedResource]: () => Promise<(context: Context, id: string) => Promise<RecordTypes[R]>>;
} = {
  lead: async () => (await import('../../shared/records/leads/reads.ts')).getLead,
  deal: async () => (await import('../../shared/records/deals/reads.ts')).getDeal,
  user: async () => (await import('../../shared/records/users/reads.ts')).getUser,
  team: async () => (await import('../../shared/records/teams/reads.ts')).getTeam,
  webhook: async () => (await import('../../shared/records/webhooks/reads.ts')).getWebhook,
};

/** Does work on the record with this id, which must have one of the versions that these tags name. Throws 412. */
export function ifUnchanged<R extends VersionedResource, T>(
  context: Context,
  variant: Variant,
  { resource, id, tags }: { resource: R; id: string; tags: EntityTags },
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const read = async (present: Context) => await (await readers[resource]())(present, id);
  const refuse = (record: RecordTypes[R]) => preconditionFailed(context, variant, resource, record);
  return withPrecondition<RecordTypes[R], T>(context, { resource, id, tags, read, refuse }, work);
}

/** The 412 that shows the record as it is. */
export function preconditionFailed<R extends VersionedResource>(
  { actor }: Context,
  variant: Variant,
  resource: R,
  record: RecordTypes[R],
): ApiError {
  const current = serialize(variant, resource, record, clientOf(actor));
  return new ApiError(
    'precondition_failed',
    'The record was changed meanwhile: look at `current`, and try again.',
    {
      extra: { current },
      headers: headersOf(variant, record, current),
      reason: 'precondition_failed',
    },
  );
}

/** Waits for work that demands something of a record. Throws 412, with the record that `current` reads where there is one. */
export async function orPreconditionFailed<R extends VersionedResource, T>(
  context: Context,
  variant: Variant,
  resource: R,
  work: Promise<T>,
  current: (context: Context) => Promise<RecordTypes[R]>,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSqlError(error, 'preconditionFailed')) throw error;
    const record = await current(context).catch((missing: unknown) => {
      if (missing instanceof ApiError && missing.code === 'not_found') return undefined;
      throw missing;
    });
    if (record) throw preconditionFailed(context, variant, resource, record);
    throw noPrecondition();
  }
}

/** The 412 where there is no record at all. */
export const noPrecondition = () =>
  new ApiError('precondition_failed', 'There is no such record, and If-Match demands one.', {
    reason: 'precondition_failed',
  });
