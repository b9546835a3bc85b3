// `POST /token`: signing in with a password, a refresh token, or a code (PKCE).
import { Hono } from 'hono';
import { z } from 'zod';
import { type AuthContext, originOf } from './context.ts';
import { AuthError, readBody, userNotFound, validationFailed } from './errors.ts';
import { redeemCode } from './flow-states.ts';
import { isPasswordOf } from './passwords.ts';
import { refreshSession } from './refresh.ts';
import { startSession } from './sessions.ts';
import { createUsers, rejectBanned, type UserRow } from './users.ts';

const Text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const Password = z.object({ email: Text, password: Text });
const Refresh = z.object({ refresh_token: Text });
const Code = z.object({ auth_code: Text, code_verifier: Text });

export function createSignIn(auth: AuthContext): Hono {
  const { sql, tokens } = auth;
  const app = new Hono();

  app.post('/token', async (c) => {
    const origin = originOf(c);
    switch (c.req.query('grant_type')) {
      case 'password': {
        const { email, password } = await readBody(c, Password);
        if (!email) throw validationFailed('missing email or phone');
        const user = await checkCredentials(auth, email.toLowerCase(), password);
        return c.json(
          await sql.begin((tx) => startSession(tx, tokens, user, { method: 'password', origin })),
        );
      }
      case 'refresh_token': {
        const { refresh_token: token } = await readBody(c, Refresh);
        return c.json(await refreshSession(auth, token, origin));
      }
      case 'pkce': {
        const { auth_code: code, code_verifier: verifier } = await readBody(c, Code);
        if (!code || !verifier) {
          throw validationFailed('invalid request: both auth code and code verifier should be non-empty');
        }
        const session = await sql.begin(async (tx) => {
          const { userId, method } = await redeemCode(tx, code, verifier);
          const user = await createUsers(tx).findById(userId);
          if (!user) throw userNotFound();
          return startSession(tx, tokens, user, { method, origin });
        });
        return c.json(session);
      }
      default:
        throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type');
    }
  });

  return app;
}

/** Throws 400 `invalid_credentials`, `user_banned` or `email_not_confirmed`. */
async function checkCredentials(
  { sql }: Pick<AuthContext, 'sql'>,
  email: string,
  password: string,
): Promise<UserRow> {
  const invalid = () => new AuthError(400, 'invalid_credentials', 'Invalid login credentials');
  const user = await createUsers(sql).findByEmail(email);
  if (!user?.encrypted_password) throw invalid();
  rejectBanned(user, 400);
  if (!(await isPasswordOf(user, password))) throw invalid();
  if (!user.email_confirmed_at) throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed');
  return user;
}
