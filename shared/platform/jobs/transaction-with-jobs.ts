// Transactions that create jobs, directly or by trigger. The jobs are published after the commit.
import type { RowsOf, Session, Sql, Statement, Transaction, Work } from '../db/database.ts';
import type { JobDependencies } from './job.ts';
import type { JobMessage } from './lane-messages.ts';
import { jobMessagesOf, type PublishableJob } from './publish.ts';
import { selectNewJobs } from './queries.ts';

/**
 * Runs the statements and then `selectJobs`, which returns the jobs that they created. Returns the statements' rows and the messages to
 * publish.
 */
export async function collectNewJobs<const W extends Work>(
  transaction: Transaction,
  build: (sql: Sql) => W,
  selectJobs: (sql: Sql) => Statement<PublishableJob> = selectNewJobs,
): Promise<{ rows: RowsOf<W>; jobs: JobMessage[] }> {
  const { work, jobs } = await transaction((sql) => ({ work: build(sql), jobs: selectJobs(sql) }));
  return { rows: work, jobs: jobMessagesOf(jobs) };
}

/** Runs a job's transaction and publishes the jobs that it created before returning. */
export async function transactionWithJobs<const W extends Work>(
  { database, queue, log }: JobDependencies,
  session: Session,
  build: (sql: Sql) => W,
): Promise<RowsOf<W>> {
  const { rows, jobs } = await collectNewJobs((all) => database.transaction(session, all), build);
  await queue.publish(jobs, log);
  return rows;
}
