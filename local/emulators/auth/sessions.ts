// Sessions: created at sign-in, with a refresh token and an access token. Deleting one ends both.
import { randomInt, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import type { AuthContext, Origin } from './context.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from './tokens.ts';
import { createUsers, renderUser, type UserRow } from './users.ts';

export interface SessionRow {
  id: string;
  user_id: string;
  aal: 'aal1' | 'aal2' | 'aal3' | null;
  not_after: Date | null;
}

interface AuthenticationMethod {
  method: string;
  /** Unix time in seconds. */
  timestamp: number;
}

const REFRESH_TOKEN_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const newRefreshToken = () =>
  Array.from({ length: 12 }, () => REFRESH_TOKEN_CHARACTERS[randomInt(36)]).join('');

/** Starts a session after the user signed in with this method, such as `password`. */
export async function startSession(
  tx: postgres.TransactionSql,
  tokens: AccessTokens,
  user: UserRow,
  { method, origin }: { method: string; origin: Origin },
) {
  const now = new Date();
  const session = {
    id: randomUUID(),
    user_id: user.id,
    aal: 'aal1',
    created_at: now,
    updated_at: now,
    ip: origin.ip,
    user_agent: origin.userAgent,
  };
  await tx`insert into auth.sessions ${tx(session)}`;
  await addMethod(tx, session.id, method);
  const refreshToken = await createRefreshToken(tx, { sessionId: session.id, userId: user.id });
  const row = await createUsers(tx).update(user.id, { last_sign_in_at: now });
  await tx`update auth.identities set last_sign_in_at = ${now} where user_id = ${user.id} and provider = 'email'`;
  return renderSession(tx, tokens, row, session.id, refreshToken);
}

export type Session = Awaited<ReturnType<typeof renderSession>>;

/** The response with the tokens of a session. `expires_at` is a Unix time in seconds. */
export async function renderSession(
  tx: postgres.TransactionSql,
  tokens: AccessTokens,
  user: UserRow,
  sessionId: string,
  refreshToken: string,
) {
  const amr = await methodsOf(tx, sessionId);
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + ACCESS_TOKEN_SECONDS;
  const accessToken = await tokens.sign({
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: now,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role,
    aal: amr.some(({ method }) => method === 'totp') ? 'aal2' : 'aal1',
    amr,
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
  });
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: await renderUser(tx, user),
  };
}

/** Records how the person of a session signed in. */
export async function addMethod(
  tx: postgres.TransactionSql,
  sessionId: string,
  method: string,
): Promise<void> {
  const now = new Date();
  const claim = {
    id: randomUUID(),
    session_id: sessionId,
    created_at: now,
    updated_at: now,
    authentication_method: method,
  };
  await tx`
    insert into auth.mfa_amr_claims ${tx(claim)}
    on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
    do update set updated_at = excluded.updated_at`;
}

/** How the person of a session signed in, latest first. */
async function methodsOf(tx: postgres.TransactionSql, sessionId: string): Promise<AuthenticationMethod[]> {
  const rows = await tx<AuthenticationMethod[]>`
    select authentication_method as method, extract(epoch from updated_at)::int as timestamp
      from auth.mfa_amr_claims where session_id = ${sessionId} order by updated_at desc`;
  return [...rows];
}

/** Stores a new refresh token of a session. `parent` is the token that it replaces. */
export async function createRefreshToken(
  tx: postgres.TransactionSql,
  { sessionId, userId, parent = '' }: { sessionId: string; userId: string; parent?: string },
): Promise<string> {
  const now = new Date();
  const row = {
    instance_id: '00000000-0000-0000-0000-000000000000',
    token: newRefreshToken(),
    user_id: userId,
    revoked: false,
    created_at: now,
    updated_at: now,
    parent,
    session_id: sessionId,
  };
  await tx`insert into auth.refresh_tokens ${tx(row)}`;
  return row.token;
}

export type LogoutScope = 'local' | 'global' | 'others';

/** Ends sessions: this one, all of the user, or all except this one. */
export async function endSessions(
  sql: AuthContext['sql'] | postgres.TransactionSql,
  { id, user_id: userId }: Pick<SessionRow, 'id' | 'user_id'>,
  scope: LogoutScope,
): Promise<void> {
  await sql`
    delete from auth.sessions
     where user_id = ${userId}
       and (${scope === 'global'} or (id = ${id}) = ${scope === 'local'})`;
}
