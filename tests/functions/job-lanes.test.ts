// How messages that name a job with a lane are processed, for any kind of job.
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ClaimedLaneJob, JobFailure, type LaneHandler } from '../../shared/platform/jobs/job.ts';
import type { JobMessage } from '../../shared/platform/jobs/publish.ts';
import { runLane } from '../../shared/platform/jobs/run-lane.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';

const sql = connectDatabase();

interface Work extends ClaimedLaneJob {
  n: number;
}

type Outcome = 'done' | 'rest';
type Run = (n: number, work: Work) => Promise<Outcome> | Outcome;

/** A new lane with this many due jobs, numbered in order of their due times, and a handler that runs two of them concurrently. */
async function createLane(jobs: number, run: Run = () => 'done') {
  const name = `test-${crypto.randomUUID().replace(/[^a-z]/g, '')}`;
  const rows = await sql`
    insert into jobs (name, key, lane, payload, due_at, published_at)
    select ${name}, n::text, ${name}, jsonb_build_object('n', n), now() - make_interval(secs => 1000 - n), '2999-01-01'
    from generate_series(1, ${jobs}) n returning id`;
  const ran: number[] = [];
  const handler: LaneHandler<Work, Outcome> = {
    name,
    concurrency: 2,
    leaseSeconds: 30,
    orderingKey: () => null,
    begin: (sql, claimed) => sql`
      with claimed as (${claimed})
      select id as "jobId", attempts as claim, failures, (payload -> 'n')::integer as n from claimed`,
    async run(work) {
      ran.push(work.n);
      return await run(work.n, work);
    },
    record: (sql, done) => ({
      effects: [],
      outcomes: sql`
        select id, claim, null::timestamptz as again_at
        from jsonb_to_recordset(${JSON.stringify(done.map(({ work }) => ({ id: work.jobId, claim: work.claim })))}::text::jsonb)
          as done (id uuid, claim integer)`,
    }),
    shouldPauseLane: (outcome) => outcome === 'rest',
  };
  const database = openDatabase({ DATABASE_POOL_SIZE: 3 });
  const published: JobMessage[] = [];
  const passedOn: JobMessage[] = [];
  const queue = {
    publish: async (messages: JobMessage[]) => published.push(...messages) > 0,
    handOff: vi.fn(async (message: JobMessage) => passedOn.push(message) > 0),
  };
  const idOf = (n: number): string => rows[n - 1]?.id;
  const wake = (n = 1) => runLane(handler, { id: idOf(n) }, { database, queue, log: silentLogger });
  const jobOf = async (n: number) => (await sql`select * from jobs where id = ${idOf(n)}`)[0];
  return { name, wake, ran, queue, published, passedOn, idOf, jobOf };
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

test('runs the longest due jobs of the lane, at most 24, and sends another message for the rest', async () => {
  const { name, wake, ran, passedOn, idOf } = await createLane(30);
  expect(await wake(30)).toEqual({ jobs: 24, abandoned: false });
  expect(ran.toSorted((a, b) => a - b)).toEqual(upTo(24));
  expect(passedOn).toEqual([{ id: idOf(25), name, lane: name, traceparent: null }]);
  expect(await wake(1)).toEqual({ jobs: 6, abandoned: false });
  expect(ran.toSorted((a, b) => a - b)).toEqual(upTo(30));
  expect(passedOn).toHaveLength(1);
  expect(await wake(1)).toEqual({ jobs: 0, abandoned: false });
});

test('is delivered again if no message for the rest could be sent', async () => {
  const { wake, queue } = await createLane(25);
  queue.handOff.mockResolvedValueOnce(false);
  expect(await wake()).toEqual({ jobs: 24, abandoned: true });
  expect(await wake()).toEqual({ jobs: 1, abandoned: false });
});

test('a failing job is retried by itself, and one that can never succeed fails permanently', async () => {
  const { wake, name, published, idOf, jobOf } = await createLane(4, (n) => {
    if (n === 2) throw new Error('not yet');
    if (n === 3) throw new JobFailure('never');
    return 'done';
  });
  expect(await wake()).toEqual({ jobs: 4, abandoned: false });
  for (const n of [1, 4])
    expect(await jobOf(n)).toMatchObject({ finished_at: expect.any(Date), failures: 0 });
  expect(await jobOf(2)).toMatchObject({
    last_error: 'not yet',
    failures: 1,
    locked_until: null,
    failed_at: null,
  });
  expect(await jobOf(3)).toMatchObject({ last_error: 'never', failed_at: expect.any(Date) });
  expect(published).toEqual([{ id: idOf(2), name, lane: name, waitSeconds: 5, tenantId: null }]);
});

test('starts no more jobs after half a minute, and hands off', async () => {
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  const start = performance.now();
  const { wake, ran, passedOn, idOf } = await createLane(8, (n) => {
    if (n === 4) clock.mockReturnValue(start + 31_000);
    return 'done';
  });
  clock.mockReturnValue(start);
  expect(await wake()).toEqual({ jobs: 4, abandoned: false });
  expect(ran).toHaveLength(4);
  expect(passedOn).toMatchObject([{ id: idOf(5) }]);
});

test('pauses the lane if an outcome requests it', async () => {
  const { wake, ran, passedOn } = await createLane(8, (n) => (n === 1 ? 'rest' : 'done'));
  expect(await wake()).toEqual({ jobs: 2, abandoned: false });
  expect(ran).toHaveLength(2);
  expect(passedOn).toEqual([]);
});

test('keeps its claimed jobs, but not those that another worker has claimed since', async () => {
  const { wake, name, jobOf } = await createLane(6, async (n, { jobId }): Promise<Outcome> => {
    if (n !== 1) return 'done';
    const held =
      await sql`select (payload -> 'n')::integer as n from jobs where name = ${name} and locked_until > now() order by 1`;
    expect(held.map((row) => row.n)).toEqual([1, 2]);
    await sql`update jobs set attempts = attempts + 1, locked_until = now() + interval '1 hour' where id = ${jobId}`;
    return 'done';
  });
  expect(await wake()).toEqual({ jobs: 6, abandoned: false });
  expect(await jobOf(1)).toMatchObject({ finished_at: null, attempts: 2 });
  expect(await jobOf(2)).toMatchObject({ finished_at: expect.any(Date), attempts: 1 });
});

test('two concurrent messages run each job once', async () => {
  const { wake, ran } = await createLane(20);
  await Promise.all([wake(), wake(), wake()]);
  expect(ran.toSorted((a, b) => a - b)).toEqual(upTo(20));
});
