// Jobs of payouts: they send an approved one, and follow one that is in progress.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { errorFields } from '../../platform/logger.ts';
import { lookAgainAt, lookUpOrder, tenantOf } from '../orders/look-up.ts';
import type { Providers } from '../providers/provider.ts';
import { payoutOrders } from './order.ts';
import { selectPayoutIn } from './queries.ts';
import { sendApproved } from './send-approved.ts';
import { unfinishedStatuses } from './states.ts';

/** Sends a payout that a person has approved to its provider. */
export const createOrderPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'order-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 60,
    run: ({ payout_id: id }, job, dependencies) =>
      sendApproved({ id, tenantId: tenantOf(job) }, providers, dependencies),
  });

/** Looks a payout in progress up at its provider, with increasing delays: its notification may be lost. */
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
        // As long as it is under way it is looked for, however often that fails.
        dependencies.log.warn('payout not looked up', errorFields(error));
      }
      return { againAt: lookAgainAt(found.row.created, now) };
    },
  });
