// Jobs that a transaction creates, directly or by trigger. They are published after the commit.
import type { Fragment, RowsOf, Sql, Statement, Transaction, Work } from '../db/database.ts';
import type { JobMessage } from './publish.ts';

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

/** Selects the jobs that the transaction has created so far. Publish them after the commit. */
function selectNewJobs(sql: Sql, where: Fragment = sql``): Statement<JobMessage> {
  return sql`
    select id, name, lane, ${waitSeconds(sql)} as "waitSeconds",
           case when name = any (${LIMITED_PER_TENANT}::text[]) then tenant_id end as "tenantId"
    from app.new_jobs() ${where}`;
}

/** Selects new jobs that are due later. Publishing them with a delay makes them run on time instead of waiting for the next sweep. */
export const selectNewLaterJobs = (sql: Sql): Statement<JobMessage> =>
  selectNewJobs(sql, sql`where due_at > now()`);

/** Jobs without a lane that a tenant can cause in large numbers, so that each tenant runs few at once. */
export const LIMITED_PER_TENANT = '{run-automations}';

/** Seconds until a row is due, by the database's clock. Rounded up, because QStash accepts only whole seconds. */
export const waitSeconds = (sql: Sql) =>
  sql`greatest(0, ceil(extract(epoch from due_at - clock_timestamp())))::integer`;
