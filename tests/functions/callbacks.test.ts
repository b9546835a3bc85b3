// Jobs: due rows, the messages that wake them, and the sweep that finds jobs that were missed.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerType, serve } from '@hono/node-server';
import { Client } from '@upstash/qstash';
import { beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createCallbacks } from '../../functions/callbacks/app.ts';
import { startQstash } from '../../local/emulators/qstash/index.ts';
import type { Env } from '../../shared/platform/env.ts';
import type { App } from '../../shared/platform/http/app.ts';
import { defineJob, JobFailure, type JobHandler, type JobLoaders } from '../../shared/platform/jobs/job.ts';
import type { JobMessage } from '../../shared/platform/jobs/publish.ts';
import { jobUrl } from '../../shared/platform/jobs/publish.ts';
import { runJob } from '../../shared/platform/jobs/run-job.ts';
import { SWEEP_PATH, SWEEP_SCHEDULE_ID } from '../../shared/platform/jobs/sweep-schedule.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { sweepHere } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const stackEnv = inject('env');

beforeEach(() => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => quiet.mockRestore();
});

const settings = (
  env: Record<string, string>,
): Env<'app' | 'telemetry' | 'database' | 'qstash' | 'callbacks'> => ({
  APP_ENV: 'staging',
  LOG_LEVEL: 'error',
  CLIENT_ADDRESS_HEADER: 'cf-connecting-ip',
  UNKNOWN_CALLER_ROWS: 100_000,
  DOCS_URL: 'https://placar.dev',
  OTEL_SERVICE_NAME: 'placar',
  OTEL_TRACES_SAMPLER_ARG: 1,
  SUPABASE_DB_URL: env.SUPABASE_DB_URL ?? '',
  DATABASE_POOLER: 'auto',
  DATABASE_POOL_SIZE: 4,
  DATABASE_READ_TIMEOUT_MS: 10_000,
  DATABASE_TIMEOUT_MS: 120_000,
  QSTASH_URL: env.QSTASH_URL ?? '',
  QSTASH_TOKEN: env.QSTASH_TOKEN ?? '',
  FUNCTIONS_URL: env.FUNCTIONS_URL ?? '',
  QSTASH_CURRENT_SIGNING_KEY: env.QSTASH_CURRENT_SIGNING_KEY ?? '',
  QSTASH_NEXT_SIGNING_KEY: env.QSTASH_NEXT_SIGNING_KEY ?? '',
  SWEEP_MAX_JOBS: 20_000,
});

/** Serves on a free port until the end of the test. */
async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = await new Promise<ServerType>((resolve) => {
    const listening: ServerType = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(listening));
  });
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const loadersOf = (handlers: JobHandler[]): JobLoaders =>
  Object.fromEntries(handlers.map((handler) => [handler.name, async () => handler]));

