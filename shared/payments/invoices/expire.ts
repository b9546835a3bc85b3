// What becomes of an open invoice that nobody reports on, and of one whose time is over.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import {
  askProviderInJob,
  isForgotten,
  lookAgainAt,
  lookUpOrder,
  retryWhenAvailable,
  tenantOf,
} from '../orders/look-up.ts';
import { chargesOf, ProviderRejected, type Providers } from '../providers/provider.ts';
import { chargeOrderOf, invoiceOrders } from './order.ts';
import { failExpiredInvoice, selectInvoiceIn } from './queries.ts';

/**
 * Looks an open invoice up at its provider, with increasing delays: the notification of a payment may be lost. After its due time the
 * invoice fails once its provider no longer accepts a payment for it.
 */
export const createExpireInvoice = (providers: Providers): JobHandler =>
  defineJob({
    name: 'expire-invoice',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const { invoices, clock } = await dependencies.database.transaction(session, (sql) => ({
        invoices: selectInvoiceIn(sql, tenantId, id, 'open'),
        clock: selectNow(sql),
      }));
      const [invoice] = invoices;
      if (!invoice) return 'done';
      const { now } = oneRow(clock);
      const found = { ...invoice, now };
      const { row } = found;
      const expiresAt = new Date(row.expires_at);
      if (expiresAt > now) {
        // One look more or less: what fails here must not use up the tries that the expiry has.
        await lookUpOrder(invoiceOrders, found, providers, dependencies).catch((error) =>
          dependencies.log.warn('charge not looked up', errorFields(error)),
        );
        const next = lookAgainAt(row.created, now);
        return { againAt: next < expiresAt ? next : expiresAt };
      }
      const order = chargeOrderOf(row);
      try {
        const over =
          isForgotten(row, found) ||
          (await askProviderInJob(row, found, providers, dependencies, (provider, signal) =>
            chargesOf(provider).cancel(order, signal),
          ).catch((error: unknown) => {
            // One that it cannot take back is over for us all the same; money that arrives makes it paid.
            if (error instanceof ProviderRejected) return true;
            throw error;
          }));
        if (over) {
          await transactionWithJobs(dependencies, session, (sql) => failExpiredInvoice(sql, tenantId, id));
          return 'done';
        }
        // Paid at the last moment, or its money is on the way.
        const outcome = await lookUpOrder(invoiceOrders, found, providers, dependencies);
        return outcome === 'applied' ? 'done' : { againAt: lookAgainAt(row.created, now) };
      } catch (error) {
        // Until it was taken back it stays payable.
        return retryWhenAvailable(error, job, dependencies.log);
      }
    },
  });
