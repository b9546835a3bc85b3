// `npm run proof:restore -- --rows 1000000`: fills a database, dumps it, restores the dump into an empty one with the commands of
// docs/operations/backup.md, compares every table, and prints how long each step took. The exit code is 1 if anything differs.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import postgres from 'postgres';
import { providePlatform, pushMigrations } from '../../../local/postgres/provision.ts';
import { startPostgres } from '../../../local/postgres/server.ts';
import { dumpDatabase } from '../../support/postgres/pg-dump/index.ts';
import { plantRows } from './plant.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'placar-restore-'));
const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } });
const rows = Number(values.rows);
if (!Number.isSafeInteger(rows) || rows < 1000) {
  console.error('--rows must be a whole number of at least 1000');
  process.exit(2);
}

const stops: (() => Promise<void>)[] = [];

async function startDatabase(name: string): Promise<{ url: string; sql: postgres.Sql }> {
  const password = 'of-this-proof';
  const server = await startPostgres({ dir: join(home, name), password, durable: true });
  await providePlatform(server, password);
  await pushMigrations(server.url, { seed: false });
  const sql = postgres(server.url, { max: 4, onnotice: () => {} });
  stops.push(async () => {
    await sql.end({ timeout: 1 });
    await server.stop();
  });
  return { url: server.url, sql };
}

const steps: [string, number][] = [];

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  console.log(`${name} ...`);
  const startedAt = performance.now();
  const result = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  steps.push([name, seconds]);
  console.log(`${name}: ${seconds.toFixed(1)} s`);
  return result;
}

/** The version of a program on the PATH; 0 without it. */
function versionOf(program: string): number {
  try {
    return Number(/(\d+)\./.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The arguments of pg_dump in the documents, without the address and the file. */
function documentedArguments(): string[] {
  const page = readFileSync(join(root, 'docs/operations/backup.md'), 'utf8').replaceAll('\\\n', '');
  const [, line] = /^pg_dump "\$DATABASE_URL" ([\s\S]*?) --file=placar\.sql$/m.exec(page) ?? [];
  if (!line) throw new Error('docs/operations/backup.md has no pg_dump command');
  return line.replaceAll("'", '').split(/\s+/);
}

async function dump(url: string, file: string): Promise<string> {
  const args = documentedArguments();
  if (versionOf('pg_dump') >= 17) {
    await promisify(execFile)('pg_dump', [url, ...args, `--file=${file}`]);
    return 'pg_dump of this machine (COPY)';
  }
  // Without COPY, an INSERT of many rows is the next best.
  writeFileSync(file, await dumpDatabase(url, [...args, '--rows-per-insert=1000']));
  return 'pg_dump 17 as WebAssembly (INSERT)';
}

const restore = (url: string, file: string) =>
  promisify(execFile)(
    'psql',
    [
      ...[url, '--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--single-transaction'],
      ...['scripts/database/before-restore.sql', file, 'scripts/database/after-restore.sql'].map(
        (path) => `--file=${path}`,
      ),
    ],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  );

/** Row counts and content hashes of all tables. */
async function contentsOf(sql: postgres.Sql): Promise<Map<string, string>> {
  const tables = await sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
  const contents = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select count(*) || ' rows, hash ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from ${name} t`,
    );
    contents.set(name, row?.sum);
  }
  return contents;
}

async function check(source: postgres.Sql, target: postgres.Sql): Promise<string[]> {
  const [before, after] = await Promise.all([contentsOf(source), contentsOf(target)]);
  const differing = [...before].filter(([name, sum]) => after.get(name) !== sum);
  const points = await target`select * from admin.point_differences`;
  return [
    ...differing.map(([name, sum]) => `${name}: ${sum} dumped, ${after.get(name)} restored`),
    ...(points.length > 0 ? [`${points.length} players with point differences`] : []),
  ];
}

async function main(): Promise<void> {
  if (versionOf('psql') === 0) throw new Error('This needs psql on the PATH.');
  const source = await startDatabase('source');
  await timed('fill', () => plantRows(source.sql, rows));
  await source.sql`vacuum analyze`;
  const [size] = await source.sql`select pg_database_size(current_database()) as bytes`;
  const file = join(home, 'placar.sql');
  const by = await timed('dump', () => dump(source.url, file));
  const target = await timed('new database with migrations', () => startDatabase('target'));
  await timed('restore', () => restore(target.url, file));
  const faults = await timed('check', () => check(source.sql, target.sql));
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  console.log(
    `\n${rows} rows, database ${megabytes(Number(size?.bytes))}, dump ${megabytes(statSync(file).size)} by ${by}`,
  );
  console.log(`${cpus().length} CPUs (${cpus()[0]?.model}), ${Math.round(totalmem() / 1e9)} GB of memory`);
  for (const [name, seconds] of steps) console.log(`${name.padEnd(30)} ${seconds.toFixed(1).padStart(8)} s`);
  for (const fault of faults) console.error(fault);
  console.log(faults.length === 0 ? 'Everything was restored.' : `${faults.length} differences`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

try {
  await main();
} finally {
  for (const stop of stops) await stop();
  rmSync(home, { recursive: true, force: true });
}
