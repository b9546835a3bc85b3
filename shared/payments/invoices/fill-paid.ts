// Sets the paid amount of invoices that were paid before its column existed. A migration creates the job once.
import { z } from 'zod';
import { oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/jobs/job.ts';
import { fillPaidMembers } from './queries.ts';

const STEP = 500;
const STEPS_PER_RUN = 20;

export const fillPaidMembersJob = defineJob({
  name: 'fill-paid-members',
  payload: z.object({}),
  leaseSeconds: 120,
  async run(_payload, _job, { database }) {
    for (let step = 0; step < STEPS_PER_RUN; step++) {
      const { filled } = oneRow(
        await database.transaction(WORKER_SESSION, (sql) => fillPaidMembers(sql, STEP)),
      );
      if (filled < STEP) return 'done';
    }
    return { retryInSeconds: 1 };
  },
});
