// Links that confirm an address or sign a user in, each of them once.
import type postgres from 'postgres';
import { AuthError, emailExists, linkExpired } from './errors.ts';
import { createOneTimeToken, LINK_SECONDS } from './sessions.ts';
import { createUsers, isBanned, type Metadata, type UserRow } from './users.ts';

export const LINK_TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email'] as const;
export type LinkType = (typeof LINK_TYPES)[number];

/** Where the token of a type is kept; `email` takes whichever of them it is. */
const TOKENS: Record<LinkType, readonly ('confirmation' | 'recovery')[]> = {
  signup: ['confirmation'],
  invite: ['confirmation'],
  magiclink: ['recovery'],
  recovery: ['recovery'],
  email: ['confirmation', 'recovery'],
};

export interface LinkRequest {
  type: Exclude<LinkType, 'email'>;
  email: string;
  password?: string | undefined;
  data?: Metadata | undefined;
}

export interface IssuedLink {
  row: UserRow;
  type: LinkType;
  otp: string;
  tokenHash: string;
}

/**
 * Stores a new token for the user, who is created for an invitation, a signup or a magic link. An invitation that
 * is not accepted yet can be repeated. Throws 422 `email_exists` for a confirmed user, 404 `user_not_found`.
 */
export function issueLink(sql: postgres.Sql, request: LinkRequest): Promise<IssuedLink> {
  return sql.begin(async (tx) => {
    const users = createUsers(tx);
    const existing = await users.findByEmail(request.email);
    if (!existing && request.type === 'recovery') {
      throw new AuthError(404, 'user_not_found', 'User with this email not found');
    }
    const type = !existing && request.type === 'magiclink' ? 'signup' : request.type;
    const confirms = type === 'invite' || type === 'signup';
    if (confirms && existing?.email_confirmed_at) throw emailExists();
    const { email, password, data } = request;
    const { id } = existing ?? (await users.create({ email, password, raw_user_meta_data: data ?? {} }));

    const { otp, tokenHash } = createOneTimeToken(email);
    const now = new Date();
    const row = await users.update(id, {
      ...(confirms
        ? { confirmation_token: tokenHash, confirmation_sent_at: now }
        : { recovery_token: tokenHash, recovery_sent_at: now }),
      ...(type === 'invite' ? { invited_at: now } : {}),
    });
    return { row, type, otp, tokenHash };
  });
}

/** Uses a token up and confirms its user's address. Throws 403 `otp_expired` or `user_banned`. */
export function redeemLink(sql: postgres.Sql, type: LinkType, tokenHash: string): Promise<UserRow> {
  return sql.begin(async (tx) => {
    for (const kind of TOKENS[type]) {
      const token = tx(`${kind}_token`);
      const [row] = await tx<UserRow[]>`
        update auth.users
           set ${token} = '',
               email_confirmed_at = coalesce(email_confirmed_at, now()),
               last_sign_in_at = now(),
               updated_at = now()
         where ${token} = ${tokenHash}
           and ${token} <> ''
           and ${tx(`${kind}_sent_at`)} > now() - make_interval(secs => ${LINK_SECONDS})
           and deleted_at is null
        returning *`;
      // Throwing rolls back, so the token is still good when the ban ends.
      if (row && isBanned(row)) throw new AuthError(403, 'user_banned', 'User is banned');
      if (row) return row;
    }
    throw linkExpired();
  });
}
