// Refresh tokens are used once. Using one again ends the session, unless the client just did not get the response.
import type postgres from 'postgres';
import type { AuthContext, Origin } from './context.ts';
import { AuthError, validationFailed } from './errors.ts';
import { createRefreshToken, renderSession, type Session, type SessionRow } from './sessions.ts';
import { createUsers, isBanned } from './users.ts';

/** Time in which several requests may use the same token, such as those of several tabs. */
const REUSE_INTERVAL_MS = 10_000;

interface RefreshTokenRow {
  id: string;
  token: string;
  revoked: boolean;
  parent: string | null;
  session_id: string | null;
  updated_at: Date;
}

const invalid = (errorCode: string, reason: string) =>
  new AuthError(400, errorCode, `Invalid Refresh Token: ${reason}`);

/** Replaces a refresh token. Throws 400 if the token or its session is not valid. */
export async function refreshSession(
  { sql, tokens }: Pick<AuthContext, 'sql' | 'tokens'>,
  given: string,
  origin: Origin,
): Promise<Session> {
  if (!/^[a-z0-9]{12}$/.test(given)) throw validationFailed('Refresh token is not valid');
  const session = await sql.begin(async (tx): Promise<Session | undefined> => {
    const { token, session, user } = await readToken(tx, given);
    const next = await replaceToken(tx, token, session);
    if (next === undefined) return undefined;
    await tx`
      update auth.sessions
         set refreshed_at = now() at time zone 'utc', updated_at = now(),
             user_agent = ${origin.userAgent}, ip = ${origin.ip}
       where id = ${session.id}`;
    return renderSession(tx, tokens, user, session.id, next);
  });
  // Thrown here because the revocation must be committed.
  if (!session) throw invalid('refresh_token_already_used', 'Already Used');
  return session;
}

async function readToken(tx: postgres.TransactionSql, given: string) {
  const [token] = await tx<RefreshTokenRow[]>`
    select * from auth.refresh_tokens where token = ${given} for update`;
  if (!token) throw invalid('refresh_token_not_found', 'Refresh Token Not Found');
  const [session] = await tx<SessionRow[]>`
    select * from auth.sessions where id = ${token.session_id} for update`;
  const user = session && (await createUsers(tx).findById(session.user_id));
  if (!session || !user) throw invalid('session_not_found', 'No Valid Session Found');
  if (isBanned(user)) throw invalid('user_banned', 'User Banned');
  if (session.not_after && session.not_after < new Date())
    throw invalid('session_expired', 'Session Expired');
  return { token, session, user };
}

/** The token that replaces this one. Undefined if it was stolen, after revoking all tokens of the session. */
async function replaceToken(
  tx: postgres.TransactionSql,
  token: RefreshTokenRow,
  session: SessionRow,
): Promise<string | undefined> {
  if (token.revoked) {
    const [active] = await tx<RefreshTokenRow[]>`
      select * from auth.refresh_tokens
       where session_id = ${session.id} and not revoked order by id desc limit 1`;
    if (active?.parent === token.token) return active.token;
    if (token.updated_at.getTime() + REUSE_INTERVAL_MS < Date.now()) {
      await tx`
        update auth.refresh_tokens set revoked = true, updated_at = now()
         where session_id = ${session.id} and not revoked`;
      return undefined;
    }
  }
  return swapToken(tx, token.token, session);
}

/** Revokes a token and creates the next one. */
export async function swapToken(
  tx: postgres.TransactionSql,
  token: string,
  session: Pick<SessionRow, 'id' | 'user_id'>,
): Promise<string> {
  await tx`update auth.refresh_tokens set revoked = true, updated_at = now() where token = ${token}`;
  return createRefreshToken(tx, { sessionId: session.id, userId: session.user_id, parent: token });
}
