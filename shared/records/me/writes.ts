// Writes what persons may change of themselves.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import type { EntityTags } from '../../platform/entity-tags.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { type MeRecord, selectMe, updateMe } from './queries.ts';
import { userIdOf } from './reads.ts';
import type { MeChange } from './schema.ts';

export { meChange, meChangeBody } from './schema.ts';

/** Updates the members in the request. Throws `not_found`, and the SQL error `preconditionFailed` if no version matches. */
export async function changeMe(
  context: Context,
  change: MeChange,
  versions: EntityTags | undefined,
): Promise<MeRecord> {
  const userId = userIdOf(context);
  const accepted =
    versions === undefined || versions === '*' ? null : versions.map((tag) => tag.split('.')[0] ?? '');
  const { me } = await withDomainErrors(
    context.write((sql) => ({
      update: updateMe(sql, userId, change, accepted),
      me: selectMe(sql, userId),
    })),
  );
  return { ...oneRow(me).record, scopes: context.actor.scopes };
}
