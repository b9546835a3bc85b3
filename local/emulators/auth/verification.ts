// Verifying links and codes from emails.

import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { AuthError, linkExpired, validationFailed } from './errors.ts';
import { PKCE_PREFIX } from './flow-states.ts';
import { changeIdentity } from './identities.ts';
import { hashOf, LINK_SECONDS } from './one-time-tokens.ts';
import { hashPassword } from './passwords.ts';
import { createUsers, rejectBanned, type UserRow } from './users.ts';

/** The type that stands for a link or a code of any email. */
const ANY = 'email';

/** Which of a user's two tokens a type means. */
const kinds = {
  invite: 'confirmation',
  signup: 'confirmation',
  magiclink: 'recovery',
  recovery: 'recovery',
} as const;

type Kind = (typeof kinds)[keyof typeof kinds];

/** Throws 400 `validation_failed` for an unknown type. */
function kindsOf(type: string): Kind[] {
  if (type === ANY) return ['confirmation', 'recovery'];
  if (!Object.hasOwn(kinds, type)) throw validationFailed('Invalid email verification type');
  return [kinds[type as keyof typeof kinds]];
}

const sentAtOf = (row: UserRow, kind: Kind) =>
  kind === 'confirmation' ? row.confirmation_sent_at : row.recovery_sent_at;

const tokenOf = (row: UserRow, kind: Kind) =>
  kind === 'confirmation' ? row.confirmation_token : row.recovery_token;

const isCurrent = (sentAt: Date | null) =>
  sentAt !== null && sentAt.getTime() + LINK_SECONDS * 1000 > Date.now();

/** Consumes a link and confirms the user's address. Throws 403 `otp_expired` or `user_banned`. */
export async function verifyLink(
  tx: postgres.TransactionSql,
  { type, tokenHash }: { type: string; tokenHash: string },
): Promise<UserRow> {
  const wanted = kindsOf(type);
  const rows = await tx<UserRow[]>`
    select * from auth.users
     where (confirmation_token = ${tokenHash} or recovery_token = ${tokenHash})
       and not is_sso_user and deleted_at is null
     for update`;
  for (const row of rows) {
    const kind = wanted.find((one) => tokenOf(row, one) === tokenHash);
    if (!kind) continue;
    rejectBanned(row);
    if (!isCurrent(sentAtOf(row, kind))) break;
    return consume(tx, row, kind);
  }
  throw linkExpired();
}

/** Consumes a code that was typed in, with the address. Throws 403 `otp_expired` or `user_banned`. */
export async function verifyCode(
  tx: postgres.TransactionSql,
  { type, email, code }: { type: string; email: string; code: string },
): Promise<UserRow> {
  const wanted = kindsOf(type);
  const [row] = await tx<UserRow[]>`
    select * from auth.users
     where email = ${email} and not is_sso_user and deleted_at is null for update`;
  const expired = () => new AuthError(403, 'otp_expired', 'Token has expired or is invalid');
  if (!row) throw expired();
  rejectBanned(row);
  const hash = hashOf(email, code);
  const kind = wanted.find(
    (one) => isCurrent(sentAtOf(row, one)) && [hash, PKCE_PREFIX + hash].includes(tokenOf(row, one) ?? ''),
  );
  if (!kind) throw expired();
  return consume(tx, row, kind);
}

async function consume(tx: postgres.TransactionSql, row: UserRow, kind: Kind): Promise<UserRow> {
  const users = createUsers(tx);
  if (kind === 'recovery') {
    await tx`delete from auth.one_time_tokens where user_id = ${row.id}`;
    const user = await users.update(row.id, { recovery_token: '' });
    return user.email_confirmed_at ? user : users.confirm(user);
  }
  // As in Auth, people who accept an invitation have a password that nobody knows until they choose one.
  if (!row.encrypted_password && row.invited_at)
    await users.update(row.id, { encrypted_password: await hashPassword(randomBytes(24).toString('hex')) });
  await changeIdentity(tx, row.id, { email_verified: true });
  return users.confirm(row);
}
