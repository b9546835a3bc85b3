// The `default-integration` function (activity sync): an external CRM sends collaborators and activities with numeric codes.

import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { identifyKey, requireSignature } from '../../shared/platform/access/require-signature.ts';
import { createDatabase } from '../../shared/platform/db/database.ts';
import { type App, appSettings, createApp } from '../../shared/platform/http/app.ts';
import { mountEndpoints } from '../../shared/platform/http/endpoint.ts';
import { addOpenApiDocument } from '../../shared/platform/http/openapi-document.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { activityErrorFormat } from '../../shared/platform/request/error-formats.ts';
import type { EnvOf } from '../manifest.ts';
import { syncEndpoints } from './sync.ts';

export function createService(env: EnvOf<'default-integration'>): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const counter = createCounter(env);
  const environment = env.APP_ENV;
  const service = {
    name: 'default-integration',
    errorFormat: activityErrorFormat,
    schemes: ['SVC-SIGN-V1', 'Bearer'],
    database,
    ...appSettings(env),
    counter,
    identify: identifyKey,
    log,
    // Free-form objects are `data` and `metadata` of the items: { activities: [ { data: { ...
    members: { maxMembers: 500_000, freeFormDepth: 4 },
    unknownOutcomeAdvice: 'Send it again. Items that are already stored are not stored twice.',
  };
  const app = createApp(service);
  const guard = requireSignature({ database, counter, environment, role: 'api', allowBearer: true });
  addOpenApiDocument(app, env, {
    path: '/default-integration/openapi.json',
    load: () => import('../../docs/openapi/default-integration.json', { with: { type: 'json' } }),
  });
  mountEndpoints(app, service, guard, syncEndpoints);
  return app;
}
