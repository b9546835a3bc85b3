// The job that runs automations. Their rules are in database/automations/, which also prevents that an event runs one twice.
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, tenantOf } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';

/** Runs the automations that an event triggers. */
export const runAutomations = defineJob({
  name: 'run-automations',
  payload: z.object({ event_id: z.string() }),
  leaseSeconds: 60,
  async run({ event_id: id }, job, dependencies) {
    const tenantId = tenantOf(job);
    await transactionWithJobs(
      dependencies,
      WORKER_SESSION,
      (sql) => sql`select app.run_automations(${tenantId}, ${id})`,
    );
    return 'done';
  },
});
