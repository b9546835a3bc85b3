// `npm run deploy` with a fake Supabase CLI: the order of its calls, a failure of each step, what doctor finds, and the rollback.
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
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../local/ports.ts';
import { withDeployLock } from '../../scripts/deploy/connection.ts';
import { type DeployDependencies, type DeployOptions, deploy } from '../../scripts/deploy/deploy.ts';
import { readDeployment } from '../../scripts/deploy/deployment.ts';
import { type Examination, runDoctor } from '../../scripts/deploy/doctor.ts';
import { Repository } from '../../scripts/deploy/git.ts';
import { readRelease } from '../../scripts/deploy/release.ts';
import { startPlatformDatabase } from '../platform/platform-database.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'placar-deploying-'));
const repository = new Repository(join(dir, 'repository'));
const log = join(dir, 'calls');
const envFile = join(dir, 'env');
const token = 'a-secret-token-of-qstash';
const PROJECT = 'abcdefghijklmnopqrst';

/** Responses of `/health/ready`, and the CI result from GitHub. */
let url = '';
let ready: (name: string) => { status: number; version: string; commit?: string } | 'does not start';
/** Paths of other requests. */
let requests: string[] = [];
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
  if (!name) requests.push(request.url ?? '');
  const answer = name ? ready(name) : { status: 200, version: '' };
  if (answer === 'does not start') {
    response.writeHead(503, { 'content-type': 'application/json', 'sb-error-code': 'BOOT_ERROR' });
    return response.end('{"code":"BOOT_ERROR","message":"Function failed to start (please check logs)"}');
  }
  const { status, version, commit } = answer;
  response.writeHead(status, { 'content-type': 'application/json' });
  const health = {
    status: status === 200 ? 'ok' : 'unavailable',
    checks: {},
    version,
    commit,
    age_seconds: 0,
  };
  return response.end(JSON.stringify(name ? health : ci));
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
  release('0.5.0', "set local lock_timeout = '3s';\nselect 1 / 0;");
  // Git blocks this process for longer than the default, after which the server would close connections that the client reuses.
  server.keepAliveTimeout = 600_000;
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

