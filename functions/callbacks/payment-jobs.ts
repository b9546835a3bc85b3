// The job handlers of payments.

import type { AccountsOptions } from '../../shared/payments/accounts/check.ts';
import type { SandboxControls } from '../../shared/payments/providers/sandbox/controls.ts';
import type { JobLoaders } from '../../shared/platform/jobs/job.ts';
import type { FileStore } from '../../shared/platform/storage/file-store.ts';

export interface PaymentJobsOptions extends AccountsOptions {
  /** Undefined if the deployment has no sandbox. */
  sandbox: SandboxControls | undefined;
  files: FileStore;
}

const loadPayoutJobs = () => import('../../shared/payments/payouts/jobs.ts');
const loadRefundJobs = () => import('../../shared/payments/refunds/jobs.ts');
const loadAccountJobs = () => import('../../shared/payments/accounts/jobs.ts');

export function createPaymentJobs(options: PaymentJobsOptions): JobLoaders {
  const { providers, sandbox, files } = options;
  return {
    'close-checkout': async () =>
      (await import('../../shared/payments/invoices/close-checkout.ts')).createCloseCheckout(providers),
    'expire-invoice': async () =>
      (await import('../../shared/payments/invoices/expire.ts')).createExpireInvoice(providers),
    'fill-paid-members': async () =>
      (await import('../../shared/payments/invoices/fill-paid.ts')).fillPaidMembersJob,
    'follow-payout': async () => (await loadPayoutJobs()).createFollowPayout(providers),
    'order-payout': async () => (await loadPayoutJobs()).createOrderPayout(providers),
    'follow-refund': async () => (await loadRefundJobs()).createFollowRefund(providers),
    'close-dispute': async () => (await loadRefundJobs()).createCloseDispute(providers),
    'settle-in-sandbox': async () =>
      (await import('../../shared/payments/providers/sandbox/notify.ts')).createSettleInSandbox(
        sandbox,
        providers,
      ),
    'recover-order': async () =>
      (await import('../../shared/payments/lookups/look-up-by-name.ts')).createRecoverOrder(providers),
    'issue-tax-document': async () =>
      (await import('../../shared/payments/tax-documents/issue.ts')).createIssueTaxDocument(providers, files),
    'check-provider': async () => (await loadAccountJobs()).createCheckProvider(options),
    'disconnect-provider': async () => (await loadAccountJobs()).createDisconnectProvider(options),
    'read-fiscal-codes': async () => (await loadAccountJobs()).createReadFiscalCodes(options),
    'reconcile-provider': async () => (await loadAccountJobs()).createReconcileProvider(options),
    'apply-provider-event': async () => (await loadAccountJobs()).createApplyProviderEvent(options),
  };
}
