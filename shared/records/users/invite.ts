import { randomUUID } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { columnsOf } from '../../platform/db/json-columns.ts';
import { brokenConstraint } from '../../platform/db/sql-errors.ts';
import { asDomainError, domainError } from '../domain-errors.ts';
import { type InvitationRecord, selectInvitationOfUser } from '../invitations/queries.ts';
import { insertUser, lockUserCount, type UserRecord } from './queries.ts';
import { type NewUser, newUser } from './schema.ts';

const columns = columnsOf(newUser);

/** An e-mail belongs to one user, and to one player. */
const emailConstraints = ['users_tenant_id_email_key', 'users_tenant_id_player_id_key'];

/** An invited user and the invitation. Throws `conflict` for a taken e-mail, `user_limit_reached`, `unprocessable`. */
export async function inviteUser(
  { write, tenantId }: Context,
  input: NewUser,
): Promise<{ user: UserRecord; invitation: InvitationRecord }> {
  const userId = randomUUID();
  const [, users, invitations] = await orTakenEmail(
    write((sql) => [
      lockUserCount(sql, tenantId),
      insertUser(sql, tenantId, userId, columns, input),
      selectInvitationOfUser(sql, tenantId, userId),
    ]),
  );
  return { user: oneRow(users).record, invitation: oneRow(invitations).record };
}

async function orTakenEmail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const taken = emailConstraints.includes(brokenConstraint(error) ?? '');
    throw taken ? domainError('user_exists') : asDomainError(error);
  }
}
