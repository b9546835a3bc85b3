// `placar doctor` with a separate stack: healthy, and with each possible problem, one at a time.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from '../../../functions/manifest.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { createSigningKey } from '../../../scripts/signing-key.ts';
import { pgbouncerVersion, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Fault, startFaultProxy } from '../../support/wire/fault-proxy.ts';
import { expectHidden, jsonLines, newFolder, runCli, useCli } from './run-cli.ts';

useCli();

let dir = '';
let stack: Stack;
let sql: postgres.Sql;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'placar-doctor-'));
  stack = await startStack({ dir, port: 0, durable: false });
  sql = postgres(stack.info.database_url, { max: 2, onnotice: () => {} });
  await sql`select admin.create_monitor()`;
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const CHECKS = [
  'settings',
  ...functionNames.map((name) => `function ${name}`),
  ...[
    'verify_jwt',
    'write',
    'runtime',
    'signing key of tokens',
    'clock',
    'metrics',
    'database',
    'login',
    'environments',
    'migrations',
    'default grants',
  ],
  ...[
    'request log partitions',
    'failed jobs',
    'overdue jobs',
    'payment providers',
    'activity codes',
    'tenant moves',
    'monitoring',
    'alerts',
  ],
  ...['schedule', 'signing keys of QStash', 'Redis', 'Auth'],
];

interface Finding {
  check: string;
  status: string;
  found: string;
  todo?: string;
}

/** Examines the stack with the settings of its functions in a file, some of them changed. */
async function examine(
  changes: Record<string, string | undefined> = {},
  databaseUrl = stack.info.database_url,
) {
  const cwd = newFolder();
  const settings = { ...stack.env, ...changes };
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  writeFileSync(join(cwd, '.env'), given.map(([name, value]) => `${name}='${value}'\n`).join(''), {
    mode: 0o600,
  });
  const env = { PLACAR_API_KEY: stack.info.api_key, PLACAR_DATABASE_URL: databaseUrl };
  const ended = await runCli(['doctor', '--env-file', '.env'], { cwd, env });
  const { password } = new URL(stack.info.database_url);
  const { QSTASH_TOKEN, UPSTASH_REDIS_REST_TOKEN, SWEEP_TOKEN, QSTASH_CURRENT_SIGNING_KEY } = stack.env;
  const keys = Object.values(JSON.parse(stack.env.SUPABASE_SECRET_KEYS ?? '{}')) as string[];
  const secrets = [password, QSTASH_TOKEN, UPSTASH_REDIS_REST_TOKEN, SWEEP_TOKEN, QSTASH_CURRENT_SIGNING_KEY];
  expectHidden(ended, [
    ...secrets,
    ...keys,
    stack.info.api_key,
    JSON.parse(stack.env.OAUTH_SIGNING_KEY ?? '{}').d,
  ]);
  const findings = jsonLines(ended.stdout) as unknown as Finding[];
  const bad = findings.filter(({ status }) => status !== 'ok');
  return { ...ended, findings, bad };
}

const namesOf = (findings: Finding[]) => findings.map(({ check, status }) => `${check}: ${status}`);

test('runs every check on a healthy deployment, and none fails', async () => {
  const { code, findings, stderr } = await examine();
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(CHECKS);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a file without FUNCTIONS_URL is named, and a byte order mark is not part of a name', async () => {
  const cwd = newFolder();
  const doctor = (text: string) => {
    writeFileSync(join(cwd, '.env'), text);
    return runCli(['doctor', '--env-file', '.env'], { cwd });
  };
  const empty = await doctor('FUNCTIONS_URL=\n');
  expect(empty.code).toBe(2);
  expect(empty.stderr).toContain('placar doctor needs FUNCTIONS_URL in .env.');
  const marked = await doctor('\uFEFFFUNCTIONS_URL=http://127.0.0.1:1/functions/v1\n');
  expect(marked.stdout).toContain('"check":"address","status":"failed"');
});

