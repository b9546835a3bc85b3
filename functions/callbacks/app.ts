// The `callbacks` function: receives QStash messages and payment providers' webhooks. It has no other callers.
import { createDatabase, type Database } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { type App, appSettings, createApp } from '../../shared/platform/http/app.ts';
import { createQueue, type Queue } from '../../shared/platform/jobs/publish.ts';
import { createVerifier, type Verify } from '../../shared/platform/jobs/verify-qstash.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { activityErrorFormat } from '../../shared/platform/request/error-formats.ts';
import type { EnvOf } from '../manifest.ts';
import { addCrms } from './crm-deliveries.ts';
import { createJobRegistry, type MakeJobRegistry } from './job-registry.ts';
import { addJobs } from './jobs.ts';
import { addMetrics } from './metrics.ts';
import { addProviders } from './provider-deliveries.ts';
import { addSandboxNotifications } from './sandbox-notifications.ts';
import { addSweep } from './sweep.ts';

export type CallbacksEnv = Env<'app' | 'telemetry' | 'database' | 'qstash' | 'callbacks'>;

/** Dependencies of all callback routes. */
export interface Dependencies {
  database: Database;
  queue: Queue;
  verify: Verify;
  /** Public base URL of the functions. */
  functionsUrl: string;
}

export function createCallbacks(env: CallbacksEnv, makeRegistry: MakeJobRegistry): App {
  const log = createLogger(env.LOG_LEVEL);
  const database = createDatabase(env, log);
  const queue = createQueue(env);
  const {
    jobs,
    providers,
    sandbox,
    crms,
    scheduleUnfinished = () => [],
  } = makeRegistry({ database, queue, log });
  const app = createApp({
    name: 'callbacks',
    errorFormat: activityErrorFormat,
    schemes: ['QStash'],
    database,
    queue,
    ...appSettings(env),
    log,
  });
  const dependencies: Dependencies = {
    database,
    queue,
    verify: createVerifier(env),
    functionsUrl: env.FUNCTIONS_URL,
  };
  addJobs(app, dependencies, jobs);
  addSweep(app, dependencies, scheduleUnfinished, env);
  addMetrics(app, { database, log: log.with({ function: 'callbacks' }) }, env.METRICS_TOKEN);
  if (sandbox && providers) addSandboxNotifications(app, dependencies, providers, sandbox);
  if (providers) addProviders(app, dependencies, providers);
  if (crms) addCrms(app, dependencies, crms);
  return app;
}

export function createService(env: EnvOf<'callbacks'>): App {
  return createCallbacks(env, (dependencies) => createJobRegistry(env, dependencies));
}
