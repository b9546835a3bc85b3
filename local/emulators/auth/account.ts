// What signed-in users do with their own account: read it, change the password, sign out.
import { Hono } from 'hono';
import { z } from 'zod';
import { requireUser, type SignedIn } from './authentication.ts';
import type { AuthContext } from './context.ts';
import { AuthError, readBody, validationFailed } from './errors.ts';
import { checkPassword, hashPassword, isPasswordOf } from './passwords.ts';
import { endSessions, type LogoutScope } from './sessions.ts';
import { createUsers, renderUser, type UserRow } from './users.ts';

const Change = z.object({
  email: z.string().optional(),
  password: z.string().optional(),
  data: z.record(z.string(), z.json()).optional(),
});
const scopes: readonly LogoutScope[] = ['global', 'local', 'others'];

/** What a new password ends: links and codes that were sent before. */
const ENDED_BY_PASSWORD = {
  confirmation_token: '',
  confirmation_sent_at: null,
  recovery_token: '',
  recovery_sent_at: null,
};

export function createAccount(auth: AuthContext): Hono<SignedIn> {
  const { sql } = auth;
  const app = new Hono<SignedIn>();

  app.get('/user', requireUser(auth), async (c) => c.json(await renderUser(sql, c.get('user'))));

  app.put('/user', requireUser(auth), async (c) => {
    const { email, password, data } = await readBody(c, Change);
    const user = c.get('user');
    const session = c.get('session');
    if (email && email.toLowerCase() !== user.email) {
      throw new AuthError(422, 'feature_disabled', 'The local stack does not change email addresses here.');
    }
    if (password) await checkChange(auth, user, session.aal, password);
    const hashed = password ? await hashPassword(password) : undefined;
    const row = await sql.begin(async (tx) => {
      if (hashed) {
        await tx`delete from auth.one_time_tokens where user_id = ${user.id}`;
        await endSessions(tx, session, 'others');
      }
      return createUsers(tx).update(user.id, {
        ...(hashed && { encrypted_password: hashed, ...ENDED_BY_PASSWORD }),
        ...(data && { raw_user_meta_data: merge(user.raw_user_meta_data, data) }),
      });
    });
    return c.json(await renderUser(sql, row));
  });

  app.post('/logout', requireUser(auth), async (c) => {
    const given = c.req.query('scope') || 'global';
    const scope = scopes.find((one) => one === given);
    if (!scope) throw validationFailed(`Unsupported logout scope "${given}"`);
    await endSessions(sql, c.get('session'), scope);
    return c.body(null, 204);
  });

  return app;
}

/** Throws 401 `insufficient_aal`, or 422 `weak_password` or `same_password`. */
async function checkChange(
  { sql }: Pick<AuthContext, 'sql'>,
  user: UserRow,
  aal: string | null,
  password: string,
): Promise<void> {
  checkPassword(password);
  const [factor] = await sql`
    select from auth.mfa_factors where user_id = ${user.id} and status = 'verified' limit 1`;
  if (factor && aal !== 'aal2') {
    throw new AuthError(
      401,
      'insufficient_aal',
      'AAL2 session is required to update email or password when MFA is enabled.',
    );
  }
  if (await isPasswordOf(user, password))
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.');
}

type Metadata = NonNullable<UserRow['raw_user_meta_data']>;

/** The metadata with the changed members. Null removes a member. */
export function merge(before: Metadata | null, changes: Metadata): Metadata {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null));
}
