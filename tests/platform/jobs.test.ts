// Running a job, with a handler of the test's own.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../../shared/platform/jobs/job.ts';
import { jitter } from '../../shared/platform/jobs/retry-schedule.ts';
import { runJob } from '../../shared/platform/jobs/run-job.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { inTransaction } from '../support/gamification/gamification.ts';

const sql = connectDatabase();

test('a handler is aborted before its claim expires, so that its result still counts', async () => {
  const name = `test-${crypto.randomUUID().replace(/[^a-z]/g, '')}`;
  const [job] = await sql`
    insert into jobs (name, key, published_at) values (${name}, 'one', '2999-01-01') returning id`;
  const handler = defineJob({
    name,
    payload: z.object({}),
    leaseSeconds: 2,
    async run(_payload, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      const [claim] = await sql`select locked_until > now() as holds from jobs where id = ${job?.id}`;
      expect(claim?.holds).toBe(true);
      return 'done';
    },
  });
  const queue = { publish: async () => true, handOff: async () => true };
  const outcome = await runJob(handler, job?.id, { database: openDatabase(), queue, log: silentLogger });
  const [row] = await sql`select finished_at is not null as finished from jobs where id = ${job?.id}`;
  expect([outcome, row?.finished]).toEqual(['done', true]);
});

test('SQL computes the same jitter', async () => {
  const rows = await sql`
    select seconds, id, failures, private.add_jitter(seconds, id, failures) as wait
    from unnest(array[0, 5, 6, 7, 8, 30, 3600, 86400]) as seconds, unnest(array['wdl_1', 'x', gen_random_uuid()::text]) as id,
         generate_series(0, 12) as failures`;
  expect(rows.map(({ seconds, id, failures }) => jitter(seconds, { id, failures }))).toEqual(
    rows.map(({ wait }) => wait),
  );
});

test('a transaction lists all jobs that it scheduled, and the cost of each does not grow with their number', async () => {
  await inTransaction(sql, async (tx) => {
    const schedule = (from: number, to: number) => tx`
      insert into jobs (name, key) select 'send-mail', gen_random_uuid() from generate_series(${from}::int, ${to}::int) returning id`;
    const ids = [...(await schedule(1, 1)), ...(await schedule(2, 400))].map(({ id }) => id);
    await tx
      .savepoint(async (undone) => {
        await undone`insert into jobs (name, key) select 'send-mail', gen_random_uuid() from generate_series(1, 400)`;
        throw new Error('undone');
      })
      .catch(() => {});
    await tx`update jobs set due_at = now() + interval '1 minute' where id = ${ids[0]}`;
    const listed = await tx`select id from app.new_jobs()`;
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    // Each job appends its id to this setting, which copies it.
    const [setting] = await tx`select octet_length(current_setting('app.new_jobs')) as bytes`;
    expect(setting?.bytes).toBeLessThan(5000);
  });
});
