// All job handlers and payment providers of the deployment.
import { scheduleMissedRecounts } from '../../shared/gamification/queries.ts';
import { scheduleRecoveries } from '../../shared/payments/orders/queries.ts';
import { setUpProviders } from '../../shared/payments/provider-registry/set-up-providers.ts';
import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Sql, Work } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import type { JobDependencies, JobLoaders, LaneHandler } from '../../shared/platform/jobs/job.ts';
import { createFileStore } from '../../shared/platform/storage/file-store.ts';
import { createPaymentJobs } from './payment-jobs.ts';

export type RegistryEnv = Env<
  'app' | 'qstash' | 'webhooks' | 'destinations' | 'mail' | 'storage' | 'sandbox' | 'providers'
>;

export function createJobRegistry(env: RegistryEnv, dependencies: JobDependencies): JobRegistry {
  const { providers, sandbox } = setUpProviders(env, dependencies);
  return {
    jobs: {
      'daily-maintenance': async () =>
        (await import('../../shared/platform/jobs/daily-maintenance.ts')).dailyMaintenance,
      'deliver-webhook': () => loadDeliverWebhook(env),
      'replay-webhook': async () =>
        (await import('../../shared/webhooks/delivery/replay-webhook.ts')).replayWebhook,
      'send-mail': async () => (await import('../../shared/platform/mail/send-mail.ts')).createSendMail(env),
      'send-invitation': async () => (await loadAuthJobs()).createSendInvitation(env),
      'sync-auth-user': async () => (await loadAuthJobs()).createSyncAuthUser(env),
      recount: async () => (await loadGamificationJobs()).recount,
      'recount-everybody': async () => (await loadGamificationJobs()).recountEverybody,
      'run-automations': async () => (await loadGamificationJobs()).runAutomations,
      ...createPaymentJobs({
        providers,
        sandbox,
        files: createFileStore(env),
        functionsUrl: env.FUNCTIONS_URL,
        reconcileSeconds: env.PROVIDER_RECONCILE_SECONDS,
        checkSeconds: env.PROVIDER_CHECK_SECONDS,
      }),
    },
    providers,
    sandbox,
    scheduleUnfinished: (sql) => ({
      recoveries: scheduleRecoveries(sql),
      recounts: scheduleMissedRecounts(sql),
    }),
  };
}

const loadAuthJobs = () => import('../../shared/records/users/auth-jobs.ts');
const loadGamificationJobs = () => import('../../shared/gamification/jobs.ts');

async function loadDeliverWebhook(env: RegistryEnv): Promise<LaneHandler> {
  const [{ createDeliverWebhook }, { createDenoNetwork }, { createRenderers }] = await Promise.all([
    import('../../shared/webhooks/delivery/deliver-webhook.ts'),
    import('../../shared/webhooks/delivery/network.ts'),
    import('./renderers.ts'),
  ]);
  const renderers = createRenderers(env.FUNCTIONS_URL);
  return createDeliverWebhook({ settings: env, network: createDenoNetwork(), renderers });
}

/** The handlers behind the routes of this function. */
export interface JobRegistry {
  jobs: JobLoaders;
  /** Verify and parse the providers' webhooks. */
  providers?: Providers;
  /** Verifies and parses the sandbox's notifications; undefined in production. */
  sandbox?: SandboxControls | undefined;
  /** Statements that the sweep runs to schedule jobs for unfinished work. */
  scheduleUnfinished?(sql: Sql): Work;
}

export type MakeJobRegistry = (dependencies: JobDependencies) => JobRegistry;