test('checks a local stack completely with the variables of npm run env', async () => {
  const exported = execFileSync('npm', ['run', '-s', 'env'], {
    env: { ...process.env, LOCAL_DIR: dir },
    encoding: 'utf8',
  });
  const env = Object.fromEntries(
    Array.from(exported.matchAll(/^export (\w+)='(.*)'$/gm), ([, name = '', value = '']) => [name, value]),
  );
  const { code, stdout } = await runCli(['doctor'], { env });
  const findings = jsonLines(stdout) as unknown as Finding[];
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(CHECKS);
  expect(code).toBe(0);
});

test('prints a table for people; checks that cannot run name the missing setting', async () => {
  const env = { PLACAR_URL: stack.info.base_url, FORCE_COLOR: '1' };
  const { code, stdout } = await runCli(['doctor'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('\u001b[32mok\u001b[39m');
  expect(stdout).toMatch(/Redis.*not checked.*UPSTASH_REDIS_REST_URL/);
  expect(stdout).toMatch(/database.*not checked.*PLACAR_DATABASE_URL/);
  expect(stdout).toMatch(/\d+ ok, 0 warning, 0 failed, \d+ not checked/);
});

describe('the database', () => {
  const broken: [name: string, expected: string[], change: string, undo: string][] = [
    [
      'a migration that is missing',
      ['migrations: failed'],
      `update supabase_migrations.schema_migrations set version = '1' where version = '20261127010500'`,
      `update supabase_migrations.schema_migrations set version = '20261127010500' where version = '1'`,
    ],
    [
      'a migration that nobody knows',
      ['migrations: warning'],
      `insert into supabase_migrations.schema_migrations (version) values ('29991231000000')`,
      `delete from supabase_migrations.schema_migrations where version = '29991231000000'`,
    ],
    [
      'a table that anyone may read',
      ['default grants: failed'],
      'grant select on public.leads to anon',
      'revoke select on public.leads from anon',
    ],
    [
      'a table without row-level security',
      ['default grants: failed'],
      'alter table public.leads disable row level security',
      'alter table public.leads enable row level security',
    ],
    [
      'default privileges',
      ['default grants: failed'],
      'alter default privileges in schema public grant select on tables to authenticated',
      'alter default privileges in schema public revoke select on tables from authenticated',
    ],
    [
      'no partition for next month',
      ['request log partitions: failed', 'alerts: failed'],
      `do $$ begin execute format('alter table public.%I rename to hidden', 'request_log_' || to_char(now() at time zone 'UTC' + interval '1 month', 'YYYY_MM')); end $$`,
      `do $$ begin execute format('alter table public.hidden rename to %I', 'request_log_' || to_char(now() at time zone 'UTC' + interval '1 month', 'YYYY_MM')); end $$`,
    ],
    [
      'a job that failed permanently',
      ['failed jobs: failed', 'alerts: warning'],
      `insert into public.jobs (name, key, failed_at, last_error) values ('send-mail', 'doctor', now(), 'the mail service is away')`,
      `delete from public.jobs where key = 'doctor'`,
    ],
    [
      'a job that waits for long',
      ['overdue jobs: failed', 'alerts: failed'],
      `insert into public.jobs (name, key, due_at, published_at) values ('no-such-job', 'doctor', now() - interval '1 hour', '2999-01-01')`,
      `delete from public.jobs where key = 'doctor'`,
    ],
    [
      'an account that is failing',
      ['payment providers: failed', 'alerts: failed'],
      `insert into public.provider_accounts (tenant_id, provider, status, reason, checked_at)
       select id, 'wise', 'failing', 'the provider does not take the key', now() from public.tenants limit 1`,
      `delete from public.provider_accounts where provider = 'wise'`,
    ],
  ];
  test.each(broken)('%s', async (_, expected, change, undo) => {
    await sql.unsafe(change);
    const { code, bad } = await examine().finally(() => sql.unsafe(undo));
    expect(namesOf(bad)).toEqual(expected);
    for (const { found, todo } of bad) expect([found, todo].every(Boolean)).toBe(true);
    expect(code).toBe(expected.some((line) => line.endsWith('failed')) ? 1 : 0);
  });

  test('of another environment: health reports it too', async () => {
    // The health of a function is cached for a second.
    const untilHealth = (status: number) =>
      waitFor(async () => {
        const urls = functionNames.map((name) => `${stack.info.base_url}/functions/v1/${name}/health`);
        const answers = await Promise.all(urls.map((url) => fetch(url)));
        return answers.every((answer) => answer.status === status);
      });
    await sql`select admin.set_environment('production')`;
    await untilHealth(503);
    const { code, bad } = await examine().finally(async () => {
      await sql`select admin.set_environment('staging')`;
      await untilHealth(200);
    });
    expect(namesOf(bad)).toEqual([
      ...functionNames.map((name) => `function ${name}: failed`),
      'environments: failed',
    ]);
    expect(code).toBe(1);
  });

  test.runIf(pgbouncerVersion() !== undefined)('behind a pooler in statement mode', async () => {
    const SUPABASE_DB_URL = await startPgbouncer(stack.info.database_url, { pool_mode: 'statement' });
    const { bad } = await examine({ SUPABASE_DB_URL });
    expect(bad).toContainEqual(
      expect.objectContaining({
        check: 'login',
        status: 'failed',
        todo: expect.stringContaining('session mode'),
      }),
    );
  });

  test.runIf(pgbouncerVersion() !== undefined).each(['session', 'transaction'])(
    'behind a pooler in %s mode',
    async (pool_mode) => {
      const SUPABASE_DB_URL = await startPgbouncer(stack.info.database_url, { pool_mode });
      const { bad } = await examine({ SUPABASE_DB_URL });
      // The pooler of this test logs in as the owner.
      expect(namesOf(bad)).toEqual(['login: warning']);
    },
  );

  test.runIf(pgbouncerVersion() !== undefined)(
    'behind a pooler in transaction mode, as the owner: says so, and does not wait',
    async () => {
      const pooler = await startPgbouncer(stack.info.database_url, { pool_mode: 'transaction' });
      const { code, bad } = await examine({}, pooler);
      expect(code).toBe(1);
      const failed = bad.filter(({ status }) => status === 'failed');
      expect(failed).toEqual([
        expect.objectContaining({
          check: 'database',
          found: 'the address is a pooler in transaction mode',
          todo: expect.stringContaining('direct address'),
        }),
      ]);
      expect(namesOf(bad)).toEqual(
        expect.arrayContaining(['environments: not checked', 'alerts: not checked']),
      );
    },
  );

  test('unreachable', async () => {
    const SUPABASE_DB_URL = 'postgresql://postgres:nothing-here@127.0.0.1:1/postgres';
    const { code, bad } = await examine({ SUPABASE_DB_URL }, SUPABASE_DB_URL);
    expect(code).toBe(1);
    // Only these two say why; the checks that need the database cannot know more.
    const failed = bad.filter(({ status }) => status === 'failed');
    expect(namesOf(failed)).toEqual(['database: failed', 'login: failed']);
    expect(namesOf(bad)).toEqual(
      expect.arrayContaining(['migrations: not checked', 'schedule: not checked']),
    );
  });

  test('functions that log in as the owner, and no login for monitoring', async () => {
    await sql`select admin.drop_login('placar_monitoring')`;
    const { code, bad } = await examine({ SUPABASE_DB_URL: stack.info.database_url });
    await sql`select admin.create_monitor()`;
    expect(namesOf(bad)).toEqual(['login: warning', 'monitoring: warning']);
    expect(code).toBe(0);
  });

  test('without a database URL of the owner, its checks are skipped', async () => {
    const { code, bad } = await examine({}, '');
    expect(bad.map(({ status }) => status)).toEqual(bad.map(() => 'not checked'));
    expect(bad.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['database', 'migrations', 'alerts']),
    );
    expect(code).toBe(0);
  });
});

describe('the services', () => {
  test.each<[string, Record<string, string | undefined>, string[]]>([
    [
      'a wrong token of QStash',
      { QSTASH_TOKEN: 'wrong' },
      ['schedule: failed', 'signing keys of QStash: failed'],
    ],
    ['another signing key', { QSTASH_NEXT_SIGNING_KEY: 'sig_other' }, ['signing keys of QStash: failed']],
    ['a wrong token of Redis', { UPSTASH_REDIS_REST_TOKEN: 'wrong' }, ['Redis: failed']],
    ['Redis that is away', { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }, ['Redis: failed']],
    ['a wrong key of Auth', { SUPABASE_SECRET_KEYS: '{"default":"sb_secret_wrong"}' }, ['Auth: failed']],
    ['Auth that is away', { SUPABASE_URL: 'http://127.0.0.1:1' }, ['Auth: failed']],
    ['a malformed setting', { WEBHOOK_RETRY_SCHEDULE: 'soon' }, ['settings: warning']],
    [
      'a setting that is missing',
      { QSTASH_CURRENT_SIGNING_KEY: undefined },
      ['settings: failed', 'signing keys of QStash: not checked'],
    ],
    [
      'another environment in the settings',
      { APP_ENV: 'production', ALLOW_INSECURE_WEBHOOKS: 'false' },
      ['environments: failed'],
    ],
  ])('%s', async (_, changes, expected) => {
    const { code, bad } = await examine(changes);
    expect(namesOf(bad)).toEqual(expected);
    expect(code).toBe(expected.some((line) => line.endsWith('failed')) ? 1 : 0);
  });

  test('a token of Redis that may only read', async () => {
    const body = [{ error: "NOPERM this user has no permissions to run the 'set' command" }];
    const proxy = await startFaultProxy(stack.env.UPSTASH_REDIS_REST_URL ?? '', () => ({
      status: 200,
      body,
    }));
    const { bad } = await examine({ UPSTASH_REDIS_REST_URL: proxy.url });
    expect(bad).toEqual([
      expect.objectContaining({ check: 'Redis', found: expect.stringContaining('only read') }),
    ]);
  });

  test.each([
    [{ disable_signup: true, mailer_autoconfirm: true }, []],
    [{ disable_signup: false, mailer_autoconfirm: false }, ['Auth: warning']],
    [{ disable_signup: false, mailer_autoconfirm: true }, ['Auth: failed']],
  ])('sign-ups of Auth: %j', async (body, expected) => {
    const proxy = await startFaultProxy(stack.env.SUPABASE_URL ?? '', () => ({ status: 200, body }));
    const { bad } = await examine({ SUPABASE_URL: proxy.url });
    expect(namesOf(bad)).toEqual(expected);
  });

  test('never prints the password of a URL', async () => {
    const password = 'a-password-of-redis';
    const { bad, ...ended } = await examine({ UPSTASH_REDIS_REST_URL: `http://x:${password}@127.0.0.1:1` });
    expect(namesOf(bad)).toEqual(['Redis: failed']);
    expect(bad[0]?.found).toContain('[hidden]');
    expectHidden(ended, [password]);
  });

  test.each<[string, Fault, string]>([
    ['no schedule', { status: 404, body: { error: 'schedule not found' } }, 'npm run schedule'],
    ['a paused schedule', { status: 200, body: { isPaused: true } }, 'resume'],
    [
      'a schedule that leads elsewhere',
      { status: 200, body: { destination: 'https://x.example/callbacks/sweep' } },
      'FUNCTIONS_URL',
    ],
  ])('%s', async (_, fault, todo) => {
    const at = (seen: { path: string }) => (seen.path.startsWith('/v2/schedules/') ? fault : undefined);
    const proxy = await startFaultProxy(stack.env.QSTASH_URL ?? '', at);
    const { bad } = await examine({ QSTASH_URL: proxy.url });
    expect(namesOf(bad)).toEqual(['schedule: failed']);
    expect(bad[0]?.todo).toContain(todo);
  });
});

describe('the functions', () => {
  /** The URL of the stack behind a proxy, which the schedule does not use. */
  async function behind(fault: (path: string) => Fault | undefined) {
    const proxy = await startFaultProxy(stack.info.base_url, ({ path }) => fault(path));
    const { code, bad } = await examine({ FUNCTIONS_URL: `${proxy.url}/functions/v1` });
    expect(code).toBe(1);
    return bad.filter(({ check }) => check !== 'schedule');
  }

  test('verify_jwt is on for one function', async () => {
    const refusal = { status: 401, body: { code: 401, message: 'Missing authorization header' } };
    const bad = await behind((path) => (path.endsWith('/payments/health') ? refusal : undefined));
    expect(namesOf(bad)).toEqual(['function payments: not checked', 'verify_jwt: failed']);
    expect(bad[1]).toMatchObject({
      found: 'on for payments',
      todo: expect.stringContaining('verify_jwt = false'),
    });
  });

  test('one function is not deployed, another does not respond', async () => {
    const bad = await behind((path) => {
      if (path.endsWith('/v1/v1/health')) return { status: 404 };
      return path.endsWith('/callbacks/health') ? 'cut' : undefined;
    });
    expect(namesOf(bad)).toEqual([
      'function v1: failed',
      'function callbacks: failed',
      'verify_jwt: not checked',
    ]);
    expect(bad[0]?.todo).toContain('functions deploy');
  });

  test('requests cannot write, although jobs can', async () => {
    const body = { status: 'unavailable', checks: { write: 'ok', request: 'failed' } };
    const headers = { 'x-request-id': crypto.randomUUID() };
    const bad = await behind((path) =>
      path.endsWith('/health/ready') ? { status: 503, headers, body } : undefined,
    );
    expect(namesOf(bad)).toEqual(['write: failed', 'runtime: warning']);
    expect(bad[0]?.found).toContain('a lead could not be stored');
  });

  const unseen = [
    'address: failed',
    ...functionNames.map((name) => `function ${name}: not checked`),
    'verify_jwt: not checked',
    'write: not checked',
    'runtime: not checked',
    'signing key of tokens: not checked',
    'clock: not checked',
    'metrics: not checked',
  ];

  test('no function check is ok if another server returns 200 for everything', async () => {
    const bad = await behind(() => ({ status: 200, body: { keys: [{ x: 'theirs' }] } }));
    expect(namesOf(bad)).toEqual(unseen);
    expect(bad[0]?.todo).toContain('something other than Placar');
  });

  test('reports an unreachable URL once, and no check is ok', async () => {
    const gone = {
      ...{ FUNCTIONS_URL: 'http://127.0.0.1:1/functions/v1', SUPABASE_DB_URL: undefined },
      ...{ QSTASH_TOKEN: undefined, UPSTASH_REDIS_REST_URL: undefined, SUPABASE_URL: undefined },
    };
    const { code, findings } = await examine(gone, '');
    expect(code).toBe(1);
    const failed = findings.filter(({ status }) => status === 'failed');
    expect(namesOf(failed)).toEqual(['settings: failed', 'address: failed']);
    expect(findings.filter(({ status }) => status === 'ok')).toEqual([]);
  });

  test('a clock that is off by minutes', async () => {
    const headers = { date: new Date(Date.now() - 400_000).toUTCString(), 'x-request-id': 'r' };
    const bad = await behind((path) =>
      path.endsWith('/default-integration/health') ? { status: 200, headers } : undefined,
    );
    expect(namesOf(bad)).toEqual(['clock: failed']);
  });

  test('no token signing key, or a different one, is published', async () => {
    const bad = await behind((path) =>
      path.endsWith('/jwks.json')
        ? { status: 200, headers: { 'x-request-id': 'r' }, body: { keys: [] } }
        : undefined,
    );
    expect(namesOf(bad)).toEqual(['signing key of tokens: failed']);
    const other = await examine({ OAUTH_SIGNING_KEY: createSigningKey() });
    expect(namesOf(other.bad)).toEqual(['signing key of tokens: failed']);
  });
});
