// What somebody has who signed in. Sessions are not stored, and refreshing one is not emulated.
import { randomBytes, randomUUID } from 'node:crypto';
import { sign } from 'hono/jwt';
import { toUser, type UserRow } from './users.ts';

/** Seconds that an access token is good for, as on a new Supabase project. */
const ACCESS_TOKEN_SECONDS = 3600;

/** `expires_at` is in seconds since 1970. */
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
