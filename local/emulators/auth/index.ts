// Emulates the parts of Supabase Auth that supabase-js uses here, on the same tables: inviting and administering users,
// signing in by password and by email, sessions and second factors. It rejects the rest.
import { Hono } from 'hono';
import type postgres from 'postgres';
import { isOneOf } from '../credentials.ts';
import { createAccount } from './account.ts';
import { createAdmin } from './admin.ts';
import type { AuthContext } from './context.ts';
import { createEmailSignIn, createLinks } from './email-sign-in.ts';
import { renderError } from './errors.ts';
import { createFactors } from './factors.ts';
import { createMailer, type Mail } from './mail.ts';
import type { RedirectRule } from './redirects.ts';
import { settings } from './settings.ts';
import { createSignIn } from './sign-in.ts';
import { createAccessTokens } from './tokens.ts';

export interface AuthOptions {
  /** Connection with a role that can write the tables of Auth. */
  sql: postgres.Sql;
  /** Public URL of the gateway, without a trailing slash. Links in emails start with it. */
  publicUrl: string;
  /** Keys with full access. */
  secretKeys: readonly string[];
  /** Keys for user sign-in. */
  publishableKeys: readonly string[];
  /** Verifies tokens with HS256, and signs them if there is no `signingKey`. */
  jwtSecret: string;
  /** Private JWK with a `kid` that signs access tokens with ES256, as JSON text. */
  signingKey?: string;
  /** Which URLs links may lead to. Default: all http(s) URLs. */
  isRedirectAllowed?: RedirectRule;
  /** Receives the emails that Auth would send. */
  onMail(mail: Mail): void | Promise<void>;
}

/** The app to mount under `/auth/v1`. */
export function createAuth(options: AuthOptions): Hono {
  const { sql, publicUrl, secretKeys, jwtSecret, signingKey } = options;
  const issuer = `${publicUrl}/auth/v1`;
  const tokens = createAccessTokens({ issuer, jwtSecret, signingKey });
  const auth: AuthContext = {
    sql,
    siteUrl: publicUrl,
    tokens,
    mailer: createMailer(issuer, (mail) => options.onMail(mail)),
    isRedirectAllowed: options.isRedirectAllowed ?? (() => true),
  };
  const app = new Hono();
  app.onError(renderError);

  app.get('/.well-known/jwks.json', (c) => {
    c.header('Cache-Control', 'public, max-age=600');
    return c.json(tokens.keySet());
  });
  app.route('/', createLinks(auth));

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
  app.get('/settings', (c) => c.json(settings));
  app.route('/', createSignIn(auth));
  app.route('/', createEmailSignIn(auth));
  app.route('/', createAccount(auth));
  app.route('/', createFactors(auth));
  app.route('/', createAdmin(auth, secretKeys));
  return app;
}
