// Closes the payment pages of a canceled or failed invoice. A page may have been created at the same moment.
import { z } from 'zod';
import { defineJob, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import { callProviderInJob, isAccountDisconnected, retryWhenAvailable } from '../orders/look-up.ts';
import { selectOrderIn } from '../orders/queries.ts';
import { ProviderRejected } from '../providers/errors.ts';
import { chargesOf, type Providers } from '../providers/provider.ts';
import { chargeOrderOf } from './order.ts';

export const createCloseCheckoutJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'close-checkout',
    payload: z.object({ invoice_id: z.string() }),
    leaseSeconds: 60,
    async run({ invoice_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const [found] = await dependencies.database.transaction({ role: 'worker', tenantId }, (sql) =>
        selectOrderIn(sql, 'invoices', tenantId, id, ['canceled', 'failed']),
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
