// Responses to callers if the database refuses or loses connections.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { WORKER_SESSION } from '../../shared/platform/db/database.ts';
import { defineJob } from '../../shared/platform/jobs/job.ts';
import { runJob } from '../../shared/platform/jobs/run-job.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectDatabase, createTenant, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { type Reply, sync } from '../support/gamification/sync.ts';
import { databaseAddress } from '../support/postgres/pooler-load.ts';
import {
  isAboutLeads,
  type RecordsBehindPooler,
  startRecordsBehindPooler,
  startSenders,
} from '../support/postgres/records-behind-pooler.ts';
import {
  type End,
  startTransactionPooler,
  type TransactionFault,
} from '../support/postgres/transaction-pooler.ts';
import { newEmail } from '../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { expectError } from '../support/records/records-answers.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ErrorFields } from '../support/wire/postgres-messages.ts';

const sql = connectDatabase();

const fatal = (code: string, message = 'refused'): ErrorFields => ({ severity: 'FATAL', code, message });
const UNREACHABLE = 'The service cannot reach its database at the moment.';
const NOTHING = `${UNREACHABLE} Nothing was done; please retry.`;
const UNKNOWN = `${UNREACHABLE} It is not known whether this was done.`;

/** How many times 10 s have passed: a test may take longer on a slow machine. */
const tenSecondsSince = (atMs: number): number => Math.floor((performance.now() - atMs) / 10_000);

/** Asserts a 503 of records whose message begins with this text. */
function expectUnavailable(reply: Reply, message: string, context = '') {
  expectError(reply, 503, 'SERVER_ERROR');
  expect([context, reply.body.error.message]).toEqual([context, expect.stringContaining(message)]);
  const isUndone = reply.body.error.message.includes('Nothing was done');
  expect([context, reply.body.error.effect]).toEqual([context, isUndone ? 'none' : 'unknown']);
  expect([2, 3, 4, 5]).toContain(Number(reply.headers.get('retry-after')));
}

describe('before a connection is ready', () => {
  test('every error returns 503, regardless of its code', async () => {
    const { pooler, read, write, logged } = await startRecordsBehindPooler(sql);
    const codes = ['3D000', '08P01', '53300', '57P03', 'XX000', 'EAUTH'];
    for (const end of [...codes.map((code) => fatal(code)), 'reset'] as End[]) {
      pooler.faults.login = () => end;
      const context = JSON.stringify(end);
      for (const reply of [await write(), await read()]) expectUnavailable(reply, NOTHING, context);
    }
    const failed = logged('request failed');
    expect(failed.map(({ reason }) => reason)).toEqual(failed.map(() => 'database_away'));
    const refused = logged('the database refused a connection');
    // A closed connection has an error code of the operating system.
    expect(refused.slice(0, codes.length)).toEqual(
      codes.map((code) => ({
        at: expect.any(String),
        level: 'error',
        message: 'the database refused a connection',
        ...{ code, held_back_s: 0 },
      })),
    );
    pooler.faults = {};
    expect((await write()).status).toBe(201);
  });

  test('a server that refuses TLS returns 503', async () => {
    const { url } = await startTransactionPooler(databaseAddress());
    const { apiKey } = await createTenant(sql);
    const { baseUrl } = await startOwnFunction('default-integration', {
      DATABASE_URL: `${url}?sslmode=require`,
    });
    const { status, headers, body } = await sync(
      apiKey,
      { action: 'sync_activities', activities: [] },
      { baseUrl },
    );
    expect([status, body.error]).toEqual([
      503,
      {
        code: 'SERVER_ERROR',
        message: NOTHING,
        retry_after: Number(headers.get('retry-after')),
        effect: 'none',
      },
    ]);
  });

  test('after a rejected password the worker tries once in 10 s, and responds immediately in between', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const wrong = new URL(url);
    wrong.password = 'not-the-password';
    const { baseUrl, lines } = await startOwnFunction('v1', { DATABASE_URL: wrong.href });
    const { token } = await createRecordsTenant(sql);
    const startedAtMs = performance.now();
    const send = (i: number) =>
      i % 2
        ? records(token, 'GET', '/leads', undefined, { baseUrl })
        : records(token, 'POST', '/leads', { name: 'Bia', email: newEmail() }, { baseUrl });
    const first = await send(0);
    const others = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i)));
    for (const reply of [first, ...others]) {
      expectError(reply, 503, 'SERVER_ERROR');
      expect(reply.body.error.message).toBe(NOTHING);
    }
    for (const { headers } of others) {
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(10);
    }
    expect(pooler.logins.length).toBeLessThanOrEqual(1 + tenSecondsSince(startedAtMs));
    const refused = lines.filter((line) => line.includes('the database refused a connection'));
    expect(refused).toEqual([expect.stringMatching(/"code":"28P01","held_back_s":10}$/)]);
    for (const secret of [wrong.password, wrong.port, wrong.username])
      expect(refused[0]).not.toContain(secret);
  });

  test('the first successful connection ends the hold-back', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    let isRejected = true;
    pooler.faults.login = () => (isRejected ? fatal('28P01') : undefined);
    const database = openDatabase({ DATABASE_URL: url, DATABASE_POOL_SIZE: 4 });
    const send = async () => {
      const all = Array.from({ length: 4 }, () =>
        database.transaction(WORKER_SESSION, (sql) => sql`select 1`),
      );
      const outcomes = await Promise.allSettled(all);
      return outcomes.filter(({ status }) => status === 'fulfilled').length;
    };
    const now = performance.now.bind(performance);
    let passedMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    onTestFinished(() => clock.mockRestore());
    await send();
    const before = pooler.logins.length;
    passedMs = 10_000;
    expect([await send(), pooler.logins.length]).toEqual([0, before + 1]);
    isRejected = false;
    passedMs = 20_000;
    // One request connects, and the others do not wait for it.
    expect([await send(), pooler.logins.length]).toEqual([1, before + 2]);
    expect(await send()).toBe(4);
  });
});

