// Callbacks: deliveries of QStash. Nothing else calls this function.
import { createDatabase } from '../../shared/db/database.ts';
import type { Env } from '../../shared/env.ts';
import { type App, createApp } from '../../shared/http/app.ts';
import { activityRendering } from '../../shared/http/renderings.ts';
import { dailyMaintenance } from '../../shared/jobs/daily-maintenance.ts';
import type { JobHandler } from '../../shared/jobs/job.ts';
import { createQueue } from '../../shared/jobs/queue.ts';
import { createVerifier } from '../../shared/jobs/receive.ts';
import { createLogger } from '../../shared/log.ts';
import { createSendMail } from '../../shared/mail/send-mail.ts';
import { createDeliverWebhook } from '../../shared/webhooks/deliver.ts';
import type { Renderers } from '../../shared/webhooks/message.ts';
import { createDenoNetwork } from '../../shared/webhooks/network.ts';
import { addJobs } from './jobs.ts';
import { addSweep } from './sweep.ts';

/** How each interface shows the data of its events. */
const renderers: Renderers = {
  payments: ({ data }) => data,
  records: ({ data }) => data,
};

/** Every job of the deployment. */
export function createJobs(env: Env<'qstash' | 'webhooks' | 'mail'>): JobHandler[] {
  return [
    dailyMaintenance,
    createDeliverWebhook({ settings: env, network: createDenoNetwork(), renderers }),
    createSendMail(env),
  ];
}

export function createService(
  env: Env<'app' | 'database' | 'qstash' | 'callbacks'>,
  handlers: JobHandler[],
): App {
  const database = createDatabase(env);
  const log = createLogger(env.LOG_LEVEL);
  const tools = {
    database,
    log,
    queue: createQueue(env),
    verify: createVerifier(env),
    functionsUrl: env.FUNCTIONS_URL,
  };
  const name = 'callbacks';
  const app = createApp({ name, rendering: activityRendering, database, environment: env.APP_ENV, log });
  addJobs(app, tools, handlers);
  addSweep(app, tools);
  return app;
}
