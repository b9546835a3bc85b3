// Signing in by email: `POST /otp` and `POST /recover` send a link and a code, `/verify` takes them.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { type AuthContext, originOf } from './context.ts';
import { Email } from './email-address.ts';
import { AuthError, readBody, validationFailed } from './errors.ts';
import {
  beginFlow,
  type Challenge,
  challengeMembers,
  checkChallenge,
  issueCode,
  PKCE_PREFIX,
} from './flow-states.ts';
import { sendLink } from './one-time-tokens.ts';
import { redirectTo, withFragment, withQuery } from './redirects.ts';
import { startSession } from './sessions.ts';
import { createUsers, type UserRow } from './users.ts';
import { verifyCode, verifyLink } from './verification.ts';

const Otp = z.object({ email: Email, create_user: z.boolean().default(true), ...challengeMembers });
const Recovery = z.object({ email: Email, ...challengeMembers });
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value || undefined);
const Verification = z.object({
  type: optionalText,
  token: optionalText,
  token_hash: optionalText,
  email: optionalText.pipe(Email.optional()),
});

/** The error of RFC 6749 for each status, as links with an error carry it. */
const redirectErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
};

/** Endpoints that need an API key. */
export function createEmailSignIn(auth: AuthContext): Hono {
  const { sql, tokens } = auth;
  const app = new Hono();
  const targetOf = (c: Context) =>
    redirectTo(c.req.query('redirect_to'), auth.siteUrl, auth.isRedirectAllowed);

  const send = (kind: 'magiclink' | 'recovery', user: UserRow, challenge: Challenge, target: string) =>
    sendLink(auth, async (tx) => {
      await beginFlow(tx, user.id, kind, challenge);
      return { user, kind, pkce: challenge.code_challenge !== undefined, redirectTo: target };
    });

  app.post('/otp', async (c) => {
    const { email, create_user: createUser, ...challenge } = await readBody(c, Otp);
    checkChallenge(challenge);
    const user = await createUsers(sql).findByEmail(email);
    if (!user && !createUser) throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp');
    // Auth signs up unconfirmed users again, too.
    if (!user?.email_confirmed_at) throw signUpDisabled();
    await send('magiclink', user, challenge, targetOf(c));
    return c.json({});
  });

  app.post('/recover', async (c) => {
    const { email, ...challenge } = await readBody(c, Recovery);
    checkChallenge(challenge);
    const user = await createUsers(sql).findByEmail(email);
    // The response does not tell whether the address has an account.
    if (user) await send('recovery', user, challenge, targetOf(c));
    return c.json({});
  });

  app.post('/signup', () => {
    throw signUpDisabled();
  });

  app.post('/verify', async (c) => {
    const { type, token: code, token_hash: tokenHash, email } = await readBody(c, Verification);
    if (!type) throw validationFailed('Verify requires a verification type');
    if (Boolean(code) === Boolean(tokenHash))
      throw validationFailed('Verify requires either a token or a token hash');
    if (code && !email)
      throw validationFailed('Only an email address or phone number should be provided on verify');
    if (tokenHash && email) throw validationFailed('Only the token_hash and type should be provided');
    const session = await sql.begin(async (tx) => {
      const user =
        code && email
          ? await verifyCode(tx, { type, email, code })
          : await verifyLink(tx, { type, tokenHash: tokenHash ?? '' });
      return startSession(tx, tokens, user, { method: 'otp', origin: originOf(c) });
    });
    return c.json(session);
  });

  return app;
}

const signUpDisabled = () => new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance');

/** `GET /verify`, which people open from an email, so without an API key. */
export function createLinks({ sql, tokens, siteUrl, isRedirectAllowed }: AuthContext): Hono {
  const app = new Hono();
  app.get('/verify', async (c) => {
    const { type = '', token: tokenHash = '', redirect_to: link } = c.req.query();
    if (!type) throw validationFailed('Verify requires a verification type');
    if (!tokenHash) throw validationFailed('Verify requires a token or a token hash');
    const target = redirectTo(link, siteUrl, isRedirectAllowed);
    const pkce = tokenHash.startsWith(PKCE_PREFIX);
    try {
      return c.redirect(
        await sql.begin(async (tx) => {
          const user = await verifyLink(tx, { type, tokenHash });
          if (pkce) return withQuery(target, { code: await issueCode(tx, user.id, type) });
          const origin = originOf(c);
          const { user: _, ...session } = await startSession(tx, tokens, user, { method: 'otp', origin });
          return withFragment(target, { ...session, type });
        }),
        303,
      );
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      return c.redirect(errorRedirect(error, target, pkce), 303);
    }
  });
  return app;
}

/** The errors are in the fragment, and for PKCE also in the query. */
function errorRedirect({ status, errorCode, message }: AuthError, target: string, pkce: boolean): string {
  const error = redirectErrors[status];
  const values = { ...(error && { error }), error_code: errorCode, error_description: message };
  return withFragment(pkce ? withQuery(target, values) : target, values);
}
