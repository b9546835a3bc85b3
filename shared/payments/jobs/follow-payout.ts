// A payout under way is looked up at its provider now and then, since the notification of its end may be lost.
import { z } from 'zod';
import { oneRow } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { errorFields } from '../../platform/logging/logger.ts';
import { receiveFound } from '../notifications/receive.ts';
import { selectPayoutIn } from '../payouts/queries.ts';
import { statusesUnderWay } from '../payouts/states.ts';
import type { Providers } from '../providers/routing.ts';
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
      const [[found], clock] = await dependencies.database.transaction(session, (sql) => [
        selectPayoutIn(sql, tenantId, id, statusesUnderWay),
        selectNow(sql),
      ]);
      if (!found) return 'done';
      const { row } = found;
      const provider = providers.named(row.provider);
      try {
        const payout = await provider.findPayout(id);
        if (payout && payout.state.status !== row.status) {
          await receiveFound(provider.name, 'payout', id, payout, dependencies);
        }
      } catch (error) {
        // As long as it is under way it is looked for, however often that fails.
        dependencies.log.warn('payout not looked up', errorFields(error));
      }
      return { againAt: lookAgainAt(row.created, oneRow(clock).now) };
    },
  });
