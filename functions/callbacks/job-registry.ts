// Every job and provider of the deployment.
import { gamificationJobs, scheduleMissedRecounts } from '../../shared/gamification/jobs.ts';
import { createPaymentJobs } from '../../shared/payments/jobs.ts';
import { scheduleMissedNotifications } from '../../shared/payments/notifications/receive.ts';
import { setUpProviders } from '../../shared/payments/providers/create-providers.ts';
import { scheduleRecoveries } from '../../shared/payments/recovery/recover.ts';
import { serializeEventData } from '../../shared/payments/snapshot.ts';
import type { Env } from '../../shared/platform/env.ts';
import { dailyMaintenance } from '../../shared/platform/jobs/daily-maintenance.ts';
import type { JobDependencies } from '../../shared/platform/jobs/job.ts';
import { createSendMail } from '../../shared/platform/mail/send-mail.ts';
import { createFileStore } from '../../shared/platform/storage/file-store.ts';
import { createAuthJobs } from '../../shared/records/users/auth-jobs.ts';
import { eventPayload } from '../../shared/records/webhooks/event-payload.ts';
import { createDeliverWebhook } from '../../shared/webhooks/deliver-webhook.ts';
import { createDenoNetwork } from '../../shared/webhooks/network.ts';
import type { Renderers } from '../../shared/webhooks/signed-request.ts';
import type { JobRegistry } from './job-registry.types.ts';

export type RegistryEnv = Env<
  'app' | 'qstash' | 'webhooks' | 'destinations' | 'mail' | 'storage' | 'sandbox'
>;

export function createJobRegistry(env: RegistryEnv, dependencies: JobDependencies): JobRegistry {
  const { providers, sandbox } = setUpProviders(env, dependencies);
  const renderers = createRenderers(env.FUNCTIONS_URL);
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
    scheduleUnfinished: (sql) => [
      ...scheduleRecoveries(sql),
      ...scheduleMissedNotifications(sql),
      scheduleMissedRecounts(sql),
    ],
  };
}

/** How each interface shows its events: their data as its GET does. */
const createRenderers = (functionsUrl: string): Renderers => ({
  payments: ({ id, type, createdAt, data }) => ({
    id,
    type,
    created_at: createdAt,
    data: serializeEventData(type, data, functionsUrl),
  }),
  records: eventPayload,
});
