// Transactions that cause jobs, by trigger or of their own: the jobs are published once they are committed.
import type { Fragment, RowsOf, Session, Sql, Statement, Transaction } from '../db/database.ts';
import type { JobDependencies } from './job.ts';
import { type JobMessage, jobMessagesOf, type PublishableJob } from './publish.ts';
import { selectNewJobs } from './queries.ts';

/**
 * Runs the statements and, last, one that gives the jobs they caused: `selectNewJobs`, or one that does more besides.
 * Gives the statements' rows, and what to publish.
 */
export async function collectNewJobs<const S extends readonly Fragment[]>(
  transaction: Transaction,
  build: (sql: Sql) => S,
  selectJobs: (sql: Sql) => Statement<PublishableJob> = selectNewJobs,
): Promise<{ rows: RowsOf<S>; jobs: JobMessage[] }> {
  const all: unknown[][] = await transaction((sql): Fragment[] => [...build(sql), selectJobs(sql)]);
  // The compiler cannot tell the last element of a list from the others when it does not know their number.
  return { rows: all.slice(0, -1) as RowsOf<S>, jobs: jobMessagesOf(all.at(-1) as PublishableJob[]) };
}

/** A job's own transaction; what it causes is published before this returns. */
export async function transactionWithJobs<const S extends readonly Fragment[]>(
  { database, queue, log }: JobDependencies,
  session: Session,
  build: (sql: Sql) => S,
): Promise<RowsOf<S>> {
  const { rows, jobs } = await collectNewJobs((all) => database.transaction(session, all), build);
  await queue.publish(jobs, log);
  return rows;
}
