// Requests of a signed-in user, with an access token.
import type { MiddlewareHandler } from 'hono';
import { bearerOf } from '../credentials.ts';
import type { AuthContext } from './context.ts';
import { AuthError } from './errors.ts';
import type { SessionRow } from './sessions.ts';
import { createUsers, rejectBanned, type UserRow } from './users.ts';

export interface SignedIn {
  Variables: { user: UserRow; session: SessionRow };
}

/** Throws 401 without a token, and 403 for an invalid one, a session that ended, or a banned user. */
export const requireUser = ({
  sql,
  tokens,
}: Pick<AuthContext, 'sql' | 'tokens'>): MiddlewareHandler<SignedIn> =>
  async function requireSignedInUser(c, next) {
    const token = bearerOf(c.req.header('authorization'));
    if (!token) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
    const { sub, session_id: sessionId } = await tokens.verify(token);
    const user = await createUsers(sql).findById(sub);
    if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist');
    const [session] = await sql<SessionRow[]>`
      select * from auth.sessions where id = ${sessionId ?? null} and user_id = ${user.id}`;
    if (!session) {
      throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist');
    }
    rejectBanned(user);
    c.set('user', user);
    c.set('session', session);
    return next();
  };
