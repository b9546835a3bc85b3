// Callbacks: deliveries of QStash and notifications of payment providers. Nothing else calls this function.

import type { Providers } from '../../shared/payments/providers/routing.ts';
import {
  createDatabase,
  type Database,
  type Sql,
  type Statement,
} from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { type App, createApp } from '../../shared/platform/http/app.ts';
import { activityRendering } from '../../shared/platform/http/error-responses.ts';
import type { JobHandler } from '../../shared/platform/jobs/job.ts';
import { createQueue, type Queue } from '../../shared/platform/jobs/publish.ts';
import { createVerifier } from '../../shared/platform/jobs/verify-qstash.ts';
import { createLogger, type Logger } from '../../shared/platform/logging/logger.ts';
import { deploymentWork } from './job-registry.ts';
import { addJobs } from './jobs.ts';
import { addProviders } from './provider-notifications.ts';
import { addSweep } from './sweep.ts';

/** What this function does when it is called. */
export interface Work {
  /** Every job, by its name. */
  handlers: JobHandler[];
  /** Whose notifications are taken. */
  providers?: Providers;
  /** Statements of the sweep that order jobs for what a domain finds unfinished. */
  orderUnfinished?(sql: Sql): Statement[];
}

export type CallbacksEnv = Env<'app' | 'database' | 'qstash' | 'callbacks'>;

export function createCallbacks(
  env: CallbacksEnv,
  makeWork: (dependencies: { database: Database; queue: Queue; log: Logger }) => Work,
): App {
  const database = createDatabase(env);
  const log = createLogger(env.LOG_LEVEL);
  const queue = createQueue(env);
  const { handlers, providers, orderUnfinished = () => [] } = makeWork({ database, queue, log });
  const dependencies = {
    database,
    log,
    queue,
    verify: createVerifier(env),
    functionsUrl: env.FUNCTIONS_URL,
  };
  const name = 'callbacks';
  const app = createApp({ name, rendering: activityRendering, database, environment: env.APP_ENV, log });
  addJobs(app, dependencies, handlers);
  addSweep(app, dependencies, orderUnfinished);
  if (providers) addProviders(app, dependencies, providers);
  return app;
}

export function createService(
  env: CallbacksEnv & Env<'webhooks' | 'destinations' | 'mail' | 'storage' | 'sandbox'>,
): App {
  return createCallbacks(env, (dependencies) => deploymentWork(env, dependencies));
}
