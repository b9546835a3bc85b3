// A payout under way is looked up at its provider now and then, since what it tells of its end may be lost.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { errorFields } from '../../platform/logging/logger.ts';
import { lookAtPayout } from '../look-up.ts';
import { selectPayoutIn } from '../payouts/queries.ts';
import { statusesUnderWay } from '../payouts/states.ts';
import type { Providers } from '../providers/providers.ts';
import { lookAgainAt } from './look-again.ts';
import { tenantOf } from './tenant-of.ts';

export const createFollowPayout = (providers: Providers): JobHandler =>
  defineJob({
    name: 'follow-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 30,
    async run({ payout_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const session = { role: 'worker', tenantId } as const;
      const { payout, clock } = await dependencies.database.transaction(session, (sql) => ({
        payout: selectPayoutIn(sql, tenantId, id, statusesUnderWay),
        clock: selectNow(sql),
      }));
      const [found] = payout;
      if (!found) return 'done';
      const { now } = oneRow(clock);
      try {
        await lookAtPayout({ ...found, now }, providers, dependencies);
      } catch (error) {
        // As long as it is under way it is looked for, however often that fails.
        dependencies.log.warn('payout not looked up', errorFields(error));
      }
      return { againAt: lookAgainAt(found.row.created, now) };
    },
  });
