// `npm run deploy` with a fake Supabase CLI: the order of its calls, a failure of each step, and the rollback.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../local/ports.ts';
import { type DeployDependencies, type DeployOptions, deploy } from '../../scripts/deploy/deploy.ts';
import { readDeployment, withDeployLock } from '../../scripts/deploy/deployment.ts';
import { Repository } from '../../scripts/deploy/git.ts';
import { runDoctor } from '../../scripts/deploy/verify.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'placar-deploying-'));
const repository = new Repository(join(dir, 'repository'));
const log = join(dir, 'calls');
const envFile = join(dir, 'env');
const token = 'a-secret-token-of-qstash';
const PROJECT = 'abcdefghijklmnopqrst';

/** Responses of `/health/ready`, and the CI result from GitHub. */
let url = '';
let ready: (name: string) => { status: number; version: string };
let ci: unknown;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
    cwd: join(dir, 'repository'),
    stdio: 'pipe',
  });

/** A release has two functions, and migrations of the same names as this repository, which the database has. */
function release(version: string, migration = ''): void {
  const tree = join(dir, 'repository');
  writeFileSync(join(tree, 'package.json'), JSON.stringify({ version }));
  writeFileSync(join(tree, 'functions/v1/index.ts'), `// ${version}`);
  if (migration) writeFileSync(join(tree, 'migrations/29990101000000_next.sql'), migration);
  git('add', '-A');
  git('commit', '-qm', version);
  git('tag', `v${version}`);
}

const server = createServer((request, response) => {
  const [, name = ''] = /^\/functions\/v1\/([\w-]+)\/health\/ready$/.exec(request.url ?? '') ?? [];
  const { status, version } = name ? ready(name) : { status: 200, version: '' };
  response.writeHead(status, { 'content-type': 'application/json' });
  const health = { status: status === 200 ? 'ok' : 'unavailable', checks: {}, version, age_seconds: 0 };
  response.end(JSON.stringify(name ? health : ci));
});

