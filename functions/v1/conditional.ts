// If-Match of records: 412 if the record has changed since the caller read it.
import { type Context, clientOf } from '../../shared/platform/access/context.ts';
import { isSqlError } from '../../shared/platform/db/sql-errors.ts';
import type { EntityTags } from '../../shared/platform/entity-tags.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import type { RecordTypes, Variant } from '../../shared/records/variants/variant.ts';
import { serialize } from '../../shared/records/variants/variants.ts';
import {
  headersOf,
  recordChanged,
  type VersionedResource,
  withPrecondition,
} from '../../shared/records/versions.ts';

/** Functions that read the current record. They throw `not_found`. */
const readers: {
  [R in VersionedResource]: () => Promise<(context: Context, id: string) => Promise<RecordTypes[R]>>;
} = {
  lead: async () => (await import('../../shared/records/leads/reads.ts')).getLead,
  deal: async () => (await import('../../shared/records/deals/reads.ts')).getDeal,
  user: async () => (await import('../../shared/records/users/reads.ts')).getUser,
  team: async () => (await import('../../shared/records/teams/reads.ts')).getTeam,
  webhook: async () => (await import('../../shared/records/webhooks/reads.ts')).getWebhook,
  me: async () => (await import('../../shared/records/me/reads.ts')).getMe,
};

/** Runs work on the record with this id if its version matches one of the tags. Throws `precondition_failed`. */
export function ifUnchanged<R extends VersionedResource, T>(
  context: Context,
  variant: Variant,
  { resource, id, tags }: { resource: R; id: string; tags: EntityTags },
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const read = async (readContext: Context) => await (await readers[resource]())(readContext, id);
  const refuse = (record: RecordTypes[R]) => preconditionFailed(context, variant, resource, record);
  return withPrecondition<RecordTypes[R], T>(context, { resource, id, tags, read, refuse }, work);
}

/** The 412 error with the current record. */
export function preconditionFailed<R extends VersionedResource>(
  { actor }: Context,
  variant: Variant,
  resource: R,
  record: RecordTypes[R],
): ApiError {
  const current = serialize(variant, resource, record, clientOf(actor));
  return recordChanged(current, headersOf(variant.id, record, current));
}

/** Awaits work with a precondition. Throws `precondition_failed`, with the record that `current` reads if it exists. */
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
    throw recordMissingForIfMatch();
  }
}

/** The 412 error if the record does not exist. */
export const recordMissingForIfMatch = () =>
  new ApiError('precondition_failed', 'The record does not exist, but If-Match requires it.', {
    reason: 'precondition_failed',
  });
