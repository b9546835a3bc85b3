// What payments does later, each a due row.
import type { JobLoaders } from '../platform/jobs/job.ts';
import type { FileStore } from '../platform/storage/file-store.ts';
import type { Providers } from './providers/routing.ts';
import type { SandboxControls } from './providers/sandbox/controls.ts';

export interface PaymentJobsOptions {
  providers: Providers;
  /** Absent where there is no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

export const createPaymentJobs = ({ providers, sandbox, files }: PaymentJobsOptions): JobLoaders => ({
  'expire-invoice': async () => (await import('./jobs/expire-invoice.ts')).createExpireInvoice(providers),
  'follow-payout': async () => (await import('./jobs/follow-payout.ts')).createFollowPayout(providers),
  'settle-in-sandbox': async () =>
    (await import('./jobs/settle-in-sandbox.ts')).createSettleInSandbox(sandbox),
  'apply-notification': async () => (await import('./jobs/apply-notification.ts')).applyNotification,
  'recover-order': async () => (await import('./jobs/recover-order.ts')).createRecoverOrder(providers),
  'issue-tax-document': async () =>
    (await import('./jobs/issue-tax-document.ts')).createIssueTaxDocument(providers, files),
});
