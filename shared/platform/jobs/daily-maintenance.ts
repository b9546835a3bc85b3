// Once a day: partitions of the request log; and finished jobs and idempotency keys that nobody looks at any more go.
import { z } from 'zod';
import { WORKER_SESSION } from '../db/database.ts';
import { defineJob } from './job.ts';
import { deleteOldJobs, forgetOldMails } from './queries.ts';

const KEEP_FINISHED_DAYS = 30;
const KEEP_GIVEN_UP_MAILS_DAYS = 2;

export const dailyMaintenance = defineJob({
  name: 'daily-maintenance',
  payload: z.object({}),
  leaseSeconds: 120,
  async run(_payload, _job, { database }) {
    await database.transaction(WORKER_SESSION, (sql) => [
      sql`select app.maintain_request_log()`,
      deleteOldJobs(sql, KEEP_FINISHED_DAYS),
      forgetOldMails(sql, KEEP_GIVEN_UP_MAILS_DAYS),
      sql`select app.remove_old_keys()`,
    ]);
    return 'done';
  },
});
