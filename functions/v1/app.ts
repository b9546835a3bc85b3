// Records: leads, deals, stages, users, teams, invitations, activities and webhooks, in three naming variants.
import { createTokenVerifier } from '../../shared/platform/auth/access-tokens.ts';
import { createTokenGuard } from '../../shared/platform/auth/require-token.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import {
  type App,
  addEndpoints,
  createApp,
  type Endpoint,
  type Service,
} from '../../shared/platform/http/app.ts';
import { recordsRendering } from '../../shared/platform/http/error-responses.ts';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createCounter } from '../../shared/platform/limits/rate-limits.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';
import type { DestinationRules } from '../../shared/records/webhooks/operations.ts';
import { createDenoNetwork } from '../../shared/webhooks/network.ts';
import { addAcceptance } from './accept-invitation.ts';
import { activityEndpoints } from './activities.ts';
import { dealEndpoints } from './deals.ts';
import { leadEndpoints } from './leads.ts';
import { teamEndpoints } from './teams.ts';
import { userEndpoints } from './users.ts';
import { webhookEndpoints } from './webhooks.ts';

const RESOLVE_TIMEOUT_MS = 2000;

export type RecordsEnv = Env<'app' | 'database' | 'redis' | 'qstash' | 'oauth' | 'destinations'>;

export function recordsEndpoints(rules: DestinationRules): Endpoint[] {
  return [
    ...leadEndpoints,
    ...dealEndpoints,
    ...activityEndpoints,
    ...userEndpoints,
    ...teamEndpoints,
    ...webhookEndpoints(rules),
  ];
}

export function createService(env: RecordsEnv): App {
  const database = createDatabase(env);
  const counter = createCounter(env);
  const { guard, showLimit } = createTokenGuard({ database, counter, verifier: createTokenVerifier(env) });
  const service: Service = {
    name: 'v1',
    rendering: recordsRendering,
    database,
    queue: createQueue(env),
    environment: env.APP_ENV,
    log: createLogger(env.LOG_LEVEL),
    beforeAnswer: showLimit,
  };
  const network = createDenoNetwork();
  const rules: DestinationRules = {
    allowInsecure: env.ALLOW_INSECURE_WEBHOOKS,
    resolve: (host) => network.resolve(host, AbortSignal.timeout(RESOLVE_TIMEOUT_MS)),
  };
  const app = createApp(service);
  addAcceptance(app, database);
  addEndpoints(app, service, guard, recordsEndpoints(rules));
  return app;
}
