// The sweep: publishes overdue jobs whose messages may have been lost. QStash calls it once a minute.
import { type Sql, WORKER_SESSION, type Work } from '../db/database.ts';
import type { JobDependencies } from './job.ts';
import { claimOverdueJobs, insertJob } from './queries.ts';
import { collectNewJobs } from './transaction-with-jobs.ts';

const MAX_JOBS = 500;
const DAILY_MAINTENANCE = 'daily-maintenance';

/** Creates the daily maintenance job and jobs for unfinished work, and publishes overdue jobs. Returns how many it published. */
export async function sweep(
  { database, queue, log }: JobDependencies,
  scheduleUnfinished: (sql: Sql) => Work,
): Promise<number> {
  const today = new Date().toISOString().slice(0, 10);
  const { jobs } = await collectNewJobs(
    (build) => database.transaction(WORKER_SESSION, build),
    (sql) => ({
      daily: insertJob(sql, { tenantId: null, name: DAILY_MAINTENANCE, key: today }),
      unfinished: scheduleUnfinished(sql),
    }),
    // Includes the jobs created by the statements above.
    (sql) => claimOverdueJobs(sql, MAX_JOBS),
  );
  await queue.publish(jobs, log);
  return jobs.length;
}
