// What payments does later, each a due row.
import type { JobLoaders } from '../platform/jobs/job.ts';
import type { FileStore } from '../platform/storage/file-store.ts';
import type { AccountsOptions } from './accounts/check.ts';
import type { SandboxControls } from './providers/sandbox/controls.ts';

export interface PaymentJobsOptions extends AccountsOptions {
  /** Absent where there is no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

const loadAccountJobs = () => import('./accounts/jobs.ts');

export function createPaymentJobs(options: PaymentJobsOptions): JobLoaders {
  const { providers, sandbox, files } = options;
  return {
    'expire-invoice': async () => (await import('./recovery/jobs.ts')).createExpireInvoice(providers),
    'follow-payout': async () => (await import('./recovery/jobs.ts')).createFollowPayout(providers),
    'order-payout': async () => (await import('./recovery/jobs.ts')).createOrderPayout(providers),
    'settle-in-sandbox': async () =>
      (await import('./providers/sandbox/jobs.ts')).createSettleInSandbox(sandbox, providers),
    'recover-order': async () => (await import('./recovery/jobs.ts')).createRecoverOrder(providers),
    'issue-tax-document': async () =>
      (await import('./recovery/jobs.ts')).createIssueTaxDocument(providers, files),
    'check-provider': async () => (await loadAccountJobs()).createCheckProvider(options),
    'disconnect-provider': async () => (await loadAccountJobs()).createDisconnectProvider(options),
    'reconcile-provider': async () => (await loadAccountJobs()).createReconcileProvider(options),
    'apply-provider-event': async () => (await loadAccountJobs()).createApplyProviderEvent(options),
  };
}