beforeEach(() => {
  rmSync(log, { force: true });
  requests = [];
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

/** Each call with the version of its tree: `0.3.0 functions deploy callbacks --use-api --yes`. */
const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);

/** The version of a function that was deployed last. */
const deployed = (name: string): string | undefined =>
  calls()
    .findLast((call) => call.includes(` functions deploy ${name}`))
    ?.split(' ')[0];

/** The deployments without flags: `0.3.0 functions deploy callbacks`. */
const steps = () =>
  calls()
    .filter((call) => call.includes(' functions deploy '))
    .map((call) => call.replaceAll(/ --(remote=\S+|yes|use-api)/g, ''));

/** Doctor finds that these checks fail, for these things. */
const finds = (failing: () => Record<string, string[]>) => async (): Promise<Examination> => ({
  findings: ['write', 'alerts', 'failed jobs'].map((check) => {
    const names = failing()[check];
    const status = names ? 'failed' : 'ok';
    return { check, status, found: names?.join(', ') || 'none', ...(names && { failing: names }) };
  }),
});
const isNew = () => deployed('v1') === '0.3.0';

/** Deploys. Returns the exit code and the output. */
async function run(options: Partial<DeployOptions> = {}, dependencies: Partial<DeployDependencies> = {}) {
  const lines: string[] = [];
  const error = await deploy(
    { envFile, tag: 'v0.3.0', dryRun: false, yes: false, rollback: false, accept: [], ...options },
    {
      print: (line) => lines.push(line),
      confirm: async () => false,
      repository,
      doctor: finds(() => ({})),
      timing: { limitMs: 60_000, pauseMs: 0, confirmMs: 0 },
      ...dependencies,
    },
  ).catch((error: Error) => error);
  const message = error instanceof Error ? error.message : undefined;
  return { message, output: [...lines, message].join('\n') };
}

test('the tree of a version has the documents that its functions serve and git does not have', () => {
  const { dir: tree, remove } = readRelease(new Repository(), 'HEAD', []);
  onTestFinished(remove);
  for (const name of ['v1-b', 'v1-c', 'mcp-tools']) {
    const file = `docs/openapi/${name}.json`;
    expect(existsSync(join(tree, file))).toBe(true);
  }
  expect(existsSync(join(tree, 'node_modules'))).toBe(false);
});

const deployOf = (version: string) => [
  `${version} functions deploy callbacks`,
  `${version} functions deploy v1`,
];
const BACK = deployOf('0.2.0');

test('without the MCP server, if the file says so: it is neither deployed nor expected to be ready', async () => {
  writeSettings({ DEPLOY_MCP: 'false' });
  const { message, output } = await run({ tag: 'v0.3.1', previous: 'v0.3.0' });
  expect(message).toBeUndefined();
  expect(output).toContain('Without mcp.');
  expect(steps()).toEqual(deployOf('0.3.1'));
  writeSettings({ DEPLOY_MCP: 'no' });
  expect((await run()).message).toBe(`DEPLOY_MCP in ${envFile} must be true or false.`);
});

test('a release that works: migrations, callbacks, the other functions', async () => {
  const { message, output } = await run();
  expect(message).toBeUndefined();
  expect(output).toContain('v0.3.0 runs: every function responds with version 0.3.0.');
  expect(steps()).toEqual(deployOf('0.3.0'));
  expect(calls().at(-1)).toBe(`0.3.0 functions deploy v1 --use-api --remote=${PROJECT} --yes`);
});

test('arguments and output contain no secret', async () => {
  const password = new URL(inject('stack').database_url).password;
  vi.stubEnv('STAND_IN_SECRET', password);
  const { output } = await run({}, { doctor: finds(() => ({ write: [token] })) });
  // The fake CLI prints the password from its environment.
  expect(output).toContain('stand-in [hidden]');
  for (const secret of [password, token]) {
    expect(output).not.toContain(secret);
    expect(calls().join()).not.toContain(secret);
  }
});

test('--dry-run stops before any change, and says what fails already', async () => {
  const { message, output } = await run({ dryRun: true }, { doctor: finds(() => ({ alerts: ['silence'] })) });
  expect(message).toBeUndefined();
  expect(output).toContain('No migration is missing.');
  expect(output).toContain('alerts: failed: silence');
  expect(steps()).toEqual([]);
});

test.each<[string, Partial<DeployOptions>, string]>([
  ['1: there is no such tag', { tag: 'v9.9.9' }, 'git has no tag'],
  ['2: a migration breaks a rule', { tag: 'v0.4.0', previous: 'v0.3.1' }, 'Nothing was deployed'],
  [
    '2: --accept names no check',
    { accept: ['alert'] },
    'no check alert. Its checks: write, alerts, failed jobs.',
  ],
  ['3: a migration fails', { tag: 'v0.5.0', previous: 'v0.4.0' }, 'A migration failed.'],
])('step %s: nothing is deployed', async (_, options, expected) => {
  expect((await run(options)).message).toContain(expected);
  expect(steps()).toEqual([]);
});

test.each([
  ['4: callbacks cannot be deployed', '0.3.0 functions deploy callbacks', 1],
  ['4: another function cannot be deployed', '0.3.0 functions deploy v1', 2],
])('step %s: the previous version is deployed', async (_, fails, deployedOfNew) => {
  vi.stubEnv('STAND_IN_FAILS', fails);
  expect((await run()).message).toBe(
    'v0.3.0 does not work. v0.2.0 runs again. The schema stays that of v0.3.0.',
  );
  expect(steps()).toEqual([...deployOf('0.3.0').slice(0, deployedOfNew), ...BACK]);
});

test.each([
  ['a function is not ready', { status: 503, version: '0.3.0' }],
  ['a function still has the other version', { status: 200, version: '0.2.0' }],
])('step 5: %s: the previous version is deployed', async (_, answer) => {
  const usual = ready;
  ready = (name) => (name === 'v1' && deployed('v1') === '0.3.0' ? answer : usual(name));
  const timing = { limitMs: 0, pauseMs: 0, confirmMs: 0 };
  expect((await run({}, { timing })).message).toContain('v0.2.0 runs again.');
  expect(steps()).toEqual([...deployOf('0.3.0'), ...BACK]);
});

test('step 5: an address where nothing responds: prints the cause', async () => {
  writeSettings({ FUNCTIONS_URL: 'http://127.0.0.1:1/functions/v1' });
  const { output } = await run({}, { timing: { limitMs: 0, pauseMs: 0, confirmMs: 0 } });
  expect(output).toContain('is not ready with version 0.3.0: fetch failed: bad port');
});

test('step 5: a function that does not start: the previous version is deployed within three requests', async () => {
  let asked = 0;
  ready = (name) => {
    const version = deployed(name) ?? '0.2.0';
    if (name !== 'v1' || version !== '0.3.0') return { status: 200, version };
    asked++;
    return 'does not start';
  };
  const { message, output } = await run();
  expect(message).toContain('v0.2.0 runs again.');
  expect(output).toContain('v1 does not start: 503, BOOT_ERROR.');
  expect(asked).toBe(3);
});

test('step 5: a function that did not start before gets the whole time', async () => {
  let asked = 0;
  ready = (name) =>
    name === 'v1' && asked++ < 6 ? 'does not start' : { status: 200, version: deployed(name) ?? '0.2.0' };
  expect((await run()).message).toBeUndefined();
});

describe('step 5: doctor', () => {
  test.each<[string, () => Record<string, string[]>]>([
    ['a check fails', () => (isNew() ? { write: [] } : {})],
    ['another alert is active', () => ({ alerts: isNew() ? ['silence', 'failing_requests'] : ['silence'] })],
  ])('%s: the previous version is deployed', async (_, failing) => {
    const { message, output } = await run({}, { doctor: finds(failing) });
    expect(message).toContain('v0.2.0 runs again.');
    expect(output).toMatch(/write: failed|failing_requests/);
    expect(steps()).toEqual([...deployOf('0.3.0'), ...BACK]);
  });

  let looks = 0;
  beforeEach(() => {
    looks = 0;
  });
  test.each<[string, string[], () => Record<string, string[]>]>([
    ['a failed job that was there before', [], () => ({ 'failed jobs': ['send-mail'] })],
    ['an alert that the release fixes', [], () => (isNew() ? {} : { alerts: ['failing_requests'] })],
    ['a failure that is gone at the second look', [], () => (looks++ === 1 ? { write: [] } : {})],
    ['an accepted check', ['alerts'], () => (isNew() ? { alerts: ['silence'] } : {})],
  ])('%s does not count', async (_, accept, failing) => {
    expect((await run({ accept }, { doctor: finds(failing) })).message).toBeUndefined();
    expect(steps()).toEqual(deployOf('0.3.0'));
  });

  test('a check that could not be made before does not count', async () => {
    const doctor = async (): Promise<Examination> => ({
      findings: [{ check: 'write', status: isNew() ? 'failed' : 'not checked', found: 'x' }],
    });
    expect((await run({}, { doctor })).message).toBeUndefined();
  });

  test('its crash never rolls back: before, nothing is deployed; after, the version stays', async () => {
    const crash = { crash: 'doctor broke' };
    const always = async (): Promise<Examination> => crash;
    const before = await run({}, { doctor: always });
    expect(before.message).toContain('--accept doctor');
    expect(before.output).toContain('placar doctor: doctor broke');
    expect(steps()).toEqual([]);
    const doctor = async () => (isNew() ? crash : { findings: [] });
    const { message } = await run({}, { doctor });
    expect(message).toContain('v0.3.0 runs, and its functions are ready.');
    expect(message).toContain(`To go back: npm run deploy -- --env-file ${envFile} --rollback --tag v0.2.0`);
    expect(steps()).toEqual(deployOf('0.3.0'));
    expect((await run({ accept: ['doctor'] }, { doctor: always })).message).toBeUndefined();
  });
});

test('step 6: if the previous version cannot be deployed either, prints how to go back', async () => {
  vi.stubEnv('STAND_IN_FAILS', 'functions deploy v1');
  const command = `Run: npm run deploy -- --env-file ${envFile} --rollback --tag v0.2.0`;
  // A relative ref may mean another commit later.
  for (const previous of [undefined, 'v0.3.0~1'])
    expect((await run({ previous })).message).toContain(command);
});

/** A commit after v0.3.0 with the same version, whose functions report their commit. */
function unreleased(text: string): string {
  git('checkout', '-qB', 'unreleased', unreleasedFrom);
  const tree = join(dir, 'repository');
  mkdirSync(join(tree, 'shared/platform'), { recursive: true });
  writeFileSync(join(tree, '.gitattributes'), 'shared/platform/version.ts export-subst\n');
  writeFileSync(join(tree, 'shared/platform/version.ts'), `'$Format:%H$'; // ${text}`);
  git('add', '-A');
  git('commit', '-qm', text);
  unreleasedFrom = 'unreleased';
  return repository.commitOf('unreleased');
}
let unreleasedFrom = 'v0.3.0';

test('a commit whose version number is that of the running one: its commit must run', async () => {
  const before = unreleased('first');
  const after = unreleased('second');
  const timing = { limitMs: 0, pauseMs: 0, confirmMs: 0 };
  ready = () => ({ status: 200, version: '0.3.0', commit: before });
  const kept = await run({ tag: after }, { timing });
  expect(kept.output).toContain(
    `commit ${after.slice(0, 8)}: 200, ok, version 0.3.0, commit ${before.slice(0, 8)}`,
  );
  expect(kept.message).toContain(`${before.slice(0, 12)} runs again.`);
  let running = before;
  ready = () => ({ status: 200, version: '0.3.0', commit: running });
  const doctor = async (): Promise<Examination> => ({ findings: [] });
  const work = run({ tag: after }, { doctor, timing: { limitMs: 60_000, pauseMs: 10, confirmMs: 0 } });
  setTimeout(() => (running = after), 200);
  const { message, output } = await work;
  expect(message).toBeUndefined();
  expect(output).toContain(`responds with version 0.3.0, commit ${after.slice(0, 8)}.`);
});

test.each([
  ['1: the project cannot be read', 'functions list', 'Nothing was deployed: the Supabase CLI cannot read'],
  ['4: callbacks cannot be deployed', 'functions deploy callbacks', 'those that ran before still run'],
  [
    '4: another function cannot be deployed',
    'functions deploy v1',
    'Only callbacks was deployed for certain',
  ],
])('step %s, and no previous version is known: says what runs', async (_, fails, expected) => {
  vi.stubEnv('STAND_IN_FAILS', fails);
  ready = () => ({ status: 200, version: '0.1.0' });
  const { message, output } = await run({ tag: 'v0.1.0' });
  expect(message).toContain(expected);
  if (fails !== 'functions list') expect(output).toContain('to name one, pass --previous.');
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

test('rejects a version that is older than the running one, if git does not have that', async () => {
  ready = () => ({ status: 200, version: '0.10.0' });
  expect((await run()).message).toContain('Version 0.10.0 runs, which is newer than v0.3.0');
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
  writeSettings({ FUNCTIONS_URL: 'http://127.0.0.1:1/functions/v1' });
  const examination = JSON.stringify(await runDoctor(readDeployment(envFile)));
  expect(examination).toContain('"check":"address","status":"failed"');
  expect(examination).not.toContain(token);
});

test('installs in an empty project: migrations, environment, schedule, functions', async () => {
  const database = await startPlatformDatabase();
  onTestFinished(() => database.stop());
  writeSettings({ APP_ENV: 'production', SUPABASE_DB_URL: database.url, QSTASH_URL: url });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const commit = new Repository().commitOf('HEAD');
  ready = () => ({ status: deployed('callbacks') ? 200 : 404, version, commit });
  const { message, output } = await run({ tag: 'HEAD', yes: true }, { repository: new Repository() });
  expect(message).toBeUndefined();
  expect(output).toContain('There is no previous version to go back to.');
  expect(requests).toEqual([expect.stringContaining('/v2/schedules/')]);
  expect(await database.sql`select app.environment() as environment`).toEqual([
    { environment: 'production' },
  ]);
  expect(steps()).toHaveLength(2);
});
