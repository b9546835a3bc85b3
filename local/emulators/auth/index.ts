// The endpoints of Supabase Auth that supabase-js calls, over the same auth.users as on Supabase. No signup: users
// are invited or created by an admin. Sessions are not stored, so signing out ends none.
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { isOneOf, readBearer } from '../api-keys.ts';
import { createAdminRoutes } from './admin.ts';
import { AuthError, parseBody } from './errors.ts';
import { LINK_TYPES, redeemLink } from './links.ts';
import type { AuthOptions } from './options.ts';
import { createSession, hashOtp, readSubject } from './sessions.ts';
import { createUsers, isBanned, toUser, type UserRow } from './users.ts';

export type { AuthOptions } from './options.ts';

const Verification = z
  .object({
    type: z.enum(LINK_TYPES),
    token_hash: z.string().min(1).optional(),
    email: z.string().toLowerCase().optional(),
    token: z.string().min(1).optional(),
  })
  .transform(({ type, token_hash, email, token }) => ({
    type,
    tokenHash: token_hash ?? (email && token ? hashOtp(email, token) : ''),
  }));

const Credentials = z.object({ email: z.string().trim().toLowerCase(), password: z.string() });

/** The app to mount under `/auth/v1`. */
export function createAuth(options: AuthOptions): Hono {
  const { sql, jwtSecret } = options;
  const users = createUsers(sql);
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof AuthError) {
      const body = { code: error.status, error_code: error.errorCode, msg: error.message };
      return c.json(body, error.status);
    }
    if (error instanceof SyntaxError) {
      const msg = 'Could not parse request body as JSON';
      return c.json({ code: 400, error_code: 'bad_json', msg }, 400);
    }
    console.error('Auth failed', error);
    return c.json({ code: 500, error_code: 'unexpected_failure', msg: 'Unexpected failure' }, 500);
  });

  const startSession = async (row: UserRow) => {
    if (isBanned(row)) throw new AuthError(400, 'user_banned', 'User is banned');
    return createSession(row, { jwtSecret, issuer: `${options.publicUrl}/auth/v1` });
  };

  app.get('/health', (c) => c.json({ name: 'GoTrue', description: 'Auth, for local use' }));

  // Comes from a mail, so from a browser that has no key.
  app.get('/verify', async (c) => {
    const redirectTo = readRedirect(c.req.query('redirect_to'));
    try {
      const { type, tokenHash } = parseBody(Verification, {
        ...c.req.query(),
        token_hash: c.req.query('token'),
      });
      const { user: _user, ...session } = await startSession(await redeemLink(sql, type, tokenHash));
      if (!redirectTo) return c.text('Confirmed. You can close this page.');
      return c.redirect(withFragment(redirectTo, { ...session, type }), 303);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      if (!redirectTo) return c.text(error.message, error.status);
      const { errorCode: error_code, message: error_description } = error;
      return c.redirect(
        withFragment(redirectTo, { error: 'access_denied', error_code, error_description }),
        303,
      );
    }
  });

  app.use('*', requireApiKey([...options.secretKeys, ...options.publishableKeys]));

  app.post('/verify', async (c) => {
    const { type, tokenHash } = parseBody(Verification, await c.req.json());
    return c.json(await startSession(await redeemLink(sql, type, tokenHash)));
  });

  app.post('/token', async (c) => {
    const row = await authenticate(c.req.query('grant_type'), await c.req.json());
    const session = await startSession(row);
    await users.update(row.id, { last_sign_in_at: new Date() });
    return c.json(session);
  });

  const authenticate = async (grantType: string | undefined, body: unknown): Promise<UserRow> => {
    if (grantType === 'refresh_token') {
      const { refresh_token } = parseBody(z.object({ refresh_token: z.string() }), body);
      return users.find(await readSubject(refresh_token, 'refresh', jwtSecret));
    }
    if (grantType !== 'password') {
      throw new AuthError(400, 'validation_failed', 'unsupported_grant_type');
    }
    const { email, password } = parseBody(Credentials, body);
    const row = await users.findByPassword(email, password);
    if (!row) throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials');
    if (!row.confirmed_at) throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed');
    return row;
  };

  app.get('/user', async (c) => {
    const id = await readSubject(readBearer(c) ?? '', 'authenticated', jwtSecret);
    return c.json(toUser(await users.find(id)));
  });

  app.post('/logout', (c) => c.body(null, 204));

  app.route('/', createAdminRoutes(options));
  return app;
}

/** What the gateway of Supabase asks of every request: a key that it knows. */
function requireApiKey(keys: readonly string[]): MiddlewareHandler {
  return async function requireApiKeyMiddleware(c, next) {
    const key = c.req.header('apikey') ?? c.req.query('apikey');
    if (!key) return c.json({ message: 'No API key found in request' }, 401);
    if (!isOneOf(keys, key)) return c.json({ message: 'Invalid API key' }, 401);
    await next();
  };
}

function readRedirect(value: string | undefined): URL | undefined {
  const url = value && URL.canParse(value) ? new URL(value) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function withFragment(url: URL, values: Record<string, string | number>): string {
  const fragment = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, `${value}`]));
  return `${new URL(`#${fragment}`, url)}`;
}
