// Access tokens, and the one-time tokens that stand in mailed links.
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { sign, verify } from 'hono/jwt';
import { AuthError } from './errors.ts';
import { toUser, type UserRow } from './users.ts';

/** Seconds that an access token is good for, as on a new Supabase project. */
const ACCESS_TOKEN_SECONDS = 3600;
const REFRESH_TOKEN_SECONDS = 60 * 60 * 24 * 30;

/** Seconds that a mailed link is good for. */
export const LINK_SECONDS = 60 * 60 * 24;

/** What signing in answers; `expires_at` in seconds since 1970. */
export async function createSession(row: UserRow, options: { jwtSecret: string; issuer: string }) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: options.issuer, sub: row.id, iat: now, session_id: randomUUID() };
  const accessClaims = {
    ...claims,
    aud: row.aud,
    exp: now + ACCESS_TOKEN_SECONDS,
    email: row.email ?? '',
    phone: row.phone ?? '',
    app_metadata: row.raw_app_meta_data ?? {},
    user_metadata: row.raw_user_meta_data ?? {},
    role: row.role,
    aal: 'aal1',
    is_anonymous: row.is_anonymous,
  };
  const refreshClaims = { ...claims, aud: 'refresh', exp: now + REFRESH_TOKEN_SECONDS };
  return {
    access_token: await sign(accessClaims, options.jwtSecret, 'HS256'),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: now + ACCESS_TOKEN_SECONDS,
    refresh_token: await sign(refreshClaims, options.jwtSecret, 'HS256'),
    user: toUser(row),
  };
}

/** The id of the user whom a token of {@link createSession} was made for. Throws 403 `bad_jwt`. */
export async function readSubject(
  token: string,
  audience: 'authenticated' | 'refresh',
  jwtSecret: string,
): Promise<string> {
  const claims = await verify(token, jwtSecret, 'HS256').catch(() => undefined);
  if (claims?.aud !== audience || typeof claims.sub !== 'string') {
    throw new AuthError(403, 'bad_jwt', 'invalid JWT: unable to parse or verify signature');
  }
  return claims.sub;
}

/** A code for a person to type, and the token of it that stands in the link and in the database. */
export function createOneTimeToken(email: string): { otp: string; tokenHash: string } {
  const otp = randomInt(1_000_000).toString().padStart(6, '0');
  return { otp, tokenHash: hashOtp(email, otp) };
}

/** The token of a typed code. */
export const hashOtp = (email: string, otp: string) =>
  createHash('sha224')
    .update(email + otp)
    .digest('hex');
