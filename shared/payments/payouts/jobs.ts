// Payout jobs: send approved payouts and poll the provider for payouts in progress.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { errorFields } from '../../platform/logger.ts';
import { lookUpOrder, lookupWaitSeconds, tenantOf } from '../orders/look-up.ts';
import type { Providers } from '../providers/provider.ts';
import { payoutOrders } from './order.ts';
import { selectPayoutIn } from './queries.ts';
import { sendApproved } from './send-approved.ts';
import { unfinishedStatuses } from './states.ts';

/** Sends a manually approved payout to its provider. */
export const createOrderPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'order-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 60,
    run: ({ payout_id: id }, job, dependencies) =>
      sendApproved({ id, tenantId: tenantOf(job) }, providers, dependencies),
  });

/** Looks up a payout in progress at its provider with increasing delays, because a notification may be lost. */
export const createFollowPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'follow-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 30,
    async run({ payout_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const { payout, clock } = await dependencies.database.transaction(session, (sql) => ({
        payout: selectPayoutIn(sql, tenantId, id, unfinishedStatuses),
        clock: selectNow(sql),
      }));
      const [found] = payout;
      if (!found) return 'done';
      const { now } = oneRow(clock);
      try {
        await lookUpOrder(payoutOrders, { ...found, now }, providers, dependencies);
      } catch (error) {
        // Polling continues until the payout has ended, however many lookups fail.
        dependencies.log.warn('payout lookup failed', errorFields(error));
      }
      return { againInSeconds: lookupWaitSeconds(found.row.created, now) };
    },
  });
