// Transactions of the functions' database layer against the stack's Postgres: results, and the state after a failure.
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { type Database, type Sql, WORKER_SESSION } from '../../shared/platform/db/database.ts';
import { connectDatabase, openDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPostgresWire } from '../support/wire/postgres-wire.ts';

const admin = connectDatabase();

/** A table of the test's own, that the worker may write; a row's `after` must be another row's id by the end of the transaction. */
async function createTable() {
  const schema = `test_${crypto.randomUUID().replaceAll('-', '')}`;
  await admin.unsafe(`
    create schema ${schema};
    create table ${schema}.rows (
      id integer primary key, text text, after integer references ${schema}.rows deferrable initially deferred
    );
    grant usage on schema ${schema} to worker;
    grant all on ${schema}.rows to worker;`);
  onTestFinished(async () => {
    await admin.unsafe(`drop schema ${schema} cascade`);
  });
  const name = `${schema}.rows`;
  return {
    name,
    insert: (sql: Sql, id: number, after: number | null = null) =>
      sql<{ id: number }>`insert into ${sql(name)} (id, after) values (${id}, ${after}) returning id`,
    ids: async () => (await admin`select id from ${admin(name)} order by id`).map(({ id }) => id),
  };
}

const backendOf = async (database: Database) =>
  (await database.asLogin('reads', (sql) => sql<{ pid: number }>`select pg_backend_pid() as pid`))[0]?.pid;

test('returns rows in the shape of the work, with values typed by their columns', async () => {
  const { insert } = await createTable();
  const rows = await openDatabase().transaction(WORKER_SESSION, (sql) => ({
    one: sql<object>`
      select ${1}::integer as int, 2::bigint as big, 3.50::numeric as num, 4.5::float8 as float, ${true}::boolean as yes,
             '{"a": [1]}'::jsonb as json, ${['a"\\', 'b,']}::text[] as list, ${null}::text as nothing,
             date '2026-11-22' as day, timestamptz '2026-11-22 10:00:00.123456+00' as at,
             ${new Date(0)}::timestamptz as epoch, ${new Uint8Array([0, 255])}::bytea as bytes, interval '1 day' as span`,
    several: [insert(sql, 1), insert(sql, 2)],
    nested: { inner: insert(sql, 3), none: [] },
  }));
  expect(rows).toEqual({
    one: [
      {
        ...{ int: 1, big: '2', num: '3.50', float: 4.5, yes: true, json: { a: [1] }, nothing: null },
        ...{ list: ['a"\\', 'b,'], day: new Date('2026-11-22'), at: new Date('2026-11-22T10:00:00.123Z') },
        ...{ epoch: new Date(0), bytes: Buffer.from([0, 255]), span: '1 day' },
      },
    ],
    several: [[{ id: 1 }], [{ id: 2 }]],
    nested: { inner: [{ id: 3 }], none: [] },
  });
});

test.each([
  ['the first statement', [1, 1, 2, 3], '23505'],
  ['a statement in the middle', [2, 1, 1, 3], '23505'],
  ['the last statement', [2, 3, 1, 1], '23505'],
] as const)('an error of %s stores nothing and leaves the connection usable', async (_, ids, code) => {
  const { insert, ids: stored } = await createTable();
  const database = openDatabase();
  await database.transaction(WORKER_SESSION, (sql) => insert(sql, 1));
  const backend = await backendOf(database);
  const failing = database.transaction(WORKER_SESSION, (sql) => ids.map((id) => insert(sql, id)));
  await expect(failing).rejects.toMatchObject({ code });
  expect(await stored()).toEqual([1]);
  expect(await backendOf(database)).toBe(backend);
});

test('an error at commit stores nothing', async () => {
  const { insert, ids } = await createTable();
  const database = openDatabase();
  const failing = database.transaction(WORKER_SESSION, (sql) => [insert(sql, 1), insert(sql, 2, 99)]);
  await expect(failing).rejects.toMatchObject({ code: '23503' });
  const ending = database.transaction(
    WORKER_SESSION,
    (sql) => insert(sql, 3),
    async () => (sql) => insert(sql, 4, 99),
  );
  await expect(ending).rejects.toMatchObject({ code: '23503' });
  expect(await ids()).toEqual([]);
  await database.transaction(WORKER_SESSION, (sql) => insert(sql, 5));
  expect(await ids()).toEqual([5]);
});

test('an error tells where its statement is written', async () => {
  const { insert } = await createTable();
  const failing = openDatabase().transaction(WORKER_SESSION, (sql) => [insert(sql, 1), insert(sql, 1)]);
  const { stack } = (await failing.catch((error: Error) => error)) as Error;
  expect(stack).toContain('transactions.test.ts');
});

test('an ending sees the rows of its transaction, and rolls them back if it throws', async () => {
  const { insert, ids } = await createTable();
  const database = openDatabase();
  const rows = await database.transaction(
    WORKER_SESSION,
    (sql) => ({ made: insert(sql, 1) }),
    async ({ made }) =>
      (sql) =>
        insert(sql, (made[0]?.id ?? 0) + 1),
  );
  expect(rows).toEqual({ made: [{ id: 1 }] });
  const thrown = database.transaction(
    WORKER_SESSION,
    (sql) => insert(sql, 3),
    async () => {
      throw new Error('no answer');
    },
  );
  await expect(thrown).rejects.toThrow('no answer');
  expect(await ids()).toEqual([1, 2]);
});

