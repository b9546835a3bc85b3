// `npm run migrate` with the real CLI, on a separate database: tables in use, concurrent indexes, and rejected migrations.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDeployment, withDeployLock } from '../../scripts/deploy/deployment.ts';
import { migrate } from '../../scripts/deploy/migrate.ts';
import { startTransactionPooler } from '../support/postgres/transaction-pooler.ts';
import { type PlatformDatabase, startPlatformDatabase } from './platform-database.ts';

const tree = mkdtempSync(join(tmpdir(), 'placar-migrate-'));
const envFile = join(tree, 'env');
let database: PlatformDatabase;

const write = (name: string, sql: string) => writeFileSync(join(tree, 'migrations', name), sql);
const useAddress = (url: string) => writeFileSync(envFile, `APP_ENV=staging\nSUPABASE_DB_URL=${url}\n`);

beforeAll(async () => {
  database = await startPlatformDatabase();
  mkdirSync(join(tree, 'migrations'));
  mkdirSync(join(tree, 'supabase'));
  symlinkSync('../migrations', join(tree, 'supabase/migrations'));
  writeFileSync(join(tree, 'supabase/config.toml'), 'project_id = "x"\n[db]\nmajor_version = 17\n');
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
    migrate(sql, { deployment, tree, dryRun: false, print, waitsS }),
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

test('rejects a newer database and a pooler in transaction mode', async () => {
  const { url } = await startTransactionPooler(database.url);
  useAddress(url);
  expect(await run()).toContain('pooler in transaction mode');
  useAddress(database.url);
  rmSync(join(tree, 'migrations/20270101000001_index.sql'));
  expect(await run()).toContain('1 migrations that this version does not have, the first is 20270101000001');
});
