// Links and codes in emails. A link contains the hash of the address and the code, so each email has one secret.
import { createHash, randomInt, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { AuthContext } from './context.ts';
import { AuthError } from './errors.ts';
import { PKCE_PREFIX } from './flow-states.ts';
import { languageOf, type Mailer, type MailKind } from './mail.ts';
import { createUsers, type UserRow } from './users.ts';

/** Email OTP expiration, as `docs/production.md` tells operators to set it. */
export const LINK_SECONDS = 60 * 60 * 24;
/** `max_frequency` in `supabase/config.toml`. A hosted project allows one email a minute. */
const MIN_INTERVAL_MS = 1000;

const newCode = () => `${randomInt(1_000_000)}`.padStart(6, '0');

/** The hash that a link contains. */
export const hashOf = (email: string, code: string) =>
  createHash('sha224')
    .update(email + code)
    .digest('hex');

interface Sending {
  user: UserRow;
  kind: MailKind;
  /** Whether the program that requested the email uses PKCE. */
  pkce?: boolean;
  redirectTo: string;
}

/**
 * Emails a new link and code, which end earlier ones. The email leaves after the commit, so that its link works at once.
 * `prepare` is in the same transaction. Throws 429 `over_email_send_rate_limit`.
 */
export async function sendLink(
  { sql, mailer }: Pick<AuthContext, 'sql' | 'mailer'>,
  prepare: (tx: postgres.TransactionSql) => Promise<Sending>,
): Promise<UserRow> {
  const { row, link } = await sql.begin(async (tx) => storeLink(tx, await prepare(tx)));
  await mailer(link);
  return row;
}

async function storeLink(
  tx: postgres.TransactionSql,
  { user, kind, pkce = false, redirectTo }: Sending,
): Promise<{ row: UserRow; link: Parameters<Mailer>[0] }> {
  const email = user.email ?? '';
  if (kind !== 'invite') limitFrequency(user.recovery_sent_at);
  const code = newCode();
  const tokenHash = (pkce ? PKCE_PREFIX : '') + hashOf(email, code);
  const now = new Date();
  const change =
    kind === 'invite'
      ? { confirmation_token: tokenHash, confirmation_sent_at: now, invited_at: now }
      : { recovery_token: tokenHash, recovery_sent_at: now };
  const type = kind === 'invite' ? 'confirmation_token' : 'recovery_token';
  await tx`delete from auth.one_time_tokens where user_id = ${user.id} and token_type = ${type}`;
  const token = {
    id: randomUUID(),
    user_id: user.id,
    token_type: type,
    token_hash: tokenHash,
    relates_to: email,
  };
  await tx`insert into auth.one_time_tokens ${tx(token)}`;
  const row = await createUsers(tx).update(user.id, change);
  const language = languageOf(user.raw_user_meta_data);
  return { row, link: { kind, email, code, tokenHash, redirectTo, language } };
}

function limitFrequency(sentAt: Date | null): void {
  const leftMs = sentAt ? sentAt.getTime() + MIN_INTERVAL_MS - Date.now() : 0;
  if (leftMs <= 0) return;
  throw new AuthError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${Math.floor(leftMs / 1000)} seconds.`,
  );
}
