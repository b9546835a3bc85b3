// `npm run proof:upgrade -- --from <ref> [--seconds 60] [--seed 1]`: migrates and replaces a version under load, and rolls back.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { handleLostConnections } from '../../../clients/typescript/src/cli/lost-connections.ts';
import { functionNames } from '../../../functions/manifest.ts';
import { type EdgeFunction, startFunction } from '../../../local/functions.ts';
import type { Stack, StackOptions } from '../../../local/stack.ts';
import { exitWithError } from '../../../local/start-error.ts';
import { withDeployLock } from '../../../scripts/deploy/connection.ts';
import { readDeployment } from '../../../scripts/deploy/deployment.ts';
import { Repository, type Tree } from '../../../scripts/deploy/git.ts';
import { migrate } from '../../../scripts/deploy/migrate.ts';
import { scheduleSweep } from '../../../scripts/schedule-sweep.ts';
import { checkArrivals, checkDatabase } from '../faults/checks.ts';
import { createRandom } from '../faults/random.ts';
import { RunState } from '../faults/run-state.ts';
import { settle } from '../faults/settle.ts';
import { defaultRef, jobsOfNewVersion, prepareTree } from './from.ts';
import { type Load, startLoad } from './load.ts';
import { type Switchboard, startSwitchboard } from './switchboard.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const seconds = Number(values.seconds);
/** Short waits, so that retries and settlements happen within a run. */
const SETTINGS = {
  SANDBOX_SETTLE_SECONDS: '1',
  UNKNOWN_CALLER_ROWS: '100000',
  WEBHOOK_RETRY_SCHEDULE: Array(80).fill('2').join(','),
};

const startedAt = Date.now();
const tell = (text: string) =>
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  ${text}`);

interface Upgrade {
  /** Of the old version. */
  tree: Tree;
  stack: Stack;
  sql: postgres.Sql;
  dir: string;
  board: Switchboard;
  load: Load;
}

/** Starts the stack of the old version with that version's code. */
async function startOld(tree: string, dir: string, board: Switchboard): Promise<Stack> {
  const path = pathToFileURL(join(tree, 'local/stack.ts')).href;
  const { startStack } = (await import(path)) as { startStack: (options: StackOptions) => Promise<Stack> };
  const env = { ...SETTINGS, FUNCTIONS_URL: `${board.url}/functions/v1` };
  const stack = await startStack({ dir, port: 0, durable: false, env, onTrouble: tell });
  for (const [name, { port }] of stack.functions) board.ports.set(name, port);
  await scheduleSweep({
    qstashUrl: stack.env.QSTASH_URL ?? '',
    token: stack.env.QSTASH_TOKEN ?? '',
    functionsUrl: env.FUNCTIONS_URL,
  });
  return stack;
}

/** Routes each function's requests to another version, one function after another. */
async function replaceFunctions(
  { board, load }: Upgrade,
  functions: Map<string, EdgeFunction>,
  phase: string,
) {
  load.current.phase = phase;
  for (const [name, { port }] of functions) {
    board.ports.set(name, port);
    await pause((seconds * 1000) / 4 / functions.size);
  }
}

/** A folder with the migrations of this checkout and those of `next/`, so that every run changes tables, functions and indexes. */
function withNextMigrations(dir: string): string {
  const tree = join(dir, 'tree');
  for (const folder of [join(root, 'migrations'), fileURLToPath(new URL('next', import.meta.url))])
    cpSync(folder, join(tree, 'migrations'), { recursive: true });
  return tree;
}

async function applyMigrations({ stack, dir, load }: Upgrade): Promise<void> {
  load.current.phase = 'migrations';
  const envFile = join(dir, 'deployment.env');
  writeFileSync(envFile, `APP_ENV=staging\nSUPABASE_DB_URL=${stack.info.database_url}\n`);
  const deployment = readDeployment(envFile);
  await withDeployLock(deployment, (sql) =>
    migrate(sql, { tree: withNextMigrations(dir), dryRun: false, print: (line) => tell(`  ${line.trim()}`) }),
  );
}

async function upgrade(up: Upgrade, state: RunState): Promise<void> {
  const { stack, sql, dir, load } = up;
  const quarter = (seconds * 1000) / 4;
  await pause(quarter / 2);
  tell('applying migrations, while the old functions work');
  await applyMigrations(up);
  tell('old functions on the new schema');
  load.current.phase = 'old functions, new schema';
  await pause(quarter);
  const newer = new Map<string, EdgeFunction>();
  try {
    for (const name of functionNames)
      newer.set(
        name,
        await startFunction({ name, env: stack.env, dir: join(dir, 'newer'), onLine: load.onLine }),
      );
    tell('replacing the functions, one by one');
    await replaceFunctions(up, newer, 'replacing functions');
    tell('new functions');
    load.current.phase = 'new functions';
    await pause(quarter / 2);
    tell('going back to the old functions, one by one');
    await replaceFunctions(up, stack.functions, 'going back');
    tell('letting all work finish');
    load.current.phase = 'the end';
    const testBed = {
      sql,
      stack,
      qstashUrl: stack.env.QSTASH_URL ?? '',
      qstashToken: stack.env.QSTASH_TOKEN ?? '',
    };
    const exceptJobs = await jobsOfNewVersion(sql, up.tree);
    if (exceptJobs.length > 0) tell(`jobs that wait for the new functions: ${exceptJobs.join(', ')}`);
    const left = await settle(testBed, state, { exceptJobs });
    state.check(left.length === 0, () => `work that does not finish: ${left.join(', ')}`);
  } finally {
    for (const edge of newer.values()) await edge.stop();
  }
}

async function check({ sql, load }: Upgrade, state: RunState): Promise<void> {
  await load.checkAtRest(sql);
  await checkDatabase(sql, state);
  await checkArrivals(sql, state, load.receivers);
  const failed =
    await sql`select function, method, reason, count(*)::integer from request_log where status = 500 group by 1, 2, 3`;
  state.check(failed.length === 0, () => `requests ended with 500: ${JSON.stringify(failed)}`);
}

async function main(): Promise<void> {
  const repository = new Repository();
  const { ref, why } = values.from ? { ref: values.from, why: '--from' } : defaultRef(repository);
  console.log(`Upgrade from ${ref} (${why}), seed ${values.seed}.`);
  const tree = prepareTree(repository, ref);
  const dir = mkdtempSync(join(tmpdir(), 'placar-upgrade-'));
  const state = new RunState({ spansVersions: true });
  const board = await startSwitchboard();
  let stack: Stack | undefined;
  try {
    stack = await startOld(tree.dir, dir, board);
    const sql = postgres(stack.info.database_url, { max: 4, onnotice: () => {} });
    // Versions before the migration `platform_differences` work on Supabase only after an operator has granted this.
    await sql`grant usage on schema extensions to api, worker`;
    const load = await startLoad(sql, board.url, state, createRandom(Number(values.seed)));
    tell('load on the old version');
    const up = { tree, stack, sql, dir, board, load };
    await upgrade(up, state);
    await check(up, state).catch((error: unknown) => state.wrong(`not checked: ${error}`));
    load.report();
    await load.stop();
    await sql.end({ timeout: 1 });
  } finally {
    await stack?.stop();
    await board.close();
    tree.remove();
    rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${state.checks} checks, ${state.violations.length} violations`);
  for (const violation of state.violations.slice(0, 50)) console.log(`  ${violation}`);
  process.exit(state.violations.length === 0 ? 0 : 1);
}

handleLostConnections();
await main().catch(exitWithError);
