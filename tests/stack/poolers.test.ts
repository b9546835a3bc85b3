// Poolers between the functions and Postgres.
import { beforeEach, describe, expect, test } from 'vitest';
import { namesTransactionPooler } from '../../shared/platform/database-address.ts';
import { type Sql, WORKER_SESSION } from '../../shared/platform/db/database.ts';
import type { Env } from '../../shared/platform/env.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import {
  databaseAddress,
  expectServed,
  startWorkers,
  timesTurnedOff,
} from '../support/postgres/pooler-load.ts';
import { startTransactionPooler, type TransactionPooler } from '../support/postgres/transaction-pooler.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';
import { wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

/** Creates a job that never becomes due. */
const insertJob = (sql: Sql, key: string) =>
  sql`insert into public.jobs (name, key, due_at) values ('test-pooler', ${key}, '2999-01-01')`;
const countJobs = async (key: string) => (await sql`select from jobs where key = ${key}`).length;

describe('a pooler in transaction mode under load on all interfaces', () => {
  test('each worker disables prepared statements once, and callers notice nothing', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const workers = await startWorkers(url);
    await expectServed(sql, workers, { mayRefuse: true });
    expect(timesTurnedOff(workers)).toEqual(workers.map(() => 1));
    const { names } = pooler;
    expect(names).toBeGreaterThan(0);
    await expectServed(sql, workers);
    expect(pooler.names).toBe(names);
  });

  test('with DATABASE_POOLER=transaction, statements have no names', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const workers = await startWorkers(url, { DATABASE_POOLER: 'transaction' });
    await expectServed(sql, workers);
    expect([pooler.names, ...timesTurnedOff(workers)]).toEqual([0, ...workers.map(() => 0)]);
  });
});

