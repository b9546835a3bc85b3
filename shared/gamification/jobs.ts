// Gamification jobs: recounts for badges, challenges and rankings, and automations.
// The rules are in database/gamification/ and database/automations/, which also prevent duplicate awards and runs.
import { z } from 'zod';
import { WORKER_SESSION } from '../platform/db/database.ts';
import { defineJob, tenantOf } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';

const LEASE_SECONDS = 60;

/** Recounts the tenant's players whose numbers may have changed. */
export const recount = defineJob({
  name: 'recount',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, job, dependencies) {
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.recount(${tenantOf(job)})`,
    );
    return 'done';
  },
});

/**
 * Queues a recount of all the tenant's players. It runs a minute after a badge or challenge was set, to include changes whose
 * transactions did not see the new rule.
 */
export const recountAllPlayers = defineJob({
  name: 'recount-everybody',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, job, dependencies) {
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.queue_recount_of_everybody(${tenantOf(job)})`,
    );
    return 'done';
  },
});

/** Runs the automations that an event triggers. */
export const runAutomations = defineJob({
  name: 'run-automations',
  payload: z.object({ event_id: z.string() }),
  leaseSeconds: LEASE_SECONDS,
  async run({ event_id: id }, job, dependencies) {
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.run_automations(${tenantOf(job)}, ${id})`,
    );
    return 'done';
  },
});
