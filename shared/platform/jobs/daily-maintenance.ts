// The daily maintenance job: maintains partitions of the request log, updates ledger totals and deletes expired rows. It works in small
// steps, so that it does not block requests.
import { z } from 'zod';
import { oneRow, WORKER_SESSION } from '../db/database.ts';
import { defineJob } from './job.ts';
import {
  type CheckedPlayer,
  checkPoints,
  deleteExpiredRows,
  deleteFailedEmailContent,
  EXPIRING_ROWS,
  updateLedgerTotals,
} from './queries.ts';

const KEEP_GIVEN_UP_MAILS_DAYS = 2;
const LEASE_SECONDS = 120;
/** After this time, the run ends. Another one continues a second later. */
const WORK_MS = 60_000;
const STEP = 1000;

export const dailyMaintenance = defineJob({
  name: 'daily-maintenance',
  payload: z.object({}),
  leaseSeconds: LEASE_SECONDS,
  async run(_payload, _job, { database }) {
    const endsAt = Date.now() + WORK_MS;
    await database.transaction(WORKER_SESSION, (sql) => ({
      requestLog: sql`select app.maintain_request_log()`,
      ended: sql`select app.freeze_ended_months()`,
      changes: sql`select app.maintain_changes()`,
      mails: deleteFailedEmailContent(sql, KEEP_GIVEN_UP_MAILS_DAYS),
    }));
    for (let summed = 1; summed > 0; ) {
      if (Date.now() > endsAt) return { retryInSeconds: 1 };
      const rows = await database.transaction(WORKER_SESSION, (sql) => updateLedgerTotals(sql));
      ({ summed } = oneRow(rows));
    }
    for (let last: CheckedPlayer | undefined; ; ) {
      if (Date.now() > endsAt) return { retryInSeconds: 1 };
      const rows = await database.transaction(WORKER_SESSION, (sql) => checkPoints(sql, last, STEP));
      [last] = rows;
      if (!last) break;
    }
    for (const what of EXPIRING_ROWS) {
      for (let dropped = STEP; dropped >= STEP; ) {
        if (Date.now() > endsAt) return { retryInSeconds: 1 };
        const rows = await database.transaction(WORKER_SESSION, (sql) => deleteExpiredRows(sql, what, STEP));
        ({ dropped } = oneRow(rows));
      }
    }
    return 'done';
  },
});