describe('PgBouncer', () => {
  const version = pgbouncerVersion();
  const keepsStatements = version !== undefined && version >= 121;
  const ofTransactions = { pool_mode: 'transaction', default_pool_size: '2', server_round_robin: '1' };
  const configurations: [string, Record<string, string>, boolean][] = [
    ['in session mode', { pool_mode: 'session', default_pool_size: '40' }, true],
    [
      'in transaction mode',
      { ...ofTransactions, ...(keepsStatements && { max_prepared_statements: '0' }) },
      false,
    ],
    keepsStatements
      ? [
          'in transaction mode with prepared statements of its own',
          { ...ofTransactions, max_prepared_statements: '200' },
          true,
        ]
      : [
          'in transaction mode that resets its connections after each transaction',
          { ...ofTransactions, server_reset_query_always: '1' },
          false,
        ],
  ];

  beforeEach(({ skip, task }) => {
    if (version !== undefined) return;
    if (process.env.CI) throw new Error('This test needs the real PgBouncer: install pgbouncer.');
    process.stderr.write(` left out, as pgbouncer is not on the PATH: PgBouncer ${task.name}\n`);
    skip();
  });

  test.each(configurations)('%s', async (_, settings, isReliable) => {
    const workers = await startWorkers(await startPgbouncer(databaseAddress(), settings));
    await expectServed(sql, workers, { mayRefuse: !isReliable });
    expect(timesTurnedOff(workers)).toEqual(workers.map(() => (isReliable ? 0 : 1)));
  });

  test('a server connection that is lost after the commit leaves the outcome unknown', async () => {
    const { wire, env } = await wireToDatabase();
    const settings = { pool_mode: 'transaction', default_pool_size: '1' };
    const url = await startPgbouncer(env.SUPABASE_DB_URL ?? '', settings);
    const database = openDatabase({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' });
    await database.transaction(WORKER_SESSION, (sql) => sql`select 1`);
    wire.watch({ answer: () => false });
    const key = crypto.randomUUID();
    const lost = database.transaction(WORKER_SESSION, (sql) => insertJob(sql, key));
    const outcome = expect(lost).rejects.toMatchObject({ reason: 'database_away', effect: 'unknown' });
    await waitFor(async () => (await countJobs(key)) === 1);
    // PgBouncer reports "server conn crashed?" instead of the first response.
    wire.drop();
    wire.open();
    await outcome;
  });
});

test('pgbouncer=true or port 6543 in the address: statements have no names', async () => {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  const database = openDatabase({ DATABASE_URL: `${url}?pgbouncer=true` });
  await database.transaction(WORKER_SESSION, (sql) => sql`select ${1}::integer`);
  expect(pooler.names).toBe(0);
  const parameters = pooler.logins.flat();
  expect(parameters).toContain('application_name');
  expect(parameters).not.toContain('pgbouncer');
  expect(namesTransactionPooler('postgres://postgres@127.0.0.1:6543/postgres')).toBe(true);
});

describe('a sign of a pooler', () => {
  /** Code, message, and a value of `DATABASE_POOLER` that prepares named statements. */
  const signs: [string, string, Env<'database'>['DATABASE_POOLER']][] = [
    ['26000', 'prepared statement "placar_x" does not exist', 'auto'],
    ['42P05', 'prepared statement "placar_x" already exists', 'session'],
    ['08P01', 'bind message supplies 2 parameters, but prepared statement "placar_x" requires 1', 'none'],
  ];

  /** The fault hits the first transaction, in this group of its messages. */
  const meet = (pooler: TransactionPooler, code: string, message: string, group: number) => {
    let transactions = 0;
    pooler.faults.transaction = (text) => {
      // The other transactions roll back.
      if (!text.includes("set_config('role'")) return undefined;
      transactions++;
      return transactions === 1 ? { group, end: { severity: 'ERROR', code, message } } : undefined;
    };
    return { transactions: () => transactions };
  };

  /** A write whose end calls a system outside the database. */
  const writeWithEnding = (database: ReturnType<typeof openDatabase>, key: string) => {
    const outside: number[] = [];
    const done = database.transaction(
      WORKER_SESSION,
      (sql) => insertJob(sql, key),
      async () => {
        outside.push(1);
        return (sql) => sql`select ${1}::integer`;
      },
    );
    return { outside, done };
  };

  test.each(signs)('%s: runs the transaction once more', async (code, message, DATABASE_POOLER) => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const { transactions } = meet(pooler, code, message, 1);
    const key = crypto.randomUUID();
    const { done, outside } = writeWithEnding(openDatabase({ DATABASE_URL: url, DATABASE_POOLER }), key);
    await done;
    expect([transactions(), outside.length, await countJobs(key)]).toEqual([2, 1, 1]);
  });

  test.each(signs)(
    '%s after the ending ran: returns 503, and does not run the transaction again',
    async (code, message) => {
      const { pooler, url } = await startTransactionPooler(databaseAddress());
      const { transactions } = meet(pooler, code, message, 2);
      const key = crypto.randomUUID();
      const { done, outside } = writeWithEnding(openDatabase({ DATABASE_URL: url }), key);
      await expect(done).rejects.toMatchObject({
        code: 'unavailable',
        reason: 'database_away',
        message: expect.stringContaining('Nothing was done'),
      });
      expect([transactions(), outside.length, await countJobs(key)]).toEqual([1, 1, 0]);
    },
  );

  test('after the ending ran, also turns prepared statements off', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    meet(pooler, '26000', 'prepared statement "placar_x" does not exist', 2);
    const database = openDatabase({ DATABASE_URL: url });
    await writeWithEnding(database, crypto.randomUUID()).done.catch(() => {});
    const { names } = pooler;
    await database.transaction(WORKER_SESSION, (sql) => sql`select ${2}::integer`);
    expect(pooler.names).toBe(names);
  });
});

test('/health returns 503 when requests fail', async () => {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  const settings = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
  const { baseUrl } = await startOwnFunction('v1', settings);
  const { token } = await createRecordsTenant(sql);
  const end = { severity: 'FATAL', code: '08P01', message: 'query_wait_timeout' } as const;
  pooler.faults.transaction = (text) => (text.includes("set_config('role'") ? { end } : undefined);
  const replies = await Promise.all([
    records(token, 'GET', '/stages', undefined, { baseUrl }),
    records(null, 'GET', '/health', undefined, { baseUrl }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([503, 503]);
});