/** A callbacks app with the jobs of the test and its own QStash. */
async function startCallbacks(handlers: JobHandler[]) {
  const stateDir = mkdtempSync(join(tmpdir(), 'placar-qstash-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const keys = {
    QSTASH_TOKEN: 'token',
    QSTASH_CURRENT_SIGNING_KEY: 'sig_current',
    QSTASH_NEXT_SIGNING_KEY: 'sig_next',
  };
  const qstash = await startQstash({
    token: keys.QSTASH_TOKEN,
    currentSigningKey: keys.QSTASH_CURRENT_SIGNING_KEY,
    nextSigningKey: keys.QSTASH_NEXT_SIGNING_KEY,
    stateDir,
    onMail: () => {},
  });
  // The settings of the app contain its own address, so the server listens before the app exists.
  let app: App | undefined;
  const url = await listen((request) => app?.fetch(request) ?? new Response(null, { status: 503 }));
  app = createCallbacks(
    settings({ ...stackEnv, ...keys, FUNCTIONS_URL: url, QSTASH_URL: qstash.url }),
    () => ({ jobs: loadersOf(handlers) }),
  );
  onTestFinished(() => qstash.close());
  const client = new Client({ baseUrl: qstash.url, token: 'token', devMode: false });
  const wake = (name: string, id: string) => client.publishJSON({ url: jobUrl(url, name), body: { id } });
  return { url, client, wake };
}

async function insertJob(name: string, payload: Record<string, string | number> = {}): Promise<string> {
  const [row] = await sql`
    insert into jobs (name, key, payload) values (${name}, ${crypto.randomUUID()}, ${sql.json(payload)}) returning id`;
  return row?.id;
}

const jobRow = async (id: string) =>
  (await sql`select *, locked_until > now() as locked from jobs where id = ${id}`)[0];

const uniqueName = () => `test-${crypto.randomUUID().replace(/[^a-z]/g, '')}`;

function counting(run: (n: number) => Promise<void> | void = () => {}) {
  const runs: unknown[] = [];
  const name = uniqueName();
  const handler = defineJob({
    name,
    payload: z.object({ n: z.number().optional() }),
    leaseSeconds: 30,
    async run(payload) {
      runs.push(payload);
      await run(runs.length);
      return 'done';
    },
  });
  return { name, handler, runs };
}

describe('a job', () => {
  test('is done once, regardless of the number of messages', async () => {
    const { name, handler, runs } = counting();
    const { wake } = await startCallbacks([handler]);
    const id = await insertJob(name, { n: 7 });
    await Promise.all(Array.from({ length: 10 }, () => wake(name, id)));
    await waitFor(async () => (await jobRow(id))?.finished_at);
    await wake(name, id);
    expect(runs).toEqual([{ n: 7 }]);
    expect(await jobRow(id)).toMatchObject({ attempts: 1, last_error: null, locked_until: null });
  });

  test('that fails is retried later, and records the reason', async () => {
    let goOn = () => {};
    const looked = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { name, handler, runs } = counting(async (n) => {
      if (n === 1) throw new Error('not yet');
      await looked;
    });
    const { wake } = await startCallbacks([handler]);
    const id = await insertJob(name);
    const wokenAt = Date.now();
    await wake(name, id);
    const failed = await waitFor(async () => ((await jobRow(id))?.last_error ? jobRow(id) : undefined));
    expect(failed).toMatchObject({
      attempts: 1,
      last_error: 'not yet',
      finished_at: null,
      failed_at: null,
      locked: null,
    });
    expect(failed?.due_at.getTime()).toBeGreaterThan(wokenAt + 1000);
    goOn();
    await waitFor(async () => (await jobRow(id))?.finished_at);
    expect(runs).toHaveLength(2);
  });

  test('that can never succeed fails permanently with its reason', async () => {
    const hopeless = counting(() => {
      throw new JobFailure('the thing is gone');
    });
    const { name, handler } = counting();
    const { wake } = await startCallbacks([hopeless.handler, handler]);
    const [gone, malformed] = [await insertJob(hopeless.name), await insertJob(name, { n: 'seven' })];
    await wake(hopeless.name, gone);
    await wake(name, malformed);
    await waitFor(async () => (await jobRow(gone))?.failed_at && (await jobRow(malformed))?.failed_at);
    expect((await jobRow(gone))?.last_error).toBe('the thing is gone');
    const [row] = await sql`select status from admin.jobs where id = ${gone}`;
    expect(row?.status).toBe('failed');
  });

  test('whose worker died is done by the next one after its lease, and a late outcome does not count', async () => {
    const { name, handler, runs } = counting();
    const { wake } = await startCallbacks([handler]);
    const id = await insertJob(name);
    await sql`update jobs set attempts = 1, locked_until = now() + interval '1 hour' where id = ${id}`;
    await wake(name, id);
    await waitFor(
      async () => (await sql`select from request_log where path = ${`/callbacks/jobs/${name}`}`).length === 1,
    );
    expect(runs).toEqual([]);
    await sql`update jobs set locked_until = now() - interval '1 second' where id = ${id}`;
    await wake(name, id);
    await waitFor(async () => (await jobRow(id))?.finished_at);
    expect(await jobRow(id)).toMatchObject({ attempts: 2 });
  });

  test('jobs that share a message run independently of each other', async () => {
    const { name, handler, runs } = counting((n) => {
      if (n === 2) throw new Error('not yet');
    });
    const { client, url } = await startCallbacks([handler]);
    const ids = [
      await insertJob(name, { n: 1 }),
      await insertJob(name, { n: 2 }),
      await insertJob(name, { n: 3 }),
    ];
    const [id, ...others] = ids;
    await client.publishJSON({ url: jobUrl(url, name), body: { id, others: [...others, 'not an id'] } });
    await waitFor(async () =>
      (await Promise.all(ids.map(jobRow))).every((row) => row?.attempts === 1 && !row.locked),
    );
    expect(runs).toHaveLength(3);
    expect((await Promise.all(ids.map(jobRow))).map((row) => row?.failures).toSorted()).toEqual([0, 0, 1]);
  });

  test('a job that waits for the sweep gets no message', async () => {
    const handler = defineJob({
      name: uniqueName(),
      payload: z.object({}),
      leaseSeconds: 30,
      run: async () => ({ retryInSeconds: 1, waitsForSweep: true }),
    });
    const published: unknown[] = [];
    const queue = {
      publish: async (jobs: unknown[]) => published.push(...jobs) > 0,
      handOff: async () => true,
    };
    const id = await insertJob(handler.name);
    const dependencies = { database: openDatabase(), queue, log: silentLogger };
    expect(await runJob(handler, id, dependencies)).toBe('again');
    expect(published).toEqual([]);
    expect(await jobRow(id)).toMatchObject({ finished_at: null, attempts: 1, failures: 0 });
  });

  test('an unknown job or message becomes a dead letter immediately', async () => {
    const { name, handler } = counting();
    const { client, wake, url } = await startCallbacks([handler]);
    await wake('unknown-job', crypto.randomUUID());
    await client.publishJSON({ url: jobUrl(url, name), body: { id: 5 } });
    const letters = await waitFor(async () => {
      const { messages } = await client.dlq.listMessages();
      return messages.length === 2 ? messages : undefined;
    });
    expect(letters.map(({ responseStatus }) => responseStatus)).toEqual([489, 489]);
  });
});

describe('a function whose clock is wrong', () => {
  /** An app with the QStash of the stack, whose clock is correct. */
  async function startWithClock(handler: JobHandler, shiftMs: number) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + shiftMs });
    const tick = setInterval(
      () => vi.setSystemTime(performance.timeOrigin + performance.now() + shiftMs),
      10,
    );
    onTestFinished(() => {
      clearInterval(tick);
      vi.useRealTimers();
    });
    let app: App | undefined;
    const url = await listen((request) => app?.fetch(request) ?? new Response(null, { status: 503 }));
    app = createCallbacks(settings({ ...stackEnv, FUNCTIONS_URL: url }), () => ({
      jobs: loadersOf([handler]),
    }));
    const client = new Client({
      baseUrl: stackEnv.QSTASH_URL ?? '',
      token: stackEnv.QSTASH_TOKEN ?? '',
      devMode: false,
    });
    return (id: string) => client.publishJSON({ url: jobUrl(url, handler.name), body: { id } });
  }

  test.each([-60_000, 60_000])('by %i ms runs its jobs', async (shiftMs) => {
    const { name, handler } = counting();
    const wake = await startWithClock(handler, shiftMs);
    const id = await insertJob(name);
    await wake(id);
    await waitFor(async () => (await jobRow(id))?.finished_at);
    expect(await jobRow(id)).toMatchObject({ attempts: 1 });
  });

  test('by four seconds runs a job again when it is due, and not continuously until then', async () => {
    const name = uniqueName();
    const runs: number[] = [];
    const handler = defineJob({
      name,
      payload: z.object({}),
      leaseSeconds: 30,
      async run() {
        runs.push(performance.now());
        if (runs.length === 1) return { retryInSeconds: 2 };
        // A time that is in the future for the function's clock, and in the past for the database.
        return runs.length === 2 ? { againAt: new Date(Date.now() + 1000) } : 'done';
      },
    });
    const wake = await startWithClock(handler, -4000);
    const id = await insertJob(name);
    await wake(id);
    await waitFor(async () => (await jobRow(id))?.finished_at);
    expect(await jobRow(id)).toMatchObject({ attempts: 3 });
    const [first = 0, second = 0, third = 0] = runs;
    expect(second - first).toBeGreaterThan(1900);
    expect(third - second).toBeGreaterThan(900);
  });
});

