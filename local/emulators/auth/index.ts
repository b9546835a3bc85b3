// Emulates the parts of Supabase Auth that supabase-js uses here, on the same auth.users table: inviting users, accepting
// invitations, banning and deleting users.
import { type Context, Hono } from 'hono';
import type postgres from 'postgres';
import { z } from 'zod';
import { type Language, languages } from '../../../shared/platform/messages/translate.ts';
import { bearerOf, isOneOf } from '../credentials.ts';
import { parseDurationMs } from '../durations.ts';
import { AuthError, parseBody } from './errors.ts';
import { acceptInvitation, invite } from './invitations.ts';
import { createSession } from './sessions.ts';
import { createUsers, toUser } from './users.ts';

export interface AuthOptions {
  /** Connection with a role that can write `auth.users`. */
  sql: postgres.Sql;
  /** Public URL of the gateway, without a trailing slash. Links in emails start with it. */
  publicUrl: string;
  /** Keys with full access. */
  secretKeys: readonly string[];
  /** Keys for user sign-in. */
  publishableKeys: readonly string[];
  /** Signs access tokens with HS256. */
  jwtSecret: string;
  /** Receives the emails that Auth would send. */
  onMail(mail: { to: string[]; subject: string; text: string }): void | Promise<void>;
}

/** The email that Auth sends. In a deployment, its text is a setting of Auth. */
const invitationMail: Record<Language, { subject: string; text: string }> = {
  en: {
    subject: 'You have been invited',
    text: 'You have been invited. Follow this link to accept the invitation:\n\n{link}\n',
  },
  'pt-BR': {
    subject: 'Você recebeu um convite',
    text: 'Você recebeu um convite. Abra este link para aceitar:\n\n{link}\n',
  },
};

const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email('Unable to validate email address: invalid format'));
const Invitation = z.object({
  email: Email,
  data: z.object({ language: z.enum(languages).optional() }).default({}),
});
const Verification = z.object({ type: z.literal('invite'), token_hash: z.string().min(1) });
const Ban = z.object({ ban_duration: z.string() });

/** The app to mount under `/auth/v1`. */
export function createAuth(options: AuthOptions): Hono {
  const { sql, publicUrl, secretKeys, jwtSecret } = options;
  const users = createUsers(sql);
  const app = new Hono();
  app.onError((error, c) => {
    const known = toAuthError(error);
    if (!known) console.error('Auth failed', error);
    const { status, errorCode, message } =
      known ?? new AuthError(500, 'unexpected_failure', 'Unexpected failure');
    return c.json({ code: status, error_code: errorCode, msg: message }, status);
  });

  const verify = async (verification: unknown) => {
    const { token_hash: tokenHash } = parseBody(Verification, verification);
    const row = await acceptInvitation(sql, tokenHash);
    return createSession(row, { jwtSecret, issuer: `${publicUrl}/auth/v1` });
  };

  // Opened from an email in a browser, so without a key.
  app.get('/verify', async (c) => {
    const { type, token, redirect_to: redirectTo = '' } = c.req.query();
    try {
      const { user: _user, ...session } = await verify({ type, token_hash: token });
      return c.redirect(withFragment(redirectTo, { ...session, type: 'invite' }), 303);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      const { errorCode: error_code, message: error_description } = error;
      const failure = { error: 'access_denied', error_code, error_description };
      return c.redirect(withFragment(redirectTo, failure), 303);
    }
  });

  /** The link with a fragment, or the site URL if the link is not http(s). */
  const withFragment = (link: string, values: Record<string, string | number>): string => {
    const base = /^https?:/.test(link) && URL.canParse(link) ? link : publicUrl;
    const fragment = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, `${value}`]));
    return `${new URL(`#${fragment}`, base)}`;
  };

  // The gateway of Supabase requires a known key on each request.
  app.use('*', async function requireApiKey(c, next) {
    const key = c.req.header('apikey');
    if (!key) return c.json({ message: 'No API key found in request' }, 401);
    if (!isOneOf([...secretKeys, ...options.publishableKeys], key)) {
      return c.json({ message: 'Invalid API key' }, 401);
    }
    return next();
  });

  app.get('/health', (c) => c.json({ name: 'GoTrue', description: 'Supabase Auth emulator' }));

  app.post('/verify', async (c) => c.json(await verify(await c.req.json())));

  app.use('*', async function requireSecretKey(c, next) {
    if (!isOneOf(secretKeys, bearerOf(c.req.header('authorization')))) {
      throw new AuthError(403, 'not_admin', 'User not allowed');
    }
    return next();
  });

  app.post('/invite', async (c) => {
    const { email, data } = parseBody(Invitation, await c.req.json());
    const { row, tokenHash } = await invite(sql, email);
    const query = { token: tokenHash, type: 'invite', redirect_to: c.req.query('redirect_to') || publicUrl };
    const link = `${publicUrl}/auth/v1/verify?${new URLSearchParams(query)}`;
    const { subject, text } = invitationMail[data.language ?? 'en'];
    await options.onMail({ to: [email], subject, text: text.replace('{link}', link) });
    return c.json(toUser(row));
  });

  app.put('/admin/users/:id', async (c) => {
    const { ban_duration: duration } = parseBody(Ban, await c.req.json());
    return c.json(toUser(await users.update(userIdOf(c), { banned_until: endOfBan(duration) })));
  });

  app.delete('/admin/users/:id', async (c) => {
    await users.delete(userIdOf(c));
    return c.json({});
  });

  return app;
}

function toAuthError(error: Error): AuthError | undefined {
  if (error instanceof AuthError) return error;
  if (!(error instanceof SyntaxError)) return undefined;
  return new AuthError(400, 'bad_json', 'Could not parse request body as JSON');
}

function userIdOf(c: Context): string {
  const id = z.uuid().safeParse(c.req.param('id'));
  if (!id.success) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID');
  return id.data;
}

/** End of a ban with this duration, such as `876000h`; null for `none`. */
function endOfBan(duration: string): Date | null {
  if (duration === 'none') return null;
  const lengthMs = parseDurationMs(duration);
  if (lengthMs === undefined) {
    throw new AuthError(400, 'validation_failed', `invalid format for ban duration: ${duration}`);
  }
  return new Date(Date.now() + lengthMs);
}
