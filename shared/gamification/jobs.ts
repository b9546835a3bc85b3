// What gamification does later, each a due row: counting for badges, challenges and rankings, and running automations.
// The rules are in the database, migrations/*_gamification_*.sql and *_automations*.sql, which also see to it that each award and
// each run is there once.
import { z } from 'zod';
import { WORKER_SESSION } from '../platform/db/database.ts';
import { defineJob, JobFailure } from '../platform/jobs/job.ts';
import { transactionWithJobs } from '../platform/jobs/transaction-with-jobs.ts';

const LEASE_SECONDS = 60;

/** Counts for everybody of the tenant whose numbers may have changed. */
export const recount = defineJob({
  name: 'recount',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, { tenantId }, dependencies) {
    if (!tenantId) throw new JobFailure('A recount belongs to a tenant.');
    await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => sql`select app.recount(${tenantId})`);
    return 'done';
  },
});

/** Has everybody of the tenant counted: a minute after a badge or challenge was set, for changes that did not see it. */
export const recountEverybody = defineJob({
  name: 'recount-everybody',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, { tenantId }, dependencies) {
    if (!tenantId) throw new JobFailure('A recount belongs to a tenant.');
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.queue_recount_of_everybody(${tenantId})`,
    );
    return 'done';
  },
});

/** Runs the automations that wait for an event. */
export const runAutomations = defineJob({
  name: 'run-automations',
  payload: z.object({ event_id: z.string() }),
  leaseSeconds: LEASE_SECONDS,
  async run({ event_id: id }, { tenantId }, dependencies) {
    if (!tenantId) throw new JobFailure('An event belongs to a tenant.');
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.run_automations(${tenantId}, ${id})`,
    );
    return 'done';
  },
});
