// Invoice jobs: poll the provider for open invoices, fail expired ones, and close payment pages.
import { z } from 'zod';
import { defineJob, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import { jitter } from '../../platform/jobs/retry-schedule.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import {
  callProviderInJob,
  isAccountDisconnected,
  lookUpOrder,
  lookupWaitSeconds,
  retryWhenAvailable,
} from '../orders/look-up.ts';
import { selectOrderIn } from '../orders/queries.ts';
import { ProviderRejected } from '../providers/errors.ts';
import { chargesOf, type Providers } from '../providers/provider.ts';
import { chargeOrderOf, invoiceOrders } from './order.ts';
import { payableUntil } from './payable-until.ts';
import { failExpiredInvoice } from './queries.ts';

/**
 * Looks up an open invoice at its provider with increasing delays, because a payment notification may be lost. An expired
 * invoice fails once its provider no longer accepts payments for it.
 */
export const createExpireInvoiceJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'expire-invoice',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const [found] = await dependencies.database.transaction(session, (sql) =>
        selectOrderIn(sql, invoiceOrders, tenantId, id, ['open']),
      );
      if (!found) return 'done';
      const { row, now } = found;
      const end = payableUntil(row);
      if (end > now) {
        // A failed lookup must not use up the retries of this job, which has to expire the invoice later.
        await lookUpOrder(invoiceOrders, found, providers, dependencies).catch((error) =>
          dependencies.log.warn('charge lookup failed', errorFields(error)),
        );
        const next = new Date(now.getTime() + 1000 * jitter(lookupWaitSeconds(row.created, now), job));
        return { againAt: next < end ? next : end };
      }
      const order = chargeOrderOf(row);
      try {
        const over =
          isAccountDisconnected(row, found) ||
          (await callProviderInJob(row, found, providers, dependencies, (provider, signal) =>
            chargesOf(provider).cancel(order, signal),
          ).catch((error: unknown) => {
            // The provider cannot cancel the charge. The invoice fails anyway; a late payment still makes it paid.
            if (error instanceof ProviderRejected) return true;
            throw error;
          }));
        if (over) {
          await transactionWithJobs(dependencies, session, (sql) => failExpiredInvoice(sql, tenantId, id));
          return 'done';
        }
        // The charge was paid at the last moment, or a payment is in flight.
        const outcome = await lookUpOrder(invoiceOrders, found, providers, dependencies);
        return outcome === 'applied' ? 'done' : { retryInSeconds: lookupWaitSeconds(row.created, now) };
      } catch (error) {
        // The charge stays payable until the provider cancels it, so the invoice stays open.
        return retryWhenAvailable(error, job, dependencies.log);
      }
    },
  });

/** Closes the payment pages of a canceled or failed invoice. A page may have been created at the same moment. */
export const createCloseCheckoutJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'close-checkout',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const [found] = await dependencies.database.transaction({ role: 'worker', tenantId }, (sql) =>
        selectOrderIn(sql, invoiceOrders, tenantId, id, ['canceled', 'failed']),
      );
      if (!found || isAccountDisconnected(found.row, found)) return 'done';
      try {
        await callProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
          chargesOf(provider).cancel(chargeOrderOf(found.row), signal),
        );
      } catch (error) {
        // A page that cannot be closed expires by itself.
        if (!(error instanceof ProviderRejected)) return retryWhenAvailable(error, job, dependencies.log);
      }
      return 'done';
    },
  });