test('a password rotated under load causes no 500', async () => {
  const { pooler, write } = await startRecordsBehindPooler(sql);
  const { replies, more, stop } = startSenders(write);
  await more(({ status }) => status === 201);
  pooler.faults.login = () => fatal('28P01', 'password authentication failed');
  // Open connections continue.
  await more(({ status }) => status === 201);
  const [attempts, droppedAtMs] = [pooler.logins.length, performance.now()];
  pooler.drop();
  await more(({ status }) => status === 503);
  await stop();
  for (const { status, body } of replies.filter((reply) => reply.status !== 201)) {
    expect([status, body.error.message]).toEqual([503, expect.stringContaining(UNREACHABLE)]);
  }
  // One for each connection at first, and then one every 10 s.
  expect(pooler.logins.length - attempts).toBeLessThanOrEqual(4 + tenSecondsSince(droppedAtMs));
});

describe('in a transaction', () => {
  const terminated = fatal('57P01', 'terminating connection due to administrator command');
  /** The fault, the response to a write, and the number of stored leads. */
  const cases: [string, TransactionFault, string, number][] = [
    ['no connection of the pooler', { end: fatal('08P01', 'query_wait_timeout') }, NOTHING, 0],
    ['a FATAL of the first statement', { end: fatal('XX000') }, NOTHING, 0],
    ['a PANIC of the first statement', { end: { ...terminated, severity: 'PANIC' } }, NOTHING, 0],
    ['a FATAL of a later statement', { after: 1, end: terminated }, UNKNOWN, 0],
    ['a FATAL after all statements', { after: 'all', end: terminated }, UNKNOWN, 0],
    ['a FATAL after the commit', { after: 'commit', end: terminated }, UNKNOWN, 1],
    ['a lost socket before the first answer', { end: 'reset' }, UNKNOWN, 0],
    ['a lost socket after the commit', { after: 'commit', end: 'reset' }, UNKNOWN, 1],
  ];

  /** Sends a request while this fault hits each transaction about leads. */
  async function during(
    { pooler }: RecordsBehindPooler,
    fault: TransactionFault,
    send: () => Promise<Reply>,
  ): Promise<Reply> {
    pooler.faults.transaction = (text) => (isAboutLeads(text) ? fault : undefined);
    const reply = await send();
    pooler.faults = {};
    return reply;
  }

  test('the response to a write reports the known effect, and the response to a read reports none', async () => {
    const worker = await startRecordsBehindPooler(sql);
    for (const [name, fault, said, leads] of cases) {
      const email = newEmail();
      const written = await during(worker, fault, () => worker.write(email));
      expectUnavailable(written, said, name);
      expect([name, await worker.countLeads(email)]).toEqual([name, leads]);
      expectUnavailable(await during(worker, fault, worker.read), NOTHING, name);
      await waitFor(async () => {
        const [row] = await sql`
          select from admin.request_log
          where request_id = ${written.headers.get('x-request-id')} and status = 503 and reason = 'database_away'`;
        return row;
      });
    }
  });

  test('a write with an Idempotency-Key is executed once, wherever its connection breaks', async () => {
    const worker = await startRecordsBehindPooler(sql);
    for (const group of [1, 2]) {
      for (const after of [0, 1, 'all', 'commit'] as const) {
        const [email, key] = [newEmail(), crypto.randomUUID()];
        const send = () => worker.write(email, { 'Idempotency-Key': key });
        const interrupted = await during(worker, { group, after, end: terminated }, send);
        expectUnavailable(interrupted, UNREACHABLE);
        // The server may still be executing the interrupted work.
        const again = await waitFor(async () => {
          const reply = await send();
          return reply.body.error?.code !== 'IDEMPOTENCY_KEY_IN_USE' && reply;
        });
        const counted = await worker.countLeads(email);
        expect([group, after, again.status, counted]).toEqual([group, after, 201, 1]);
        const { body } = await send();
        expect(body.data.id).toBe(again.body.data.id);
      }
    }
  });
});

