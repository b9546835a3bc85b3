// Gamification jobs: recounts for badges, challenges and rankings. Each is a call of an SQL function. The rules are in
// database/gamification/, which also prevents duplicate awards.
import { z } from 'zod';
import { type Fragment, type Sql, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';

const LEASE_SECONDS = 60;

const defineSqlJob = (name: string, call: (sql: Sql, tenantId: string) => Fragment): JobHandler =>
  defineJob({
    name,
    payload: z.object({}),
    leaseSeconds: LEASE_SECONDS,
    async run(_payload, job, dependencies) {
      const tenantId = tenantOf(job);
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => call(sql, tenantId));
      return 'done';
    },
  });

/** Recounts the tenant's players whose numbers may have changed. */
export const recount = defineSqlJob('recount', (sql, tenantId) => sql`select app.recount(${tenantId})`);

/**
 * Queues a recount of all the tenant's players. It runs a minute after a badge or challenge was set, to include changes whose
 * transactions did not see the new rule.
 */
export const recountAllPlayers = defineSqlJob(
  'recount-everyone',
  (sql, tenantId) => sql`select app.queue_recount_of_everybody(${tenantId})`,
);
