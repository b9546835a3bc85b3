import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { brokenConstraint } from '../../platform/db/sql-errors.ts';
import { asDomainError, domainError } from '../domain-errors.ts';
import { givenBy, newExternalIds, writeNamed } from '../external-ids.ts';
import { type InvitationRecord, selectInvitationOfUser } from '../invitations/queries.ts';
import { insertUser, lockUserCount, type UserRecord } from './queries.ts';
import { type NewUser, newUser } from './schema.ts';

export const columns = [...columnsOf(newUser, 'external_id'), 'external_ids'];

/** An e-mail belongs to one user, and to one player. */
const emailConstraints = ['users_tenant_id_email_key', 'users_tenant_id_player_id_key'];

/** An invited user and the invitation. Throws `conflict` for a taken e-mail, `user_limit_reached`, `unprocessable`. */
export async function inviteUser(
  context: Context,
  { external_id: externalId, ...input }: NewUser,
): Promise<{ user: UserRecord; invitation: InvitationRecord }> {
  const { tenantId } = context;
  const userId = randomUUID();
  const given = givenBy(context, externalId);
  const user = { ...input, ...newExternalIds(given) };
  const invited = await orTakenEmail(
    writeNamed(context, 'users', given, (sql) => ({
      lock: lockUserCount(sql, tenantId),
      user: insertUser(sql, tenantId, userId, columns, user),
      invitation: selectInvitationOfUser(sql, tenantId, userId),
    })),
  );
  return { user: oneRow(invited.user).record, invitation: oneRow(invited.invitation).record };
}

export async function orTakenEmail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const taken = emailConstraints.includes(brokenConstraint(error) ?? '');
    throw taken ? domainError('user_exists') : asDomainError(error);
  }
}
