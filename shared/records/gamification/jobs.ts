// Gamification jobs: recounts for badges, challenges and rankings, and automations. Each is a call of an SQL function.
// The rules are in database/gamification/ and database/automations/, which also prevent duplicate awards and runs.
import { z } from 'zod';
import { type Fragment, type Sql, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';

const LEASE_SECONDS = 60;

const defineSqlJob = <P>(
  name: string,
  payload: z.ZodType<P>,
  call: (sql: Sql, tenantId: string, payload: P) => Fragment,
): JobHandler =>
  defineJob({
    name,
    payload,
    leaseSeconds: LEASE_SECONDS,
    async run(given, job, dependencies) {
      const tenantId = tenantOf(job);
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => call(sql, tenantId, given));
      return 'done';
    },
  });

/** Recounts the tenant's players whose numbers may have changed. */
export const recount = defineSqlJob(
  'recount',
  z.object({}),
  (sql, tenantId) => sql`select app.recount(${tenantId})`,
);

/**
 * Queues a recount of all the tenant's players. It runs a minute after a badge or challenge was set, to include changes whose
 * transactions did not see the new rule.
 */
export const recountAllPlayers = defineSqlJob(
  'recount-everyone',
  z.object({}),
  (sql, tenantId) => sql`select app.queue_recount_of_everybody(${tenantId})`,
);

/** Runs the automations that an event triggers. */
export const runAutomations = defineSqlJob(
  'run-automations',
  z.object({ event_id: z.string() }),
  (sql, tenantId, { event_id: id }) => sql`select app.run_automations(${tenantId}, ${id})`,
);
