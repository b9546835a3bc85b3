// What the parts of the emulator share.
import { isIP } from 'node:net';
import type { Context } from 'hono';
import type postgres from 'postgres';
import type { Mailer } from './mail.ts';
import type { RedirectRule } from './redirects.ts';
import type { AccessTokens } from './tokens.ts';

export interface AuthContext {
  /** Connection with a role that can write the tables of Auth. */
  sql: postgres.Sql;
  /** Where links lead that name no allowed URL. */
  siteUrl: string;
  tokens: AccessTokens;
  mailer: Mailer;
  isRedirectAllowed: RedirectRule;
}

/** Where a request came from, as kept with sessions and challenges. */
export interface Origin {
  ip: string;
  userAgent: string | null;
}

/** Behind a server of one's own, `X-Forwarded-For` is its caller's address, as in Auth. */
export function originOf(c: Context): Origin {
  const forwarded = c.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? '';
  return {
    ip: isIP(forwarded) ? forwarded : '127.0.0.1',
    userAgent: c.req.header('user-agent') ?? null,
  };
}
