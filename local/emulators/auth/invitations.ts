// Invitations: single-use links that confirm an email address and sign the user in.
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { AuthError, emailExists, linkExpired } from './errors.ts';
import { createUsers, isBanned, type UserRow } from './users.ts';

/** Lifetime of a link. */
const LINK_SECONDS = 60 * 60 * 24;

/**
 * Stores a new token for the address and creates the user if missing. Pending invitations can be repeated. Throws 422
 * `email_exists` for a confirmed user.
 */
export function invite(sql: postgres.Sql, email: string): Promise<{ row: UserRow; tokenHash: string }> {
  return sql.begin(async (tx) => {
    const users = createUsers(tx);
    const existing = await users.findByEmail(email);
    if (existing?.email_confirmed_at) throw emailExists();
    const { id } = existing ?? (await users.create(email));
    const tokenHash = randomBytes(28).toString('hex');
    const now = new Date();
    const row = await users.update(id, {
      confirmation_token: tokenHash,
      confirmation_sent_at: now,
      invited_at: now,
    });
    return { row, tokenHash };
  });
}

/** Consumes a token and confirms the user's address. Throws 403 `otp_expired` or `user_banned`. */
export function acceptInvitation(sql: postgres.Sql, tokenHash: string): Promise<UserRow> {
  return sql.begin(async (tx) => {
    const [row] = await tx<UserRow[]>`
      update auth.users
         set confirmation_token = '',
             email_confirmed_at = coalesce(email_confirmed_at, now()),
             last_sign_in_at = now(),
             updated_at = now()
       where confirmation_token = ${tokenHash}
         and confirmation_token <> ''
         and confirmation_sent_at > now() - make_interval(secs => ${LINK_SECONDS})
      returning *`;
    if (!row) throw linkExpired();
    // The rollback keeps the token valid until the ban ends.
    if (isBanned(row)) throw new AuthError(403, 'user_banned', 'User is banned');
    return row;
  });
}
