// The sweep: publishes overdue jobs whose messages may have been lost. QStash calls it once a minute.
import { type Sql, WORKER_SESSION, type Work } from '../db/database.ts';
import { sumMetrics } from '../metrics/metrics.ts';
import type { JobDependencies } from './job.ts';
import { selectNewLaterJobs } from './new-jobs.ts';
import type { JobMessage } from './publish.ts';
import { claimOverdueJobs, insertJob, unpublishJobs } from './queries.ts';

const JOBS_PER_ROUND = 500;
/** Maximum per tenant and round while several tenants have overdue jobs. */
const JOBS_PER_TENANT = 100;
/** QStash gives up on the call after 30 s. */
const MAX_MS = 20_000;
const DAILY_MAINTENANCE = 'daily-maintenance';

export interface SweepOptions {
  /** Creates jobs for unfinished work. */
  scheduleUnfinished: (sql: Sql) => Work;
  /** Maximum number of jobs to publish. */
  maxJobs: number;
}

/**
 * Creates the daily maintenance job and jobs for unfinished work, publishes overdue jobs, in rounds, until none is left, and sums metrics.
 * Returns how many jobs it published. Concurrent sweeps publish different jobs.
 */
export async function sweep(dependencies: JobDependencies, options: SweepOptions): Promise<number> {
  const published = await publishOverdue(dependencies, options);
  await sumMetrics(dependencies.database, dependencies.log);
  return published;
}

async function publishOverdue(
  dependencies: JobDependencies,
  { scheduleUnfinished, maxJobs }: SweepOptions,
): Promise<number> {
  const endsAtMs = performance.now() + MAX_MS;
  let published = 0;
  for (let prepares = true; ; prepares = false) {
    const limit = Math.min(JOBS_PER_ROUND, maxJobs - published);
    const { overdue, later } = await claimRound(
      dependencies,
      limit,
      prepares ? scheduleUnfinished : undefined,
    );
    if (!(await publish(dependencies, overdue, later))) return published;
    published += overdue.length + later.length;
    if (overdue.length < JOBS_PER_ROUND || published >= maxJobs || performance.now() > endsAtMs)
      return published;
  }
}

interface Round {
  overdue: JobMessage[];
  /** Jobs that the round created and that are not due yet. */
  later: JobMessage[];
}

/** Claims the jobs of a round in one transaction. The first round also creates jobs. */
async function claimRound(
  { database }: JobDependencies,
  limit: number,
  scheduleUnfinished: ((sql: Sql) => Work) | undefined,
): Promise<Round> {
  const claim = (sql: Sql) => claimOverdueJobs(sql, { limit, perTenant: JOBS_PER_TENANT });
  if (!scheduleUnfinished) {
    const overdue = await database.transaction(WORKER_SESSION, claim);
    return { overdue, later: [] };
  }
  const today = new Date().toISOString().slice(0, 10);
  const { overdue, later } = await database.transaction(WORKER_SESSION, (sql) => ({
    recorded: sql`select app.record_sweep()`,
    daily: insertJob(sql, { tenantId: null, name: DAILY_MAINTENANCE, key: today }),
    unfinished: scheduleUnfinished(sql),
    // Includes the jobs created by the statements above.
    overdue: claim(sql),
    later: selectNewLaterJobs(sql),
  }));
  return { overdue, later };
}

/** Returns whether QStash accepted all messages. If not, the jobs are left to the next sweep. */
async function publish(
  { database, queue, log }: JobDependencies,
  overdue: JobMessage[],
  later: JobMessage[],
): Promise<boolean> {
  if (await queue.publish([...overdue, ...later], log)) return true;
  const ids = overdue.map(({ id }) => id);
  await database.transaction(WORKER_SESSION, (sql) => unpublishJobs(sql, ids));
  return false;
}
