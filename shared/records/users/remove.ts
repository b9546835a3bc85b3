import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { deactivateUser, deleteUser } from './queries.ts';

/** Deactivates a user, or removes one for good. Deactivating twice changes nothing. Throws `not_found`. */
export async function removeUser(
  { write, tenantId }: Context,
  userId: string,
  { permanent }: { permanent: boolean },
): Promise<void> {
  const remove = permanent ? deleteUser : deactivateUser;
  await withDomainErrors(write((sql) => remove(sql, tenantId, userId)));
}
