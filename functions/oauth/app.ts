// OAuth 2.0 (RFC 6749) for the records interface: clients get access tokens, and anybody the keys that check them.
import { createTokenIssuer } from '../../shared/platform/auth/access-tokens.ts';
import { createClientAuthenticator } from '../../shared/platform/auth/oauth-clients.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, createApp, type Endpoint, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import { oauthRendering } from '../../shared/platform/http/error-responses.ts';
import { createCounter } from '../../shared/platform/limits/rate-limits.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';
import { createTokenHandler, type TokenDependencies } from './token.ts';

const NAME = 'oauth';

/** What OpenAPI lists. Both authenticate nobody by API key, so neither is an endpoint like those of other functions. */
export const oauthRoutes = {
  token: { method: 'post', path: '/token', docs: async () => (await import('./oauth.openapi.ts')).tokenDocs },
  keys: {
    method: 'get',
    path: '/.well-known/jwks.json',
    docs: async () => (await import('./oauth.openapi.ts')).keysDocs,
  },
} as const satisfies Record<string, Pick<Endpoint, 'method' | 'path' | 'docs'>>;

export function createService(env: Env<'app' | 'database' | 'redis' | 'oauth'>): App {
  const database = createDatabase(env);
  const log = createLogger(env.LOG_LEVEL);
  const app = createApp({
    name: NAME,
    rendering: oauthRendering,
    database,
    environment: env.APP_ENV,
    log,
  });
  const issuer = createTokenIssuer(env);
  const authenticate = createClientAuthenticator({ database, counter: createCounter(env) });
  addToken(app, { issuer, authenticate, log });
  addKeys(app, issuer);
  return app;
}

function addToken(app: App, dependencies: TokenDependencies): void {
  const path = `/${NAME}${oauthRoutes.token.path}`;
  const handle = createTokenHandler(dependencies);
  app.use(path, async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('Pragma', 'no-cache');
    await next();
  });
  app.post(path, async (c) => {
    try {
      return c.json(await handle(c.get('call'), c.req.raw));
    } catch (error) {
      // Who tried the header is told of its scheme (RFC 6749, section 5.2).
      const refused = error instanceof ApiError && error.code === 'unauthorized';
      if (refused && c.req.header('authorization') !== undefined) {
        c.header('WWW-Authenticate', 'Basic realm="placar"');
      }
      throw error;
    }
  });
  refuseOtherMethods(app, path, ['POST']);
}

function addKeys(app: App, { publicKeys }: TokenDependencies['issuer']): void {
  const path = `/${NAME}${oauthRoutes.keys.path}`;
  app.get(path, async (c) => {
    const keys = await publicKeys();
    return c.json({ keys }, 200, { 'Cache-Control': 'public, max-age=3600' });
  });
  refuseOtherMethods(app, path, ['GET', 'HEAD']);
}
