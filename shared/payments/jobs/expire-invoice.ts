// An open invoice is looked up at its provider now and then, since the notification of its payment may be lost; when its
// artifact is over it fails, once its provider takes no payment for it any more.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobDependencies, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logging/logger.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import { failExpiredInvoice, selectInvoiceIn } from '../invoices/queries.ts';
import type { InvoiceRow } from '../invoices/serialize.ts';
import { receiveFound } from '../notifications/receive.ts';
import type { PaymentProvider } from '../providers/provider.ts';
import type { Providers } from '../providers/routing.ts';
import { lookAgainAt } from './look-again.ts';
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
      const provider = providers.named(row.provider);
      const { now } = oneRow(clock);
      const expiresAt = new Date(row.expires_at);
      if (expiresAt > now) {
        // One look more or less: what fails here must not use up the tries that the expiry has.
        await lookUp(row, provider, dependencies).catch((error) =>
          dependencies.log.warn('charge not looked up', errorFields(error)),
        );
        const next = lookAgainAt(row.created, now);
        return { againAt: next < expiresAt ? next : expiresAt };
      }
      if (await provider.cancelCharge(id)) {
        await transactionWithJobs(dependencies, session, (sql) => [failExpiredInvoice(sql, tenantId, id)]);
        return 'done';
      }
      // Paid at the last moment.
      await lookUp(row, provider, dependencies);
      return 'done';
    },
  });

async function lookUp(
  row: InvoiceRow,
  provider: PaymentProvider,
  dependencies: JobDependencies,
): Promise<void> {
  const charge = await provider.findCharge(chargeOrderOf(row));
  if (charge && charge.state.status !== row.status) {
    await receiveFound(provider.name, 'invoice', row.id, charge, dependencies);
  }
}
