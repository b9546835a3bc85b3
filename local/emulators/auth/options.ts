import type postgres from 'postgres';

export interface AuthOptions {
  /** Connected as a role that may write `auth.users`. */
  sql: postgres.Sql;
  /** Where others reach the gateway, without a slash at the end; links in mails start with it. */
  publicUrl: string;
  /** Keys that may call everything. */
  secretKeys: readonly string[];
  /** Keys for what a signed-in or signing-in user calls. */
  publishableKeys: readonly string[];
  /** Signs access tokens, with HS256. */
  jwtSecret: string;
  /** Takes the mails that Auth would send. */
  onMail(mail: { to: string; subject: string; text: string }): void | Promise<void>;
}
