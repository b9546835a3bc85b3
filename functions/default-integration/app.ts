// Activity sync: an external CRM sends collaborators and numbered activities.
import { createApiKeyGuard } from '../../shared/platform/auth/require-signature.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { type App, addEndpoints, createApp } from '../../shared/platform/http/app.ts';
import { activityRendering } from '../../shared/platform/http/error-responses.ts';
import { createCounter } from '../../shared/platform/limits/rate-limits.ts';
import { createLogger } from '../../shared/platform/logging/logger.ts';
import { sync } from './sync.ts';

export function createService(env: Env<'app' | 'database' | 'redis'>): App {
  const database = createDatabase(env);
  const counter = createCounter(env);
  const environment = env.APP_ENV;
  const service = {
    name: 'default-integration',
    rendering: activityRendering,
    database,
    environment,
    log: createLogger(env.LOG_LEVEL),
  };
  const app = createApp(service);
  addEndpoints(app, service, createApiKeyGuard({ database, counter, environment, allowBearer: true }), [
    sync,
  ]);
  return app;
}
