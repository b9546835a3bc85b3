// The `oauth` function: OAuth 2.0 (RFC 6749) for the records interface. It issues and revokes access tokens and publishes the keys
// that verify them.
import {
  createTokenIssuer,
  createTokenVerifier,
  resourceServers,
  type TokenIssuer,
} from '../../shared/platform/access/access-tokens.ts';
import { createAuthTokens } from '../../shared/platform/access/auth-tokens.ts';
import { createClientAuthenticator } from '../../shared/platform/access/oauth-clients.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import { type App, addRoute, appSettings, createApp } from '../../shared/platform/http/app.ts';
import { addOpenApiDocument } from '../../shared/platform/http/openapi-document.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { oauthErrorFormat } from '../../shared/platform/request/error-formats.ts';
import type { EnvOf } from '../manifest.ts';
import { oauthRoutes, serverMetadata } from './metadata.ts';
import { issueToken, type RevocationDependencies, revokeToken, type TokenDependencies } from './token.ts';

const NAME = 'oauth';

export function createService(env: EnvOf<'oauth'>): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const counter = createCounter(env);
  const app = createApp({
    name: NAME,
    errorFormat: oauthErrorFormat,
    schemes: ['Basic'],
    database,
    counter,
    ...appSettings(env),
    log,
  });
  const issuer = createTokenIssuer(env);
  const authenticate = createClientAuthenticator({ database, counter });
  addToken(app, { issuer, authenticate, authTokens: createAuthTokens(env), database, counter });
  addRevocation(app, { verifier: createTokenVerifier(env, ...resourceServers), authenticate, database });
  addKeys(app, issuer);
  addAuthorization(app);
  addMetadata(app, env.FUNCTIONS_URL);
  addOpenApiDocument(app, env, {
    path: `/${NAME}/openapi.json`,
    load: () => import('../../docs/openapi/oauth.json', { with: { type: 'json' } }),
  });
  return app;
}

function addToken(app: App, dependencies: TokenDependencies): void {
  const path = `/${NAME}${oauthRoutes.createToken.path}`;
  app.use(path, async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('Pragma', 'no-cache');
    await next();
  });
  addRoute(app, 'post', path, async (c) => {
    const { requestContext, log } = c.var;
    return c.json(await issueToken(dependencies, { request: c.req.raw, requestContext, log }));
  });
}

function addRevocation(app: App, dependencies: RevocationDependencies): void {
  const path = `/${NAME}${oauthRoutes.revokeToken.path}`;
  addRoute(app, 'post', path, async (c) => {
    const { requestContext, log } = c.var;
    await revokeToken(dependencies, { request: c.req.raw, requestContext, log });
    return c.body(null, 200, { 'Cache-Control': 'no-store' });
  });
}

/** Rejects authorization requests: clients act for themselves, so no user has to consent. */
function addAuthorization(app: App): void {
  const path = `/${NAME}${oauthRoutes.rejectAuthorization.path}`;
  addRoute(app, 'get', path, () => {
    const message =
      'There are no authorization requests. Use the grant client_credentials at the token endpoint.';
    throw new ApiError('unsupported_response_type', message, { reason: 'unsupported_response_type' });
  });
}

/** Serves the metadata at both well-known paths that clients try: the one of RFC 8414 and the one of OpenID Connect. */
function addMetadata(app: App, functionsUrl: string): void {
  const metadata = serverMetadata(functionsUrl);
  for (const { path } of [oauthRoutes.getServerMetadata, oauthRoutes.getOpenIdMetadata]) {
    const full = `/${NAME}${path}`;
    addRoute(app, 'get', full, (c) => c.json(metadata, 200, { 'Cache-Control': 'public, max-age=3600' }));
  }
}

function addKeys(app: App, { publicKeys }: TokenIssuer): void {
  const path = `/${NAME}${oauthRoutes.listKeys.path}`;
  addRoute(app, 'get', path, async (c) => {
    const keys = await publicKeys();
    return c.json({ keys }, 200, { 'Cache-Control': 'public, max-age=3600' });
  });
}
