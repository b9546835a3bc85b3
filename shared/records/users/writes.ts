// Writes users.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/sql.ts';
import { violatedConstraint } from '../../platform/db/sql-errors.ts';
import { asDomainError, domainError, withDomainErrors } from '../domain-errors.ts';
import { newExternalIds, writeWithExternalId } from '../external-ids.ts';
import { type InvitationRecord, selectInvitationOfUser } from '../invitations/queries.ts';
import { foundId, shouldCreate, type Upsert, type Upserted, upsert } from '../upsert.ts';
import {
  deactivateUser,
  deleteUser,
  insertUser,
  lockUserCount,
  type UserRecord,
  updateUser as updateRow,
} from './queries.ts';
import { type NewUser, newUser, type UserChange, userChange } from './schema.ts';

export { newUser, userChange } from './schema.ts';

const newUserColumns = [...columnsOf(newUser, 'external_id'), 'external_ids'];

/** An email address belongs to one user and one player. */
const emailConstraints = ['users_tenant_id_email_key', 'users_tenant_id_player_id_key'];

/** Creates an invited user and the invitation. Throws `conflict` if the email address is taken, `user_limit_reached`, `unprocessable`. */
export async function inviteUser(
  context: Context,
  { external_id: externalId, ...input }: NewUser,
): Promise<{ user: UserRecord; invitation: InvitationRecord }> {
  const { tenantId } = context;
  const userId = randomUUID();
  const invited = await orTakenEmail(
    writeWithExternalId(context, 'users', externalId, (sql, externalIds) => ({
      lock: lockUserCount(sql, tenantId),
      user: insertUser(sql, tenantId, userId, newUserColumns, { ...input, ...newExternalIds(externalIds) }),
      invitation: selectInvitationOfUser(sql, tenantId, userId),
    })),
  );
  return { user: oneRow(invited.user).record, invitation: oneRow(invited.invitation).record };
}

const orTakenEmail = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    const taken = emailConstraints.includes(violatedConstraint(error) ?? '');
    throw taken ? domainError('user_exists') : asDomainError(error);
  });

const userChangeColumns = columnsOf(userChange, 'external_id');

/** Updates the members in the request. Throws `not_found`, `conflict` if the external id is taken, `unprocessable` for an unknown team. */
export async function updateUser(
  context: Context,
  userId: string,
  { external_id: externalId, ...change }: UserChange,
): Promise<UserRecord> {
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'users', externalId, (sql, externalIds) =>
      updateRow(sql, context.tenantId, userId, userChangeColumns, change, externalIds),
    ),
  );
  return oneRow(rows).record;
}

/** Invites or updates the user with an external id. Throws like `inviteUser` and `updateUser`, and `precondition_failed`. */
export function upsertUser(
  context: Context,
  request: Upsert<NewUser, UserChange>,
): Promise<Upserted<UserRecord>> {
  const { tenantId } = context;
  return orTakenEmail(
    upsert<NewUser, UserChange, UserRecord>(context, {
      ...request,
      source: 'users',
      change: (sql, { external_id: _externalId, ...members }, externalIds) =>
        updateRow(sql, tenantId, foundId(sql), userChangeColumns, members, externalIds),
      lock: (sql) => lockUserCount(sql, tenantId, shouldCreate(sql)),
      create(sql, { external_id: _externalId, ...members }, externalIds) {
        const user = { ...members, ...newExternalIds(externalIds) };
        return insertUser(sql, tenantId, randomUUID(), newUserColumns, user, shouldCreate(sql));
      },
    }),
  );
}

/** Deactivates a user, or deletes them permanently. Deactivating is idempotent. Throws `not_found`. */
export async function removeUser(
  { write, tenantId }: Context,
  userId: string,
  { permanent }: { permanent: boolean },
): Promise<void> {
  const remove = permanent ? deleteUser : deactivateUser;
  await withDomainErrors(write((sql) => remove(sql, tenantId, userId)));
}
