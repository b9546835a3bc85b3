// Every job and provider of the deployment.

import { gamificationJobs, orderForgottenRecounts } from '../../shared/gamification/jobs.ts';
import { createPaymentJobs } from '../../shared/payments/jobs.ts';
import { setUpProviders } from '../../shared/payments/providers/create-providers.ts';
import { orderRecoveries } from '../../shared/payments/recover-orders.ts';
import { createRenderer } from '../../shared/payments/serialize.ts';
import type { Database } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { dailyMaintenance } from '../../shared/platform/jobs/daily-maintenance.ts';
import type { Queue } from '../../shared/platform/jobs/publish.ts';
import type { Logger } from '../../shared/platform/logging/logger.ts';
import { createSendMail } from '../../shared/platform/mail/send-mail.ts';
import { createFileStore } from '../../shared/platform/storage/file-store.ts';
import { createAuthJobs } from '../../shared/records/users/auth-jobs.ts';
import { eventPayload } from '../../shared/records/webhooks/serialize.ts';
import { createDeliverWebhook } from '../../shared/webhooks/deliver-webhook.ts';
import { createDenoNetwork } from '../../shared/webhooks/network.ts';
import type { Renderers } from '../../shared/webhooks/signed-request.ts';
import type { Work } from './app.ts';

export function deploymentWork(
  env: Env<'app' | 'qstash' | 'webhooks' | 'destinations' | 'mail' | 'storage' | 'sandbox'>,
  dependencies: { database: Database; queue: Queue; log: Logger },
): Work {
  const { providers, sandbox } = setUpProviders(env, dependencies);
  const payments = createRenderer(env.FUNCTIONS_URL);
  /** How each interface shows its events: their data as its GET does. */
  const renderers: Renderers = {
    payments: ({ id, type, createdAt, data }) => ({
      id,
      type,
      created_at: createdAt,
      data: payments.event(type, data),
    }),
    records: eventPayload,
  };
  return {
    handlers: [
      dailyMaintenance,
      createDeliverWebhook({ settings: env, network: createDenoNetwork(), renderers }),
      createSendMail(env),
      ...createAuthJobs(env),
      ...gamificationJobs,
      ...createPaymentJobs({ providers, sandbox, files: createFileStore(env) }),
    ],
    providers,
    orderUnfinished: (sql) => [...orderRecoveries(sql), orderForgottenRecounts(sql)],
  };
}
