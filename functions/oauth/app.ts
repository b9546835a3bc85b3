// OAuth 2.0 (RFC 6749) for the records interface: clients get access tokens, and anybody the keys that check them.
import { createTokenIssuer, type TokenIssuer } from '../../shared/platform/auth/access-tokens.ts';
import { createClientAuthenticator } from '../../shared/platform/auth/oauth-clients.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { type App, appSettings, createApp, refuseOtherMethods } from '../../shared/platform/http/app.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import { oauthErrorFormat } from '../../shared/platform/http/error-formats.ts';
import { createCounter } from '../../shared/platform/limits/request-counter.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';
import type { EnvOf } from '../manifest.ts';
import { issueToken, type TokenDependencies } from './token.ts';

const NAME = 'oauth';

/** What OpenAPI lists. Neither takes an API key or an access token, so neither is an endpoint like those of other functions. */
export const oauthRoutes = {
  createToken: { method: 'post', path: '/token' },
  listKeys: { method: 'get', path: '/.well-known/jwks.json' },
} as const satisfies Record<string, Pick<Endpoint, 'method' | 'path'>>;

export function createService(env: EnvOf<'oauth'>): App {
  const database = createDatabase(env);
  const counter = createCounter(env);
  const app = createApp({
    name: NAME,
    errorFormat: oauthErrorFormat,
    schemes: ['Basic'],
    database,
    counter,
    ...appSettings(env),
    log: createLogger(env.LOG_LEVEL),
  });
  const issuer = createTokenIssuer(env);
  const authenticate = createClientAuthenticator({ database, counter });
  addToken(app, { issuer, authenticate });
  addKeys(app, issuer);
  return app;
}

function addToken(app: App, dependencies: TokenDependencies): void {
  const path = `/${NAME}${oauthRoutes.createToken.path}`;
  app.use(path, async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('Pragma', 'no-cache');
    await next();
  });
  app.post(path, async (c) => {
    const { requestContext, log } = c.var;
    return c.json(await issueToken(dependencies, { request: c.req.raw, requestContext, log }));
  });
  refuseOtherMethods(app, path, ['POST']);
}

function addKeys(app: App, { publicKeys }: TokenIssuer): void {
  const path = `/${NAME}${oauthRoutes.listKeys.path}`;
  app.get(path, async (c) => {
    const keys = await publicKeys();
    return c.json({ keys }, 200, { 'Cache-Control': 'public, max-age=3600' });
  });
  refuseOtherMethods(app, path, ['GET', 'HEAD']);
}
