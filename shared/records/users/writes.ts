// Writing users; loaded with the first request that needs it, so that a function starts quickly.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { brokenConstraint } from '../../platform/db/sql-errors.ts';
import { asDomainError, domainError, withDomainErrors } from '../domain-errors.ts';
import { externalIdInput, newExternalIds, writeWithExternalId } from '../external-ids.ts';
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

/** An e-mail belongs to one user, and to one player. */
const emailConstraints = ['users_tenant_id_email_key', 'users_tenant_id_player_id_key'];

/** An invited user and the invitation. Throws `conflict` for a taken e-mail, `user_limit_reached`, `unprocessable`. */
export async function inviteUser(
  context: Context,
  { external_id: externalId, ...input }: NewUser,
): Promise<{ user: UserRecord; invitation: InvitationRecord }> {
  const { tenantId } = context;
  const userId = randomUUID();
  const given = externalIdInput(context, externalId);
  const user = { ...input, ...newExternalIds(given) };
  const invited = await orTakenEmail(
    writeWithExternalId(context, 'users', given, (sql) => ({
      lock: lockUserCount(sql, tenantId),
      user: insertUser(sql, tenantId, userId, newUserColumns, user),
      invitation: selectInvitationOfUser(sql, tenantId, userId),
    })),
  );
  return { user: oneRow(invited.user).record, invitation: oneRow(invited.invitation).record };
}

async function orTakenEmail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const taken = emailConstraints.includes(brokenConstraint(error) ?? '');
    throw taken ? domainError('user_exists') : asDomainError(error);
  }
}

const userChangeColumns = columnsOf(userChange, 'external_id');

/** Changes what is given. Throws `not_found`, `conflict` for an external id that is taken, `unprocessable` for a team that is not there. */
export async function updateUser(
  context: Context,
  userId: string,
  { external_id: externalId, ...change }: UserChange,
): Promise<UserRecord> {
  const given = externalIdInput(context, externalId);
  const rows = await withDomainErrors(
    writeWithExternalId(context, 'users', given, (sql) =>
      updateRow(sql, context.tenantId, userId, userChangeColumns, change, given),
    ),
  );
  return oneRow(rows).record;
}

/** Invites the user whom the caller calls so, or changes them. Throws what inviting and changing one do, and `precondition_failed`. */
export function upsertUser(
  context: Context,
  asked: Upsert<NewUser, UserChange>,
): Promise<Upserted<UserRecord>> {
  const { tenantId } = context;
  return orTakenEmail(
    upsert<NewUser, UserChange, UserRecord>(context, {
      ...asked,
      source: 'users',
      change: (sql, { external_id: _same, ...members }, given) =>
        updateRow(sql, tenantId, foundId(sql), userChangeColumns, members, given),
      lock: (sql) => lockUserCount(sql, tenantId, shouldCreate(sql)),
      create(sql, { external_id: _same, ...members }, given) {
        const user = { ...members, ...newExternalIds(given) };
        return insertUser(sql, tenantId, randomUUID(), newUserColumns, user, shouldCreate(sql));
      },
    }),
  );
}

/** Deactivates a user, or removes one for good. Deactivating twice changes nothing. Throws `not_found`. */
export async function removeUser(
  { write, tenantId }: Context,
  userId: string,
  { permanent }: { permanent: boolean },
): Promise<void> {
  const remove = permanent ? deleteUser : deactivateUser;
  await withDomainErrors(write((sql) => remove(sql, tenantId, userId)));
}
