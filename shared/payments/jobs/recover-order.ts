// An order without an answer is looked up at its provider.
import { z } from 'zod';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { onceProviderIsBack } from '../look-up.ts';
import type { Providers } from '../providers/providers.ts';
import { orderTables } from '../recovery/queries.ts';
import { recoverOrder } from '../recovery/recover.ts';
import { tenantOf } from './tenant-of.ts';

export const createRecoverOrder = (providers: Providers): JobHandler =>
  defineJob({
    name: 'recover-order',
    payload: z.object({ table: z.enum(orderTables), id: z.string() }),
    leaseSeconds: 60,
    run: ({ table, id }, job, dependencies) =>
      recoverOrder[table](
        { id, tenantId: tenantOf(job), waitsForRequest: job.attempts === 1 },
        providers,
        dependencies,
      ).catch((error) => onceProviderIsBack(error, job, dependencies.log)),
  });