describe('the sweep', () => {
  test('finds exactly the overdue jobs without a message', async () => {
    const { name, handler, runs } = counting();
    const { wake } = await startCallbacks([handler]);
    const [due, later, locked] = [await insertJob(name), await insertJob(name), await insertJob(name)];
    // The sweep of the stack may have published them since they were inserted.
    await sql`update jobs set due_at = now() + interval '1 hour', published_at = null where id = ${later}`;
    await sql`update jobs set locked_until = now() + interval '1 hour', published_at = null where id = ${locked}`;
    await waitFor(async () => {
      // The sweep of the stack, which runs every minute, may have published it to its own QStash, which has no such job.
      await sql`update jobs set published_at = null where id = ${due} and locked_until is null`;
      const isOwn = (job: JobMessage) => job.name === name;
      const found = await sweepHere({ keeps: isOwn });
      for (const job of found.filter(isOwn)) await wake(name, job.id);
      return (await jobRow(due))?.finished_at;
    });
    expect(runs).toHaveLength(1);
    for (const id of [later, locked])
      expect(await jobRow(id)).toMatchObject({ finished_at: null, published_at: null });
  });

  test('runs on a schedule of the stack, and its daily maintenance creates partitions', async () => {
    const client = new Client({
      baseUrl: stackEnv.QSTASH_URL ?? '',
      token: stackEnv.QSTASH_TOKEN ?? '',
      devMode: false,
    });
    const schedule = await client.schedules.get(SWEEP_SCHEDULE_ID);
    expect(schedule).toMatchObject({
      cron: '* * * * *',
      destination: `${stackEnv.FUNCTIONS_URL}${SWEEP_PATH}`,
    });
    await client.publishJSON({ url: `${stackEnv.FUNCTIONS_URL}${SWEEP_PATH}`, body: {} });
    await waitFor(
      async () =>
        (await sql`select from jobs where name = 'daily-maintenance' and finished_at is not null`).length > 0,
    );
  });
});

