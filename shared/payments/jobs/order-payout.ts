// A payout that somebody approved is sent to its provider.
import { z } from 'zod';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { orderApproved } from '../payouts/order-approved.ts';
import type { Providers } from '../providers/providers.ts';
import { tenantOf } from './tenant-of.ts';

export const createOrderPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'order-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 60,
    run: ({ payout_id: id }, job, dependencies) =>
      orderApproved({ id, tenantId: tenantOf(job) }, providers, dependencies),
  });
