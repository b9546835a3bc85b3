// Poolers between the functions and Postgres.
import { beforeEach, describe, expect, test } from 'vitest';
import { namesTransactionPooler } from '../../shared/platform/db/address.ts';
import { type Sql, WORKER_SESSION } from '../../shared/platform/db/database.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { wireToDatabase } from '../support/network-waits.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/pgbouncer.ts';
import { databaseAddress, expectServed, startWorkers, timesTurnedOff } from '../support/pooler-load.ts';
import { createRecordsTenant, records } from '../support/records.ts';
import { readSqlTemplates } from '../support/sql-templates.ts';
import { startTransactionPooler, type TransactionPooler } from '../support/transaction-pooler.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

/** A write that nothing comes of. */
const insertJob = (sql: Sql, key: string) =>
  sql`insert into public.jobs (name, key, due_at) values ('test-pooler', ${key}, '2999-01-01')`;
const countJobs = async (key: string) => (await sql`select from jobs where key = ${key}`).length;

describe('load on all interfaces through a pooler in transaction mode', () => {
  test('each worker finds it out once, and callers do not notice', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const workers = await startWorkers(url);
    await expectServed(sql, workers, { mayRefuse: true });
    expect(timesTurnedOff(workers)).toEqual(workers.map(() => 1));
    const { names } = pooler;
    expect(names).toBeGreaterThan(0);
    await expectServed(sql, workers);
    expect(pooler.names).toBe(names);
  });

  test('with DATABASE_POOLER=transaction nothing has to be found out', async () => {
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

  test('that loses the server after its commit: it is not known whether it was done', async () => {
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
    // PgBouncer says "server conn crashed?" in place of the first answer.
    wire.drop();
    wire.open();
    await outcome;
  });
});

test('an address says that a pooler in transaction mode answers there', async () => {
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
  const signs: [string, string][] = [
    ['26000', 'prepared statement "placar_x" does not exist'],
    ['42P05', 'prepared statement "placar_x" already exists'],
    ['08P01', 'bind message supplies 2 parameters, but prepared statement "placar_x" requires 1'],
  ];

  /** The first transaction meets it, in this group of its messages. */
  const meet = (pooler: TransactionPooler, [code, message]: [string, string], group: number) => {
    let transactions = 0;
    pooler.faults.transaction = (text) => {
      // The other ones are a rollback.
      if (!text.includes('app.begin_transaction')) return undefined;
      transactions++;
      return transactions === 1 ? { group, end: { severity: 'ERROR', code, message } } : undefined;
    };
    return { transactions: () => transactions };
  };

  /** A write with an ending that speaks to somebody outside. */
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

  test.each(signs)('%s has the transaction run once more', async (...sign) => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const { transactions } = meet(pooler, sign, 1);
    const key = crypto.randomUUID();
    const { done, outside } = writeWithEnding(openDatabase({ DATABASE_URL: url }), key);
    await done;
    expect([transactions(), outside.length, await countJobs(key)]).toEqual([2, 1, 1]);
  });

  test.each(signs)('%s after the ending spoke to somebody is 503, and not run again', async (...sign) => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    const { transactions } = meet(pooler, sign, 2);
    const key = crypto.randomUUID();
    const { done, outside } = writeWithEnding(openDatabase({ DATABASE_URL: url }), key);
    await expect(done).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'database_away',
      message: expect.stringContaining('Nothing was done'),
    });
    expect([transactions(), outside.length, await countJobs(key)]).toEqual([1, 1, 0]);
  });

  test('in an ending turns prepared statements off, too', async () => {
    const { pooler, url } = await startTransactionPooler(databaseAddress());
    meet(pooler, ['26000', 'prepared statement "placar_x" does not exist'], 2);
    const database = openDatabase({ DATABASE_URL: url });
    await writeWithEnding(database, crypto.randomUUID()).done.catch(() => {});
    const { names } = pooler;
    await database.transaction(WORKER_SESSION, (sql) => sql`select ${2}::integer`);
    expect(pooler.names).toBe(names);
  });
});

test('/health is not 200 where requests fail', async () => {
  const { pooler, url } = await startTransactionPooler(databaseAddress());
  const settings = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' };
  const { baseUrl } = await startOwnFunction('v1', settings);
  const { token } = await createRecordsTenant(sql);
  const end = { severity: 'FATAL', code: '08P01', message: 'query_wait_timeout' } as const;
  pooler.faults.transaction = (text) => (text.includes('app.begin_transaction') ? { end } : undefined);
  const replies = await Promise.all([
    records(token, 'GET', '/stages', undefined, { baseUrl }),
    records(null, 'GET', '/health', undefined, { baseUrl }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([503, 503]);
});

describe('SQL that leaves something in its session', () => {
  const patterns = {
    set: /(^|;|\b(begin|then|else|loop)\b)\s*(re)?set\s/i,
    'set_config beyond the transaction': /\bset_config\([^;]*,\s*false\s*\)/i,
    listen: /(^|;)\s*(un)?listen\s/i,
    'an advisory lock of the session': /\bpg_(try_)?advisory_lock(_shared)?\s*\(/i,
    'a temporary table': /\b(create|into)\s+(local\s+|global\s+)?temp(orary)?\b/i,
    'a cursor or a prepared statement':
      /(^|;)\s*(prepare|deallocate|discard|fetch|declare\s+\w+\s+cursor)\b/i,
  };
  const found = (texts: readonly string[]) =>
    Object.entries(patterns).flatMap(([name, pattern]) =>
      texts.filter((text) => pattern.test(text)).map((text) => `${name}: ${text}`),
    );

  test('is recognized', () => {
    const planted = [
      'set statement_timeout = 1000',
      'select 1; reset role',
      `select set_config('role', 'api', false)`,
      'listen jobs',
      'select pg_try_advisory_lock(1)',
      'create temp table t ()',
      'deallocate all',
    ];
    for (const text of planted) expect([text, found([text]).length]).toEqual([text, 1]);
    expect(found(['update t set a = 1', 'select pg_advisory_xact_lock(1)'])).toEqual([]);
  });

  test('is sent by no function', async () => {
    const templates = await readSqlTemplates();
    expect(templates.length).toBeGreaterThan(200);
    expect(found(templates)).toEqual([]);
  });

  test('is in no function of the database that they call', async () => {
    const rows = await sql`
      select prosrc from pg_proc where pronamespace in ('app'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)`;
    expect(rows.length).toBeGreaterThan(100);
    expect(found(rows.map(({ prosrc }) => prosrc))).toEqual([]);
  });
});
