// All job handlers and payment providers of the deployment.

import type { CrmsEnv } from '../../shared/connectors/sync/account.ts';
import type { AccountsOptions } from '../../shared/payments/accounts/check.ts';
import { scheduleRecoveries } from '../../shared/payments/orders/queries.ts';
import { setUpProviders } from '../../shared/payments/provider-registry/set-up-providers.ts';
import type { Providers } from '../../shared/payments/providers/provider.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { Sql, Work } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import type { JobDependencies, JobLoaders, LaneHandler } from '../../shared/platform/jobs/job.ts';
import { createFileStore, type FileStore } from '../../shared/platform/storage/file-store.ts';
import { scheduleMissedRecounts } from '../../shared/records/gamification/missed-recounts.ts';
import type { Renderers } from '../../shared/webhooks/event.ts';

export type RegistryEnv = Env<
  | 'app'
  | 'qstash'
  | 'webhooks'
  | 'destinations'
  | 'console'
  | 'mail'
  | 'storage'
  | 'sandbox'
  | 'providers'
  | 'crms'
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
      'sync-crm': async () =>
        (await import('../../shared/connectors/sync/sync-crm.ts')).createSyncCrmJob(env),
      'send-mail': async () =>
        (await import('../../shared/platform/mail/send-mail.ts')).createSendMailJob(env),
      'send-invitation': async () => (await loadAuthJobs()).createSendInvitationJob(env),
      'sync-auth-user': async () => (await loadAuthJobs()).createSyncAuthUserJob(env),
      recount: async () => (await loadGamificationJobs()).recount,
      'recount-everyone': async () => (await loadGamificationJobs()).recountAllPlayers,
      'run-automations': async () =>
        (await import('../../shared/administration/automations/run-automations.ts')).runAutomations,
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
    crms: env,
    scheduleUnfinished: (sql) => ({
      recoveries: scheduleRecoveries(sql),
      recounts: scheduleMissedRecounts(sql),
    }),
  };
}

const loadAuthJobs = () => import('../../shared/records/users/auth-jobs.ts');
const loadGamificationJobs = () => import('../../shared/records/gamification/jobs.ts');

async function loadDeliverWebhook(env: RegistryEnv): Promise<LaneHandler> {
  const [{ createDeliverWebhookJob }, { createDenoNetwork }, renderers] = await Promise.all([
    import('../../shared/webhooks/delivery/deliver-webhook.ts'),
    import('../../shared/webhooks/delivery/network.ts'),
    loadRenderers(env.FUNCTIONS_URL),
  ]);
  return createDeliverWebhookJob({ settings: env, network: createDenoNetwork(), renderers });
}

/** The functions that build the payloads of each interface's events, whose data has the shape of the response to GET. */
export async function loadRenderers(functionsUrl: string): Promise<Renderers> {
  const [{ paymentEvent }, { eventPayload }] = await Promise.all([
    import('../../shared/payments/events.ts'),
    import('../../shared/records/events/event-payload.ts'),
  ]);
  return { payments: paymentEvent(functionsUrl), records: eventPayload };
}

/** The handlers behind the routes of this function. */
interface JobRegistry {
  jobs: JobLoaders;
  /** Verify and parse the providers' webhooks. */
  providers?: Providers;
  /** Verifies and parses the sandbox's notifications; undefined in production. */
  sandbox?: SandboxControls | undefined;
  /** Addresses of the CRMs, whose webhooks are received. */
  crms?: CrmsEnv;
  /** Statements that the sweep runs to schedule jobs for unfinished work. */
  scheduleUnfinished?(sql: Sql): Work;
}

export type MakeJobRegistry = (dependencies: JobDependencies) => JobRegistry;

interface PaymentJobsOptions extends AccountsOptions {
  /** Undefined if the deployment has no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

const loadInvoiceJobs = () => import('../../shared/payments/invoices/jobs.ts');
const loadPayoutJobs = () => import('../../shared/payments/payouts/jobs.ts');
const loadRefundJobs = () => import('../../shared/payments/refunds/jobs.ts');

function createPaymentJobs(options: PaymentJobsOptions): JobLoaders {
  const { providers, sandbox, files } = options;
  return {
    'close-checkout': async () => (await loadInvoiceJobs()).createCloseCheckoutJob(providers),
    'expire-invoice': async () => (await loadInvoiceJobs()).createExpireInvoiceJob(providers),
    'follow-payout': async () => (await loadPayoutJobs()).createFollowPayoutJob(providers),
    'order-payout': async () => (await loadPayoutJobs()).createOrderPayoutJob(providers),
    'follow-refund': async () => (await loadRefundJobs()).createFollowRefundJob(providers),
    'close-dispute': async () => (await loadRefundJobs()).createCloseDisputeJob(providers),
    'settle-in-sandbox': async () =>
      (await import('../../shared/payments/sandbox/notify.ts')).createSettleSandboxOrderJob(
        sandbox,
        providers,
      ),
    'recover-order': async () => {
      const { orderResources } = await import('../../shared/payments/accounts/order-resources.ts');
      const { createRecoverOrderJob } = await import('../../shared/payments/orders/recover-order.ts');
      return createRecoverOrderJob(providers, orderResources);
    },
    'issue-tax-document': async () =>
      (await import('../../shared/payments/tax-documents/issue.ts')).createIssueTaxDocumentJob(
        providers,
        files,
      ),
    'remove-boleto': async () =>
      (await import('../../shared/payments/files/remove-boleto.ts')).createRemoveBoletoJob(files),
    'check-provider': async () =>
      (await import('../../shared/payments/accounts/check.ts')).createCheckProviderJob(options),
    'disconnect-provider': async () =>
      (await import('../../shared/payments/accounts/disconnect.ts')).createDisconnectProviderJob(options),
    'read-fiscal-codes': async () =>
      (await import('../../shared/payments/accounts/fiscal-codes.ts')).createReadFiscalCodesJob(options),
    'reconcile-provider': async () =>
      (await import('../../shared/payments/accounts/reconcile.ts')).createReconcileProviderJob(options),
    'apply-provider-event': async () =>
      (await import('../../shared/payments/accounts/provider-events.ts')).createApplyProviderEventJob(
        options,
      ),
  };
}