describe('only QStash is accepted', () => {
  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: '{"id":"x"}', headers });

  test.each([SWEEP_PATH, '/callbacks/jobs/daily-maintenance'])('%s', async (path) => {
    const url = `${stackEnv.FUNCTIONS_URL}${path}`;
    expect((await post(url)).status).toBe(401);
    expect((await post(url, { 'Upstash-Signature': 'a.b.c' })).status).toBe(401);
    expect((await fetch(url)).status).toBe(405);
  });

  test('rejects a valid signature for another URL or body', async () => {
    const { name, handler, runs } = counting();
    const { client, url } = await startCallbacks([handler]);
    const path = `/callbacks/jobs/${name}`;
    const captured: { signature: string; body: string }[] = [];
    const spy = await listen(async (request) => {
      captured.push({
        signature: request.headers.get('upstash-signature') ?? '',
        body: await request.text(),
      });
      return new Response('ok');
    });
    const id = await insertJob(name);
    await client.publishJSON({ url: spy, body: { id } });
    await waitFor(() => captured.length === 1);
    const [{ signature = '', body = '' } = {}] = captured;
    // Signed with the correct key, but for the address of the spy.
    const replayed = await fetch(`${url}${path}`, {
      method: 'POST',
      body,
      headers: { 'Upstash-Signature': signature },
    });
    expect(replayed.status).toBe(401);
    expect(runs).toEqual([]);
  });
});

describe('faults', () => {
  test('QStash unreachable: the job stays in its row, and the sweep is told', async () => {
    const { proxy, url } = await proxyBefore(stackEnv.QSTASH_URL ?? '');
    proxy.cut();
    const { createQueue } = await import('../../shared/platform/jobs/publish.ts');
    const { createLogger } = await import('../../shared/platform/logger.ts');
    const queue = createQueue(settings({ ...stackEnv, QSTASH_URL: url }));
    const id = await insertJob(uniqueName());
    await queue.publish([{ name: 'daily-maintenance', id }], createLogger('error'));
    expect(await jobRow(id)).toMatchObject({ finished_at: null, failed_at: null });
  });

  test('database unreachable: 503, so that QStash sends the message again', async () => {
    const { proxy, url } = await proxyBefore(stackEnv.SUPABASE_DB_URL ?? '');
    proxy.cut();
    const { edge } = await startOwnFunction('callbacks', { SUPABASE_DB_URL: url });
    const response = await fetch(`http://127.0.0.1:${edge.port}/callbacks/health`);
    expect(response.status).toBe(503);
  });
});

describe('the request log', () => {
  test('old partitions are dropped, future ones created, and rows in between stay', async () => {
    const [made] = await sql`select * from app.maintain_request_log(now() + interval '2 months')`;
    expect(made?.created).toBe(2);
    await sql`select private.create_request_log_partition('2010-05-01')`;
    const [dropped] = await sql`select * from app.maintain_request_log()`;
    expect(dropped).toEqual({ created: 0, dropped: 1 });
    const [again] = await sql`select * from app.maintain_request_log()`;
    expect(again).toEqual({ created: 0, dropped: 0 });
    const partitions =
      await sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'request_log'::regclass`;
    expect(partitions.length).toBeGreaterThanOrEqual(13);
    const unprotected = await sql`
      select relname from pg_class where relname like 'request_log_2%' and relkind = 'r' and not relrowsecurity`;
    expect(unprotected).toEqual([]);
  });
});
