// Running a job, with a handler of the test's own.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineJob } from '../../shared/platform/jobs/job.ts';
import { jitter } from '../../shared/platform/jobs/retry-schedule.ts';
import { runJob } from '../../shared/platform/jobs/run-job.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';

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
