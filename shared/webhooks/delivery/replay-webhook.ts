// The job that continues a replay with more deliveries than one transaction schedules (database/webhooks/replays.sql).
import { z } from 'zod';
import { oneRow, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { continueReplay } from './queries.ts';

/** Time after which the job ends and is scheduled again, long before the platform would terminate the worker. */
const WORK_MS = 20_000;

export const replayWebhook = defineJob({
  name: 'replay-webhook',
  payload: z.object({ replay_id: z.uuid() }),
  leaseSeconds: 60,
  async run({ replay_id: id }, _job, dependencies) {
    const endsAtMs = performance.now() + WORK_MS;
    while (performance.now() < endsAtMs) {
      const rows = await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => continueReplay(sql, id));
      if (oneRow(rows).finished) return 'done';
    }
    return { retryInSeconds: 1 };
  },
});
