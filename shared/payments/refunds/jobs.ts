// Jobs of refunds and disputes: find or resend a refund whose outcome is unknown, and follow unfinished ones.
import { z } from 'zod';
import {
  defineJob,
  type JobDependencies,
  type JobHandler,
  type JobResult,
  tenantOf,
} from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { chargeOrderOf, invoiceOrders } from '../invoices/order.ts';
import {
  callProviderInJob,
  isAccountDisconnected,
  lookUpOrder,
  lookupWaitSeconds,
  retryWhenAvailable,
  sendInJob,
} from '../orders/look-up.ts';
import { claimResend, RETRY_FOR_SECOND_LOOKUP, selectKeyLease, selectOrderIn } from '../orders/queries.ts';
import { isDefiniteProviderFailure } from '../providers/errors.ts';
import { type Providers, refundsOf } from '../providers/provider.ts';
import type { RefundReport } from '../providers/refund-port.ts';
import { findRefund, refundOrderOf } from './order.ts';
import {
  applyRefundReport,
  discardRefund,
  endRefund,
  type FoundRefund,
  selectHasOpenDispute,
  selectUnfinishedRefund,
} from './queries.ts';

const MAX_PENDING_MS = 90 * 86_400_000;
const MAX_WAIT_SECONDS = 86_400;

/** Follows a refund until it has ended. Notifications make it faster, but nothing depends on them. */
export const createFollowRefundJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'follow-refund',
    payload: z.object({ refund_id: z.string() }),
    leaseSeconds: 60,
    async run({ refund_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const {
        refunds: [found],
        keys: [held],
      } = await dependencies.database.transaction(session, (sql) => ({
        refunds: selectUnfinishedRefund(sql, tenantId, id),
        keys: selectKeyLease(sql, tenantId, id),
      }));
      if (!found) return 'done';
      const { status, created } = found.snapshot;
      if (status === 'pending' && found.now.getTime() - Date.parse(created) > MAX_PENDING_MS) {
        const [result] = await transactionWithJobs(dependencies, session, (sql) =>
          endRefund(sql, id, 'The provider did not complete the refund within 90 days.'),
        );
        if (result?.ended) return 'done';
      }
      if (isAccountDisconnected(found.invoice, found)) return { retryInSeconds: MAX_WAIT_SECONDS };
      // The request may be sending the refund right now. Only the first run waits, because retries may hold the key indefinitely.
      if (status === 'creating' && held && job.attempts === 1) return { againAt: held.until };
      try {
        if (status === 'creating') return await findOrResend(found, providers, dependencies);
        await lookUpOrder(invoiceOrders, { ...found, row: found.invoice }, providers, dependencies);
      } catch (error) {
        if (status === 'creating') return retryWhenAvailable(error, job, dependencies.log);
        // Polling continues until the refund has ended, however many lookups fail.
        dependencies.log.warn('refund lookup failed', errorFields(error));
      }
      return { retryInSeconds: lookupWaitSeconds(created, found.now) };
    },
  });

async function findOrResend(
  found: FoundRefund,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const { snapshot, invoice, now } = found;
  const { id, tenant_id: tenantId } = snapshot;
  const session = { role: 'worker', tenantId } as const;
  const [charge, refund] = [chargeOrderOf(invoice), refundOrderOf(snapshot)];
  return await callProviderInJob(invoice, found, providers, dependencies, async (provider, signal) => {
    const apply = async (report: RefundReport): Promise<JobResult> => {
      await transactionWithJobs(dependencies, session, (sql) => applyRefundReport(sql, id, report));
      return report.status === 'pending'
        ? { retryInSeconds: lookupWaitSeconds(snapshot.created, now) }
        : 'done';
    };
    const existing = await findRefund(provider, charge, refund, signal);
    if (existing) return await apply(existing);
    const [claimed] = await dependencies.database.transaction(session, (sql) =>
      claimResend(sql, 'refunds', snapshot, now),
    );
    if (!claimed?.resend) return RETRY_FOR_SECOND_LOOKUP;
    try {
      const send = () => refundsOf(provider).create(charge, refund, signal);
      return await apply(await sendInJob(snapshot, found, dependencies, send));
    } catch (error) {
      if (!isDefiniteProviderFailure(error)) return RETRY_FOR_SECOND_LOOKUP;
      await transactionWithJobs(dependencies, session, (sql) => discardRefund(sql, id));
      dependencies.log.warn('refund rejected', { refund: id, ...errorFields(error) });
      return 'done';
    }
  });
}

/** Looks up the charge of a PIX infraction after its balance was released, which closes the dispute once it is decided. */
export const createCloseDisputeJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'close-dispute',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const {
        invoices: [invoice],
        open,
      } = await dependencies.database.transaction(session, (sql) => ({
        invoices: selectOrderIn(sql, invoiceOrders, tenantId, id, ['paid']),
        open: selectHasOpenDispute(sql, tenantId, id),
      }));
      if (!invoice || !open[0]?.found || isAccountDisconnected(invoice.row, invoice)) return 'done';
      await lookUpOrder(invoiceOrders, invoice, providers, dependencies).catch((error) =>
        dependencies.log.warn('charge lookup failed', errorFields(error)),
      );
      return { retryInSeconds: Math.min(MAX_WAIT_SECONDS, 15 * 2 ** job.attempts) };
    },
  });
