// Sessions after sign-in. They are not stored, and refresh tokens are not emulated.
import { randomBytes, randomUUID } from 'node:crypto';
import { sign } from 'hono/jwt';
import { toUser, type UserRow } from './users.ts';

/** Lifetime of an access token, the default of new Supabase projects. */
const ACCESS_TOKEN_SECONDS = 3600;

/** `expires_at` is a Unix time in seconds. */
export async function createSession(row: UserRow, options: { jwtSecret: string; issuer: string }) {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: options.issuer,
    sub: row.id,
    aud: row.aud,
    iat: now,
    exp: now + ACCESS_TOKEN_SECONDS,
    session_id: randomUUID(),
    email: row.email ?? '',
    role: row.role,
    aal: 'aal1',
  };
  return {
    access_token: await sign(claims, options.jwtSecret, 'HS256'),
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: now + ACCESS_TOKEN_SECONDS,
    refresh_token: randomBytes(9).toString('base64url'),
    user: toUser(row),
  };
}