test.each([
  ['before the server sees it', { ask: () => false }, []],
  ['before its answer arrives', { answer: () => false }, [1]],
] as const)('a connection that is cut %s', async (_, gates, stored) => {
  const { insert, ids } = await createTable();
  const url = new URL(inject('env').SUPABASE_DB_URL ?? '');
  const wire = await startPostgresWire({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => wire.close());
  url.port = String(wire.port);
  const database = openDatabase({ SUPABASE_DB_URL: url.href });
  for (const [reads, effect] of [
    [false, 'unknown'],
    [true, 'none'],
  ] as const) {
    await backendOf(database);
    wire.watch(gates);
    const cut = database.transaction({ ...WORKER_SESSION, reads }, (sql) =>
      reads ? sql`select 1` : insert(sql, 1),
    );
    const outcome = expect(cut).rejects.toMatchObject({ reason: 'database_away', effect });
    await waitFor(() => wire.asked() > 0 && wire.standstill().some((text) => / kept/.test(text)));
    wire.drop();
    wire.open();
    await outcome;
  }
  expect(await ids()).toEqual(stored);
});

test('silently replaces a connection that was lost while idle', async () => {
  const database = openDatabase();
  const backend = await backendOf(database);
  await admin`select pg_terminate_backend(${backend ?? 0}::integer)`;
  await waitFor(
    async () => (await admin`select from pg_stat_activity where pid = ${backend ?? 0}`).length === 0,
  );
  // Its end reaches this process a moment later.
  const next = await waitFor(async () => await backendOf(database).catch(() => undefined));
  expect(next).not.toBe(backend);
});

test('a connection is closed after its maximum lifetime', async () => {
  const database = openDatabase();
  const backend = await backendOf(database);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 61 * 60_000);
  onTestFinished(() => clock.mockRestore());
  // It is used once more, and closed when it is given back.
  expect(await backendOf(database)).toBe(backend);
  expect(await backendOf(database)).not.toBe(backend);
});

test('sends and receives megabytes at the same time', async () => {
  const database = openDatabase();
  const text = 'x'.repeat(2_000_000);
  const rows = await database.transaction(WORKER_SESSION, (sql) =>
    Array.from({ length: 24 }, (_, i) => sql<{ text: string }>`select ${text + i} as text`),
  );
  expect(rows.map(([row]) => row?.text.length)).toEqual(
    Array.from({ length: 24 }, (_, i) => text.length + String(i).length),
  );
});

test('parses a statement once per connection, and again after a migration changed its columns', async () => {
  const { name, insert } = await createTable();
  const database = openDatabase();
  await database.transaction(WORKER_SESSION, (sql) => insert(sql, 1));
  const read = () =>
    database.transaction(WORKER_SESSION, (sql) => ({
      rows: sql`select * from ${sql(name)}`,
      parsed: sql<{ n: number }>`
        select count(*)::integer as n from pg_prepared_statements where statement like ${`%${name.split('.')[0]}%`} and statement like 'select%'`,
    }));
  await read();
  expect((await read()).parsed).toEqual([{ n: 1 }]);
  await admin`alter table ${admin(name)} add column more text`;
  expect((await read()).rows).toEqual([{ id: 1, text: null, after: null, more: null }]);
});

test('a canceled read has no effect, and its connection stays usable', async () => {
  const database = openDatabase();
  const backend = await backendOf(database);
  const sleeping = database.transaction(
    { ...WORKER_SESSION, reads: true },
    (sql) => sql`select pg_sleep(60)`,
  );
  const outcome = expect(sleeping).rejects.toMatchObject({ reason: 'database_busy', effect: 'none' });
  await waitFor(async () => {
    const [row] = await admin`
      select pg_cancel_backend(pid) from pg_stat_activity where pid = ${backend ?? 0} and wait_event = 'PgSleep'`;
    return row;
  });
  await outcome;
  expect(await backendOf(database)).toBe(backend);
});

test('Postgres rejects writes in read-only transactions', async () => {
  const { insert, ids } = await createTable();
  const writing = openDatabase().transaction({ ...WORKER_SESSION, reads: true }, (sql) => insert(sql, 1));
  await expect(writing).rejects.toMatchObject({ code: '25006' });
  expect(await ids()).toEqual([]);
});

test('a response that takes too long closes the connection', async () => {
  const database = openDatabase({ DATABASE_TIMEOUT_MS: 500 });
  const late = database.transaction(WORKER_SESSION, (sql) => sql`select pg_sleep(60)`);
  await expect(late).rejects.toMatchObject({ reason: 'database_away', effect: 'unknown' });
  const waiting = openDatabase({ DATABASE_TIMEOUT_MS: 500 });
  const [first, second] = await Promise.allSettled([
    waiting.transaction(WORKER_SESSION, (sql) => sql`select pg_sleep(60)`),
    waiting.transaction(WORKER_SESSION, (sql) => sql`select 1`),
  ]);
  expect([first.status, second]).toMatchObject([
    'rejected',
    { reason: { reason: 'database_away', effect: 'none' } },
  ]);
});