test('an ERROR of class 08 counts as a lost connection', async () => {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  const database = openDatabase({ DATABASE_URL: url });
  const end = { severity: 'ERROR', code: '08006', message: 'server connection lost' } as const;
  pooler.faults.transaction = () => ({ end });
  const send = (reads: boolean) => database.transaction({ ...WORKER_SESSION, reads }, (sql) => sql`select 1`);
  await expect(send(true)).rejects.toMatchObject({ reason: 'database_away', effect: 'none' });
  await expect(send(false)).rejects.toMatchObject({ reason: 'database_away', effect: 'unknown' });
});

describe('a job', () => {
  const troubles: [string, TransactionFault | 'read-only'][] = [
    ['loses its connection', { after: 1, end: fatal('57P01') }],
    ['finds the database read-only', 'read-only'],
  ];
  test.each(troubles)('that %s is retried without counting as a failure', async (_, fault) => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    pooler.faults.transaction = (text) => (text.includes('its own work') ? fault : undefined);
    const database = openDatabase({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' });
    const name = `test-${crypto.randomUUID().replace(/[^a-z]/g, '')}`;
    // One more failure, and the job fails for good.
    const [job] = await sql`
      insert into jobs (name, key, failures, published_at) values (${name}, 'one', 9, '2999-01-01') returning id`;
    const handler = defineJob({
      name,
      payload: z.object({}),
      leaseSeconds: 30,
      async run() {
        await database.transaction(
          WORKER_SESSION,
          (sql) => sql`update public.jobs set last_error = 'its own work' where name = ${name}`,
        );
        return 'done';
      },
    });
    const queue = { publish: async () => true, handOff: async () => true };
    const outcome = await runJob(handler, job?.id, { database, queue, log: silentLogger });
    const [row] = await sql`
      select failures, failed_at, finished_at, locked_until, due_at < now() + interval '1 minute' as soon from jobs where id = ${job?.id}`;
    expect({ outcome, ...row }).toEqual({
      ...{ outcome: 'retry', failures: 9, soon: true },
      ...{ failed_at: null, finished_at: null, locked_until: null },
    });
  });
});
