// The `mcp` function: offers a workspace as tools for AI agents through the Model Context Protocol. It runs the operations of the other
// functions in its own process.
import { createTokenVerifier, issuerOf, mcpUrlOf } from '../../shared/platform/access/access-tokens.ts';
import { createRateLimitCache } from '../../shared/platform/access/rate-limited-session.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import {
  addLimitHeaders,
  identifyHolder,
  type TokenOptions,
} from '../../shared/platform/access/require-token.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { ApiError } from '../../shared/platform/errors.ts';
import {
  type App,
  addRoute,
  appSettings,
  createApp,
  rejectOtherMethods,
} from '../../shared/platform/http/app.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import type { EnvOf } from '../manifest.ts';
import { addMessages } from './messages.ts';
import { mcpErrorFormat } from './protocol.ts';

const PATH = '/mcp';
const METADATA_PATH = `${PATH}/.well-known/oauth-protected-resource`;

export function createService(env: EnvOf<'mcp'>): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const tokens: TokenOptions = {
    database,
    counter: createCounter(env),
    verifier: createTokenVerifier(env, 'mcp'),
    rateLimits: createRateLimitCache(),
  };
  const app = createApp({
    name: 'mcp',
    errorFormat: mcpErrorFormat,
    schemes: ['Bearer'],
    challenge: { resource_metadata: `${env.FUNCTIONS_URL}${METADATA_PATH}` },
    database,
    counter: tokens.counter,
    identify: identifyHolder(tokens.verifier),
    ...appSettings(env),
    log,
    responseMiddleware: addLimitHeaders(tokens),
  });
  addOriginCheck(app, env.MCP_ALLOWED_ORIGINS);
  addMetadata(app, env.FUNCTIONS_URL);
  addMessages(app, PATH, tokens, createQueue(env));
  rejectOtherMethods(app, PATH, ['POST']);
  return app;
}

/** Rejects requests of web pages from other origins, because a page could reach a server that is only accessible to its visitor. */
function addOriginCheck(app: App, allowed: readonly string[]): void {
  app.use(PATH, async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined) return await next();
    if (!allowed.includes(origin)) {
      throw new ApiError(
        'origin_not_allowed',
        'Requests of web pages are not allowed. See MCP_ALLOWED_ORIGINS.',
      );
    }
    const { cors } = await import('hono/cors');
    return await cors({
      origin,
      allowMethods: ['POST'],
      exposeHeaders: ['WWW-Authenticate', 'Retry-After', 'X-Request-Id'],
    })(c, next);
  });
}

/** The metadata of RFC 9728. Without `scopes_supported`, because clients would request all of them. */
function addMetadata(app: App, functionsUrl: string): void {
  const metadata = {
    resource: mcpUrlOf(functionsUrl),
    authorization_servers: [issuerOf(functionsUrl)],
    bearer_methods_supported: ['header'],
    resource_name: 'Placar',
  };
  addRoute(app, 'get', METADATA_PATH, (c) =>
    c.json(metadata, 200, { 'Cache-Control': 'public, max-age=3600' }),
  );
}
