// `npm run migrate` on a separate database: tables in use, statement timeouts, concurrent indexes, poolers, and own migrations of the project.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withDeployLock } from '../../scripts/deploy/connection.ts';
import { readDeployment } from '../../scripts/deploy/deployment.ts';
import { Repository } from '../../scripts/deploy/git.ts';
import { migrate } from '../../scripts/deploy/migrate.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { startTransactionPooler } from '../support/postgres/transaction-pooler.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PlatformDatabase, startPlatformDatabase } from './platform-database.ts';

const tree = mkdtempSync(join(tmpdir(), 'placar-migrate-'));
const envFile = join(tree, 'env');
let database: PlatformDatabase;

const write = (name: string, sql: string) => writeFileSync(join(tree, 'migrations', name), sql);
const useAddress = (url: string) => writeFileSync(envFile, `APP_ENV=staging\nSUPABASE_DB_URL=${url}\n`);

beforeAll(async () => {
  database = await startPlatformDatabase();
  mkdirSync(join(tree, 'migrations'));
});
afterAll(async () => {
  await database.stop();
  rmSync(tree, { recursive: true });
});

/** Migrates and returns the output. Calls `onLine` before it waits for the next line. */
async function run(onLine: (line: string) => void = () => {}, waitsS: number[] = []): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  const deployment = readDeployment(envFile);
  const outcome = withDeployLock(deployment, (sql) =>
    migrate(sql, { tree, dryRun: false, print, waitsS, repository: new Repository(tree) }),
  );
  await outcome.catch((error: Error) => lines.push(error.message));
  return lines.join('\n');
}

test('retries a table that is in use, and rebuilds an index that failed before', async () => {
  const { sql } = database;
  useAddress(database.url);
  await sql`create table public.busy (id integer)`;
  // A killed run leaves an invalid unique index.
  await sql`insert into public.busy values (1), (1)`;
  await expect(sql`create unique index concurrently busy_id on public.busy (id)`).rejects.toThrow();
  await sql`delete from public.busy`;
  write(
    '20270101000000_column.sql',
    "set local lock_timeout = '50ms';\nalter table public.busy add column name text;",
  );
  write(
    '20270101000001_index.sql',
    'drop index concurrently if exists public.busy_id;\ncreate unique index concurrently busy_id on public.busy (id);',
  );
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holder = sql.begin(async (tx) => {
    await tx`lock table public.busy`;
    await released;
  });
  const output = await run((line) => line.startsWith('A table is in use.') && release(), [0, 0]);
  await holder;
  expect(output).toContain(
    '2 migrations are missing:\n  20270101000000_column.sql\n  20270101000001_index.sql',
  );
  expect(output).toContain('SQLSTATE 55P03');
  expect(output).toContain('A table is in use. Trying again in 0 s (1 of 2).');
  expect(await sql`select indisvalid from pg_index where indexrelid = 'public.busy_id'::regclass`).toEqual([
    { indisvalid: true },
  ]);
});

/** On Supabase, the role `postgres` has two minutes. */
describe('a role whose statements end after 200 ms', () => {
  const slow = {
    '20270102000000_slow.sql':
      'create table public.slow (id integer);\ninsert into public.slow values (1);\n' +
      "create function public.slowly(id integer) returns integer immutable language plpgsql as 'begin perform pg_sleep(0.5); return id; end';\n" +
      'alter table public.slow add constraint slow_check check (public.slowly(id) = 1) not valid;',
    '20270102000001_validate.sql':
      "set local lock_timeout = '3s';\nalter table public.slow validate constraint slow_check;",
    '20270102000002_slow_index.sql':
      'drop index concurrently if exists public.slow_idx;\ncreate index concurrently slow_idx on public.slow (public.slowly(id));',
  };
  beforeAll(async () => {
    await database.superuser`alter role postgres set statement_timeout = '200ms'`;
  });
  beforeEach(() => {
    for (const [name, sql] of Object.entries(slow)) write(name, sql);
  });
  afterEach(async () => {
    await database.sql`drop table if exists public.slow`;
    await database.sql`drop function if exists public.slowly`;
    await database.sql`delete from supabase_migrations.schema_migrations where version like '20270102%'`;
    for (const name of Object.keys(slow)) rmSync(join(tree, 'migrations', name));
  });
  afterAll(async () => {
    await database.superuser`alter role postgres reset statement_timeout`;
  });

  const expectMigrated = async (output: string) => {
    expect(output).not.toContain('SQLSTATE');
    const rows = await database.sql`
      select convalidated and indisvalid as valid from pg_constraint, pg_index
      where conname = 'slow_check' and indexrelid = to_regclass('public.slow_idx')`;
    expect(rows).toEqual([{ valid: true }]);
  };

  test('directly', async () => {
    useAddress(database.url);
    await expectMigrated(await run());
  });

  // PgBouncer rejects an unknown startup parameter, and Supavisor ignores it.
  test.runIf(pgbouncerVersion() !== undefined)('through a pooler in session mode', async () => {
    useAddress(await startPgbouncer(database.url, { pool_mode: 'session' }));
    await expectMigrated(await run());
  });
});

test('rejects a newer database and a pooler in transaction mode', async () => {
  const { url } = await startTransactionPooler(database.url);
  useAddress(url);
  expect(await run()).toContain('pooler in transaction mode');
  useAddress(database.url);
  // Without git, it could be a migration of the project itself.
  rmSync(join(tree, 'migrations/20270101000001_index.sql'));
  expect(await run()).toContain(
    '1 migrations of your own, the first is 20270101000001.\nNo migration is missing.',
  );
  write('20270101000001_index.sql', '');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: tree });
  git('init', '-q');
  git('add', 'migrations');
  git('commit', '-qm', 'a later version');
  rmSync(join(tree, 'migrations/20270101000001_index.sql'));
  expect(await run()).toContain('1 migrations that this version does not have, the first is 20270101000001');
});

test('a connection that is lost during a migration: says which file was not applied, without a stack trace', async () => {
  const empty = await startPlatformDatabase();
  onTestFinished(() => empty.stop());
  useAddress(empty.url);
  const command = fileURLToPath(new URL('../../scripts/migrate.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', command, '--env-file', envFile]);
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => lines.push(line));
  const ended = once(child, 'close');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // The migration waits for this lock, so that it can be met in the middle of a statement.
  const holder = empty.superuser.begin(async (tx) => {
    await tx`lock table pg_catalog.pg_proc in share mode`;
    await released;
  });
  await waitFor(async () => {
    const [row] = await empty.sql`
      select count(pg_terminate_backend(pid)) > 0 as lost from pg_stat_activity
      where application_name = 'placar deploy' and wait_event_type = 'Lock'`;
    return row?.lost;
  });
  release();
  await holder;
  expect(await ended).toEqual([1, null]);
  const output = lines.join('\n');
  expect(output).toMatch(
    /\.sql was not applied: .+ Run this again: files that are applied do not run twice\.$/,
  );
  expect(output).not.toContain('TypeError');
});
