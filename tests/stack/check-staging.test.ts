// `npm run check:staging` on the local stack: nothing fails, what fails is named with its remedy, and nothing is left behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { checkStaging } from '../../scripts/staging/check.ts';
import { connectDatabase } from '../support/database.ts';
import { pgbouncerVersion, startPgbouncer } from '../support/postgres/pgbouncer.ts';

const sql = connectDatabase();

/** Runs the check. Returns the steps that are not ok, without doctor, which examines what other tests do. */
async function check(changes: Record<string, string> = {}, poolerHost?: string) {
  const dir = mkdtempSync(join(tmpdir(), 'placar-staging-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const envFile = join(dir, 'env');
  const settings = { ...inject('env'), SUPABASE_DB_URL: inject('stack').database_url, ...changes };
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(envFile, lines.join(''));
  const printed: string[] = [];
  const steps = await checkStaging({ envFile, poolerHost, print: (line) => printed.push(line) });
  const bad = steps.filter(({ name, status }) => status !== 'ok' && name !== 'doctor');
  return { steps, bad: bad.map(({ name, status }) => `${name}: ${status}`), output: printed.join('\n') };
}

async function expectNothingLeft() {
  expect(await sql`select from public.tenants where slug like 'staging-check-%'`).toEqual([]);
  expect(await sql`select from pg_catalog.pg_roles where rolname = 'placar_staging_check'`).toEqual([]);
  expect(await sql`select from vault.secrets where name = 'placar_staging_check'`).toEqual([]);
}

test('tries roles, grants, Vault, logins, each interface and a job', async () => {
  const pooler =
    pgbouncerVersion() && (await startPgbouncer(inject('stack').database_url, { pool_mode: 'transaction' }));
  const { steps, bad, output } = await check({}, pooler ? new URL(pooler).host : undefined);
  expect(bad, output).toEqual([
    ...(pooler
      ? []
      : ['login, pooler in session mode: not checked', 'login, pooler in transaction mode: not checked']),
    'lockfile: not checked',
  ]);
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['roles', 'grants', 'Vault', 'login, direct', 'write: mcp', 'job', 'clean up']),
  );
  await expectNothingLeft();
});

test('names what fails and what to do, and cleans up', async () => {
  vi.stubEnv('SUPABASE_CLI', fileURLToPath(new URL('../support/deploying/stand-in-cli.sh', import.meta.url)));
  vi.stubEnv('STAND_IN_LOG', '/dev/null');
  vi.stubEnv('SUPABASE_ACCESS_TOKEN', 'a token');
  onTestFinished(() => void vi.unstubAllEnvs());
  const unreachable = {
    FUNCTIONS_URL: 'http://127.0.0.1:1/functions/v1',
    SUPABASE_PROJECT_ID: 'abcdefghijklmnopqrst',
  };
  const { bad, output } = await check(unreachable, 'pooler.invalid');
  const writes = ['default-integration', 'v1', 'payments', 'mcp'].map((name) => `write: ${name}: failed`);
  expect(bad).toEqual(expect.arrayContaining([...writes, 'job: failed']));
  expect(output).toMatch(/failed +write: v1: .+\n +-> nothing responds at FUNCTIONS_URL/);
  expect(output).not.toContain('request id');
  expect(output).toMatch(/pooler in session mode: .*pooler.invalid\n +-> nothing responds at this host/);
  expect(output).toMatch(/not checked +lockfile: nothing responds at FUNCTIONS_URL/);
  await expectNothingLeft();
});

test('refuses a project for production', async () => {
  await expect(check({ APP_ENV: 'production' })).rejects.toThrow('use a project for staging');
});