beforeAll(async () => {
  for (const folder of ['functions/callbacks', 'functions/v1', 'migrations'])
    mkdirSync(join(dir, 'repository', folder), { recursive: true });
  for (const name of readdirSync(join(root, 'migrations')))
    writeFileSync(join(dir, 'repository/migrations', name), "set local lock_timeout = '3s';");
  writeFileSync(join(dir, 'repository/functions/callbacks/index.ts'), '');
  git('init', '-q');
  release('0.1.0');
  release('0.2.0');
  release('0.3.0');
  mkdirSync(join(dir, 'repository/functions/mcp'));
  writeFileSync(join(dir, 'repository/functions/mcp/index.ts'), '');
  release('0.3.1');
  release('0.4.0', 'alter table public.leads drop column name;');
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

beforeEach(() => {
  rmSync(log, { force: true });
  writeSettings();
  ready = (name) => ({ status: 200, version: deployed(name) ?? '0.2.0' });
  vi.stubEnv('SUPABASE_CLI', join(root, 'tests/support/deploying/stand-in-cli.sh'));
  vi.stubEnv('STAND_IN_LOG', log);
  onTestFinished(() => void vi.unstubAllEnvs());
});

function writeSettings(changes: Record<string, string> = {}): void {
  const settings = {
    APP_ENV: 'staging',
    SUPABASE_DB_URL: inject('stack').database_url,
    FUNCTIONS_URL: `${url}/functions/v1`,
    SUPABASE_PROJECT_ID: PROJECT,
    QSTASH_TOKEN: token,
    ...changes,
  };
  writeFileSync(
    envFile,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}

/** Each call with the version of its tree: `0.3.0 db push --remote=... --yes`. */
const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

/** The version of a function that was deployed last. */
const deployed = (name: string): string | undefined =>
  calls()
    .findLast((call) => call.includes(` functions deploy ${name}`))
    ?.split(' ')[0];

/** The calls without flags that do not change: `0.3.0 db push --dry-run`, `0.3.0 functions deploy callbacks`. */
const steps = () => calls().map((call) => call.replaceAll(/ --(remote=\S+|yes|use-api|include-all)/g, ''));

/** Deploys. Returns the exit code and the output. */
async function run(options: Partial<DeployOptions> = {}, dependencies: Partial<DeployDependencies> = {}) {
  const lines: string[] = [];
  const error = await deploy(
    { envFile, tag: 'v0.3.0', dryRun: false, yes: false, rollback: false, ...options },
    {
      print: (line) => lines.push(line),
      confirm: async () => false,
      repository,
      doctor: async () => true,
      timing: { limitMs: 60_000, pauseMs: 0 },
      ...dependencies,
    },
  ).catch((error: Error) => error);
  const message = error instanceof Error ? error.message : undefined;
  return { message, output: [...lines, message].join('\n') };
}

const deployOf = (version: string) => [
  `${version} functions deploy callbacks`,
  `${version} functions deploy v1`,
];
const UNTIL_FUNCTIONS = ['0.3.0 db push --dry-run', '0.3.0 db push'];
const BACK = deployOf('0.2.0');

test('without the MCP server, if the file says so: it is neither deployed nor expected to be ready', async () => {
  writeSettings({ DEPLOY_MCP: 'false' });
  const { message, output } = await run({ tag: 'v0.3.1', previous: 'v0.3.0' });
  expect(message).toBeUndefined();
  expect(output).toContain('Without mcp.');
  expect(steps().slice(2)).toEqual(deployOf('0.3.1'));
  writeSettings({ DEPLOY_MCP: 'no' });
  expect((await run()).message).toBe(`DEPLOY_MCP in ${envFile} must be true or false.`);
});

test('a release that works: dry run, migrations, callbacks, the other functions', async () => {
  const { message, output } = await run();
  expect(message).toBeUndefined();
  expect(output).toContain('v0.3.0 runs.');
  expect(steps()).toEqual([...UNTIL_FUNCTIONS, ...deployOf('0.3.0')]);
  expect(calls().at(-1)).toBe(`0.3.0 functions deploy v1 --use-api --remote=${PROJECT} --yes`);
});

test('arguments and output contain no secret', async () => {
  const password = new URL(inject('stack').database_url).password;
  const { output } = await run({}, { doctor: async (_, print) => Boolean(print('fine')) || true });
  // The fake CLI prints the password from its environment.
  expect(output).toContain('stand-in [hidden]');
  for (const secret of [password, token]) {
    expect(output).not.toContain(secret);
    expect(calls().join()).not.toContain(secret);
  }
});

test('--dry-run stops before any change', async () => {
  expect((await run({ dryRun: true })).message).toBeUndefined();
  expect(steps()).toEqual(['0.3.0 db push --dry-run']);
});

test.each([
  ['1: there is no such tag', { tag: 'v9.9.9' }, '', []],
  ['2: the dry run fails', {}, 'dry-run', ['0.3.0 db push --dry-run']],
  ['2: a migration breaks a rule', { tag: 'v0.4.0', previous: 'v0.3.1' }, '', ['0.4.0 db push --dry-run']],
  ['3: a migration fails', {}, 'db push .*--yes', UNTIL_FUNCTIONS],
])('step %s: nothing is deployed', async (_, options, fails, expected) => {
  vi.stubEnv('STAND_IN_FAILS', fails);
  expect((await run(options)).message).toBeDefined();
  expect(steps()).toEqual(expected);
});

test.each([
  ['4: callbacks cannot be deployed', '0.3.0 functions deploy callbacks', 1],
  ['4: another function cannot be deployed', '0.3.0 functions deploy v1', 2],
])('step %s: the previous version is deployed', async (_, fails, deployedOfNew) => {
  vi.stubEnv('STAND_IN_FAILS', fails);
  expect((await run()).message).toBe(
    'v0.3.0 does not work. v0.2.0 runs again. The schema stays that of v0.3.0.',
  );
  expect(steps()).toEqual([...UNTIL_FUNCTIONS, ...deployOf('0.3.0').slice(0, deployedOfNew), ...BACK]);
});

test.each([
  ['a function is not ready', { status: 503, version: '0.3.0' }],
  ['a function still has the other version', { status: 200, version: '0.2.0' }],
])('step 5: %s: the previous version is deployed', async (_, answer) => {
  const usual = ready;
  ready = (name) => (name === 'v1' && deployed('v1') === '0.3.0' ? answer : usual(name));
  const timing = { limitMs: 0, pauseMs: 0 };
  expect((await run({}, { timing })).message).toContain('v0.2.0 runs again.');
  expect(steps()).toEqual([...UNTIL_FUNCTIONS, ...deployOf('0.3.0'), ...BACK]);
});

test('step 5: doctor finds a failure: the previous version is deployed', async () => {
  const doctor = async () => deployed('v1') === '0.2.0';
  expect((await run({}, { doctor })).message).toContain('v0.2.0 runs again.');
  expect(steps()).toEqual([...UNTIL_FUNCTIONS, ...deployOf('0.3.0'), ...BACK]);
});

test('step 6: if the previous version cannot be deployed either, prints how to go back', async () => {
  vi.stubEnv('STAND_IN_FAILS', 'functions deploy v1');
  expect((await run()).message).toContain('npm run deploy -- --rollback --tag v0.2.0');
});

test('checks readiness until it succeeded three times in a row', async () => {
  const answers = [200, 200, 503, 200, 200, 200];
  let asked = 0;
  ready = (name) => ({
    status: name === 'v1' ? (answers[asked++] ?? 500) : 200,
    version: deployed(name) ?? '0.2.0',
  });
  expect((await run()).message).toBeUndefined();
  expect(asked).toBe(6);
});

test('--rollback deploys the functions of the preceding release, and rejects older ones', async () => {
  ready = (name) => ({ status: 200, version: deployed(name) ?? '0.3.0' });
  expect((await run({ rollback: true, tag: 'v0.2.0' })).message).toBeUndefined();
  expect(steps()).toEqual(BACK);
  rmSync(log);
  const refused = 'v0.1.0 is 2 releases before v0.3.0 (v0.2.0, v0.3.0)';
  expect((await run({ rollback: true, tag: 'v0.1.0' })).message).toContain(refused);
  expect((await run({ previous: 'v0.1.0' })).message).toContain(refused);
  expect(steps()).toEqual([]);
});

test('asks before it deploys to production, unless --yes is given', async () => {
  writeSettings({ APP_ENV: 'production' });
  expect((await run()).message).toContain('Nothing was deployed.');
  const other = 'The database belongs to staging';
  expect((await run({ yes: true })).message).toContain(other);
  expect((await run({}, { confirm: async () => true })).message).toContain(other);
  expect(steps()).toEqual([]);
});

test('runs one deployment at a time', async () => {
  await withDeployLock(readDeployment(envFile), async () => {
    expect((await run()).message).toBe('Another deployment to staging is running. Wait until it has ended.');
  });
  expect(steps()).toEqual([]);
});

test('in a workflow, requires that CI of the commit succeeded', async () => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  vi.stubEnv('GITHUB_API_URL', url);
  vi.stubEnv('GITHUB_REPOSITORY', 'placar/placar');
  for (const runs of [
    [],
    [{ conclusion: 'failure' }, { conclusion: 'success' }],
    [{ status: 'in_progress' }],
  ]) {
    ci = { workflow_runs: runs };
    expect((await run()).message).toContain('is not green');
  }
  expect(steps()).toEqual([]);
  ci = { workflow_runs: [{ conclusion: 'success' }] };
  expect((await run({ dryRun: true })).message).toBeUndefined();
});

test('rejects an address that cannot run migrations', async () => {
  const address = new URL(inject('stack').database_url);
  address.port = '6543';
  writeSettings({ SUPABASE_DB_URL: address.href });
  expect((await run()).message).toContain('pooler in transaction mode');
  const sql = postgres(inject('stack').database_url, { max: 1 });
  await sql`create role placar_deploying login password 'placar-deploying'`;
  onTestFinished(async () => {
    await sql`drop role placar_deploying`;
    await sql.end();
  });
  address.port = new URL(inject('stack').database_url).port;
  Object.assign(address, { username: 'placar_deploying', password: 'placar-deploying' });
  writeSettings({ SUPABASE_DB_URL: address.href });
  expect((await run()).message).toContain('The role placar_deploying does not own the tables.');
});

test('doctor: an unreachable address is a failure, reported without secrets', async () => {
  const lines: string[] = [];
  writeSettings({ FUNCTIONS_URL: 'http://127.0.0.1:1/functions/v1' });
  expect(await runDoctor(readDeployment(envFile), (line) => lines.push(line))).toBe(false);
  expect(lines.join('\n')).toContain('address: failed');
  expect(lines.join('\n')).not.toContain(token);
});
