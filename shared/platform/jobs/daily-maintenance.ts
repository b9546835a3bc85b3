// Once a day: partitions of the request log; and what is past its retention goes, in small steps, so that nobody waits for it.
import { z } from 'zod';
import { oneRow, WORKER_SESSION } from '../db/database.ts';
import { defineJob } from './job.ts';
import { AGEING, dropExpired } from './queries.ts';

const LEASE_SECONDS = 120;
/** What is left after so long goes in the next run, which follows at once. */
const WORK_MS = 60_000;
const STEP = 1000;

export const dailyMaintenance = defineJob({
  name: 'daily-maintenance',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, _job, { database }) {
    const endsAt = Date.now() + WORK_MS;
    await database.transaction(WORKER_SESSION, (sql) => [sql`select app.maintain_request_log()`]);
    for (const what of AGEING) {
      for (let dropped = STEP; dropped >= STEP; ) {
        if (Date.now() > endsAt) return { againAt: new Date() };
        const [rows] = await database.transaction(WORKER_SESSION, (sql) => [dropExpired(sql, what, STEP)]);
        ({ dropped } = oneRow(rows));
      }
    }
    return 'done';
  },
});
