// Transactions that create jobs, directly or by trigger. The jobs are published after the commit.
import type { Fragment, RowsOf, Session, Sql, Transaction, Work } from '../db/database.ts';
import type { JobDependencies } from './job.ts';
import type { JobMessage } from './publish.ts';
import { selectNewJobs } from './queries.ts';

/**
 * Runs the statements and returns their rows and the messages of the jobs that they created. `writeLast` is a further statement that
 * runs after the work, together with the query for the jobs.
 */
export async function runAndCollectJobs<const W extends Work>(
  transaction: Transaction,
  build: (sql: Sql) => W,
  writeLast?: (sql: Sql) => Fragment,
): Promise<{ rows: RowsOf<W>; jobs: JobMessage[] }> {
  const { work, jobs } = await transaction((sql) => ({
    work: build(sql),
    jobs: writeLast
      ? sql<JobMessage>`with written as (${writeLast(sql)}) ${selectNewJobs(sql)}`
      : selectNewJobs(sql),
  }));
  return { rows: work, jobs };
}

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
