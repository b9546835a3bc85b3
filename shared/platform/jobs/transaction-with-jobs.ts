import type { Rows, Session, Sql, Statement } from '../db/database.ts';
import type { JobTools } from './job.ts';
import { wakesOf } from './publish.ts';
import { newJobs } from './queries.ts';

/** A transaction of a job's, whose own orders (by trigger, say) are announced once it is committed. */
export async function orderingTransaction(
  { database, queue, log }: JobTools,
  session: Session,
  build: (sql: Sql) => Statement[],
): Promise<Rows[]> {
  const results = await database.transaction(session, (sql) => [...build(sql), newJobs(sql)]);
  await queue.wake(wakesOf(results.at(-1)), log);
  return results.slice(0, -1);
}
