// The transaction of a job, which may create jobs itself.
import type { RowsOf, Session, Sql, Work } from '../db/database.ts';
import type { JobDependencies } from './job.ts';
import { runAndCollectJobs } from './new-jobs.ts';

/** Runs a job's transaction and publishes the jobs that it created before returning. */
export async function transactionWithJobs<const W extends Work>(
  { database, queue, log }: JobDependencies,
  session: Session,
  build: (sql: Sql) => W,
): Promise<RowsOf<W>> {
  const { rows, jobs } = await runAndCollectJobs((all) => database.transaction(session, all), build);
  await queue.publish(jobs, log);
  return rows;
}
