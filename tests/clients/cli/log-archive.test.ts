// `placar log archive` with a separate database, because it changes a table that every request writes to.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlatformDatabase, startMigratedDatabase } from '../../platform/platform-database.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectHidden, jsonLines, newFolder, runCli, startCli, useCli } from './run-cli.ts';

useCli();

const ROWS = 5000;
let database: PlatformDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await startMigratedDatabase();
  ({ sql } = database);
});
afterAll(() => database?.stop());

/** A past month with requests from its first to its last moment. */
async function fill(month: string): Promise<void> {
  await sql`select private.create_request_log_partition(${`${month}-01`}::date)`;
  await sql`
    insert into request_log (at, request_id, function, method, path, status, ip, fields, duration_ms)
    select m.first + (m.next - interval '1 microsecond' - m.first) * (i / ${ROWS - 1}::double precision),
           gen_random_uuid(), 'v1', 'GET', 'a "quoted" \\ path' || chr(10) || 'ç', 200, '203.0.113.7', array['a', 'b'], i
    from generate_series(0, ${ROWS - 1}::integer) as i,
         (select ${`${month}-01`}::timestamp at time zone 'UTC' as first,
                 (${`${month}-01`}::timestamp + interval '1 month') at time zone 'UTC' as next) as m`;
}

const tableOf = (month: string) => `public.request_log_${month.replace('-', '_')}`;
const exists = async (month: string) =>
  (await sql`select to_regclass(${tableOf(month)}) is not null as yes`)[0]?.yes;
const argumentsOf = (month: string, out: string, ...more: string[]) => [
  'log',
  'archive',
  '--month',
  month,
  '--out',
  out,
  ...more,
];
const env = () => ({ PLACAR_DATABASE_URL: database.url });
const archive = (month: string, out: string, ...more: string[]) =>
  runCli(argumentsOf(month, out, ...more), { env: env() });

const paths = (out: string, month: string) => ({
  file: join(out, `request_log-${month}.ndjson.gz`),
  manifest: join(out, `request_log-${month}.json`),
});

test('writes a month with row count and hash; keeps the partition first, then drops it', async () => {
  const month = '2024-02';
  await fill(month);
  const before = await sql`select row_to_json(r)::text as line from ${sql(tableOf(month))} r`;
  const out = join(newFolder(), 'archives');
  const kept = await archive(month, out, '--keep');
  expect(kept, kept.stderr).toMatchObject({ code: 0 });
  expectHidden(kept, [new URL(database.url).password]);
  expect(await exists(month)).toBe(true);
  const { file, manifest } = paths(out, month);
  const bytes = readFileSync(file);
  const said = { month, file: `request_log-${month}.ndjson.gz`, rows: ROWS, bytes: bytes.length };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { fingerprint, ...written } = JSON.parse(readFileSync(manifest, 'utf8'));
  expect(written).toEqual({ ...said, sha256 });
  expect(jsonLines(kept.stdout)).toEqual([{ ...said, sha256, fingerprint, dropped: false }]);
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
  // The session of the archive uses UTC, like that of this test.
  expect(lines.sort()).toEqual(before.map(({ line }) => line).sort());
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);

  const dropped = await archive(month, out);
  expect(jsonLines(dropped.stdout)).toEqual([{ ...said, sha256, fingerprint, dropped: true }]);
  expect(await exists(month)).toBe(false);
  // A second run has nothing to do.
  expect(jsonLines((await archive(month, out)).stdout)).toMatchObject([{ rows: ROWS, dropped: true }]);
  // A damaged archive is detected.
  writeFileSync(file, Buffer.concat([bytes.subarray(0, -9), Buffer.alloc(9)]));
  expect(await archive(month, out)).toMatchObject({ code: 1 });
});

test('continues after a kill while it waits for its lock, and includes later changes', async () => {
  const month = '2024-03';
  await fill(month);
  const out = newFolder();
  const writer = postgres(database.url, { max: 1 });
  const late = () => writer`
    insert into request_log (at, request_id, function, method, path, status, duration_ms)
    values ('2024-03-15Z', 'late', 'v1', 'GET', '/', 200, 1)`;
  let open = true;
  const transaction = writer.begin(async (tx) => {
    await tx`lock table request_log in row exclusive mode`;
    await waitFor(() => !open);
  });
  const running = startCli(argumentsOf(month, out), { env: env() });
  await waitFor(async () => {
    const waiting = await sql`select from pg_locks where relation = 'request_log'::regclass and not granted`;
    return waiting.length > 0 && existsSync(paths(out, month).manifest);
  });
  running.kill('SIGKILL');
  await running.ended;
  open = false;
  await transaction;
  expect(await exists(month)).toBe(true);
  await late();
  // Changes a row without changing the number of rows, like the erasure of a person.
  await writer.begin(async (tx) => {
    await tx`select set_config('app.maintenance', 'on', true)`;
    await tx`update request_log set ip = null where at = '2024-03-01Z'`;
  });
  await writer.end();

  // Simulates that an earlier run was killed between detaching and dropping.
  await sql`alter table request_log detach partition ${sql(tableOf(month))}`;
  const ended = await archive(month, out);
  expect(jsonLines(ended.stdout), ended.stderr).toMatchObject([{ rows: ROWS + 1, dropped: true }]);
  const text = gunzipSync(readFileSync(paths(out, month).file)).toString();
  expect(text).toContain('"request_id":"late"');
  expect(text.match(/"ip":null/g)).toHaveLength(2);
  expect(await exists(month)).toBe(false);
});

test('retries while others lock the log, and does not block them for long', async () => {
  const month = '2024-04';
  await fill(month);
  const out = newFolder();
  const running = await sql.begin(async (tx) => {
    await tx`
      insert into request_log (at, request_id, function, method, path, status, duration_ms)
      values ('2024-04-15Z', 'open', 'v1', 'GET', '/', 200, 1)`;
    const started = startCli(argumentsOf(month, out), { env: env() });
    await waitFor(
      async () =>
        (await tx`select from pg_locks where relation = 'request_log'::regclass and not granted`).length > 0,
    );
    // It leaves the lock queue, so that waiting requests continue.
    await waitFor(
      async () =>
        (await tx`select from pg_locks where relation = 'request_log'::regclass and not granted`).length ===
        0,
    );
    return started;
  });
  // The row of this transaction was not visible when the file was first written.
  const ended = await running.ended;
  expect(jsonLines(ended.stdout), ended.stderr).toMatchObject([{ rows: ROWS + 1, dropped: true }]);
  expect(gunzipSync(readFileSync(paths(out, month).file)).toString()).toContain('"request_id":"open"');
  expect(await exists(month)).toBe(false);
});

test.each([
  ['2099-01', 'is not over'],
  ['2023-01', 'no partition of 2023-01'],
  ['2023-02', 'request_log_default'],
])('%s: %s', async (month, said) => {
  if (month === '2023-02')
    await sql`insert into request_log (at, request_id, function, method, path, status, duration_ms) values ('2023-02-01Z', 'x', 'v1', 'GET', '/', 200, 1)`;
  const { code, stderr } = await archive(month, newFolder());
  expect(code).not.toBe(0);
  expect(stderr).toContain(said);
});
