// The records function: leads, deals, users, teams, gamification, webhooks and others, in three naming variants, and the admin API.
import { createTokenVerifier } from '../../shared/platform/access/access-tokens.ts';
import { createRateLimitCache } from '../../shared/platform/access/rate-limited-session.ts';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { addLimitHeaders, identifyHolder, requireToken } from '../../shared/platform/access/require-token.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { type App, appSettings, createApp, type Service } from '../../shared/platform/http/app.ts';
import { type Endpoints, mountEndpoints } from '../../shared/platform/http/endpoint.ts';
import { mountLazily } from '../../shared/platform/http/lazy-endpoints.ts';
import { addOpenApiDocument } from '../../shared/platform/http/openapi-document.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { recordsErrorFormat } from '../../shared/platform/request/error-formats.ts';
import type { DestinationRules } from '../../shared/webhooks/management/check-url.ts';
import { createDestinationRules } from '../../shared/webhooks/management/destination-rules.ts';
import type { EnvOf } from '../manifest.ts';
import { mountAcceptInvitation } from './accept-invitation.ts';
import { activityEndpoints } from './activities.ts';
import { mountBoard } from './board.ts';
import { dealEndpoints } from './deals.ts';
import { eventEndpoints } from './events.ts';
import { gamificationEndpoints } from './gamification.ts';
import { invitationEndpoints } from './invitations.ts';
import { leadEndpoints } from './leads.ts';
import { meEndpoints } from './me.ts';
import { stageEndpoints } from './stages.ts';
import { teamEndpoints } from './teams.ts';
import { userEndpoints } from './users.ts';
import { webhookEndpoints } from './webhooks.ts';

export const recordsEndpoints = (rules: DestinationRules) =>
  ({
    ...leadEndpoints,
    ...dealEndpoints,
    ...stageEndpoints,
    ...activityEndpoints,
    ...userEndpoints,
    ...gamificationEndpoints,
    ...invitationEndpoints,
    ...teamEndpoints,
    ...webhookEndpoints(rules),
    ...eventEndpoints,
    ...meEndpoints,
  }) satisfies Endpoints;

/** One document per variant. */
const openApiDocuments = [
  { path: '/v1/openapi.json', load: () => import('../../docs/openapi/v1.json', { with: { type: 'json' } }) },
  {
    path: '/v1/openapi-b.json',
    load: () => import('../../docs/openapi/v1-b.json', { with: { type: 'json' } }),
  },
  {
    path: '/v1/openapi-c.json',
    load: () => import('../../docs/openapi/v1-c.json', { with: { type: 'json' } }),
  },
];

export function createService(env: EnvOf<'v1'>): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const tokens = {
    database,
    counter: createCounter(env),
    verifier: createTokenVerifier(env, 'v1'),
    rateLimits: createRateLimitCache(),
  };
  const queue = createQueue(env);
  const service: Service = {
    name: 'v1',
    errorFormat: recordsErrorFormat,
    schemes: ['Bearer'],
    database,
    counter: tokens.counter,
    identify: identifyHolder(tokens.verifier),
    queue,
    ...appSettings(env),
    log,
    responseMiddleware: addLimitHeaders(tokens),
  };
  const app = createApp(service);
  mountAcceptInvitation(app, { database, queue }, env.CONSOLE_URL);
  mountBoard(app, tokens);
  for (const document of openApiDocuments) addOpenApiDocument(app, env, document);
  const guard = requireToken(tokens);
  const destinations = createDestinationRules(env);
  mountEndpoints(app, service, guard, recordsEndpoints(destinations));
  mountLazily(app, service, guard, {
    prefix: '/admin',
    headers: { 'Cache-Control': 'no-store, no-transform', Vary: 'Authorization, X-Api-Variant' },
    async load() {
      const { allEndpoints } = await import('./admin/all.ts');
      return allEndpoints({ destinations, functionsUrl: env.FUNCTIONS_URL });
    },
  });
  return app;
}
