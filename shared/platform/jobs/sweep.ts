// The sweep: finds every overdue row, whatever became of its message. QStash calls it once a minute.
import type { Sql, Statement } from '../db/database.ts';
import { dailyMaintenance } from './daily-maintenance.ts';
import type { JobTools } from './job.ts';
import { wakesOf } from './publish.ts';
import { insertJob, takeOverdueJobs } from './queries.ts';

const MAX_JOBS = 500;

export const SWEEP_PATH = '/callbacks/sweep';
export const SWEEP_SCHEDULE_ID = 'placar-sweep';
export const SWEEP_CRON = '* * * * *';

/** Announces overdue jobs, and sees that the daily one and those for unfinished work exist. Returns how many. */
export async function sweep(
  { database, queue, log }: JobTools,
  orderUnfinished: (sql: Sql) => Statement[],
): Promise<number> {
  const today = new Date().toISOString().slice(0, 10);
  const results = await database.transaction({ role: 'worker', tenantId: null }, (sql) => [
    insertJob(sql, { tenantId: null, name: dailyMaintenance.name, key: today }),
    ...orderUnfinished(sql),
    takeOverdueJobs(sql, MAX_JOBS),
  ]);
  const jobs = wakesOf(results.at(-1));
  await queue.wake(jobs, log);
  return jobs.length;
}
