// What payments does later, each a due row.
import type { JobHandler } from '../platform/jobs/job.ts';
import type { FileStore } from '../platform/storage/file-store.ts';
import { applyNotification } from './jobs/apply-notification.ts';
import { createExpireInvoice } from './jobs/expire-invoice.ts';
import { createFollowPayout } from './jobs/follow-payout.ts';
import { createIssueTaxDocument } from './jobs/issue-tax-document.ts';
import { createRecoverOrder } from './jobs/recover-order.ts';
import { createSettleInSandbox } from './jobs/settle-in-sandbox.ts';
import type { Providers } from './providers/routing.ts';
import type { SandboxControls } from './providers/sandbox/controls.ts';

export interface PaymentJobsOptions {
  providers: Providers;
  /** Absent where there is no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

export const createPaymentJobs = ({ providers, sandbox, files }: PaymentJobsOptions): JobHandler[] => [
  createExpireInvoice(providers),
  createFollowPayout(providers),
  createSettleInSandbox(sandbox),
  applyNotification,
  createRecoverOrder(providers),
  createIssueTaxDocument(providers, files),
];
