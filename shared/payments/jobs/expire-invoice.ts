// An open invoice whose artifact is over fails, once its provider takes no payment for it any more.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import { failExpiredInvoice, selectInvoiceIn } from '../invoices/queries.ts';
import { receiveNotification } from '../notifications/receive.ts';
import type { Providers } from '../providers/routing.ts';
import { tenantOf } from './tenant-of.ts';

export const createExpireInvoice = (providers: Providers): JobHandler =>
  defineJob({
    name: 'expire-invoice',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 30,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const [[found], clock] = await dependencies.database.transaction(session, (sql) => [
        selectInvoiceIn(sql, tenantId, id, 'open'),
        selectNow(sql),
      ]);
      if (!found) return 'done';
      const { row } = found;
      const expiresAt = new Date(row.expires_at);
      if (expiresAt > oneRow(clock).now) return { againAt: expiresAt };
      const provider = providers.named(row.provider);
      if (await provider.cancelCharge(id)) {
        await transactionWithJobs(dependencies, session, (sql) => [failExpiredInvoice(sql, tenantId, id)]);
        return 'done';
      }
      // Paid at the last moment: its notification is under way, or got lost.
      const charge = await provider.findCharge(chargeOrderOf(row));
      if (charge) {
        const { providerReference, state } = charge;
        const eventId = `${providerReference}:${state.status}`;
        const notification = { eventId, resource: 'invoice', reference: id, state } as const;
        await receiveNotification(provider.name, notification, dependencies);
      }
      return 'done';
    },
  });
