// The sweep: finds every overdue row, whatever became of its message. QStash calls it once a minute.
import type { Database } from '../db/database.ts';
import type { Logger } from '../log.ts';
import { dailyMaintenance } from './daily-maintenance.ts';
import { type Queue, wakesOf } from './queue.ts';
import { insertJob, takeOverdueJobs } from './table.ts';

const MAX_JOBS = 500;

export const SWEEP_PATH = '/callbacks/sweep';
export const SWEEP_SCHEDULE_ID = 'placar-sweep';
export const SWEEP_CRON = '* * * * *';

/** Announces overdue jobs, and sees that the daily one exists. Returns how many were announced. */
export async function sweep(database: Database, queue: Queue, log: Logger): Promise<number> {
  const today = new Date().toISOString().slice(0, 10);
  const [, overdue] = await database.transaction({ role: 'worker', tenantId: null }, (sql) => [
    insertJob(sql, { tenantId: null, name: dailyMaintenance.name, key: today }),
    takeOverdueJobs(sql, MAX_JOBS),
  ]);
  const jobs = wakesOf(overdue);
  await queue.wake(jobs, log);
  return jobs.length;
}
