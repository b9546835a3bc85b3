// The file that `npm run deploy` and `npm run migrate` read: values that would silently be others are rejected.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withDeployLock } from '../../scripts/deploy/connection.ts';
import { readDeployment } from '../../scripts/deploy/deployment.ts';

/** Reads a file for staging with this address, as it is written there. */
function read(address: string, more = '') {
  const dir = mkdtempSync(join(tmpdir(), 'placar-settings-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const envFile = join(dir, 'env');
  writeFileSync(envFile, `\uFEFFAPP_ENV=staging # a comment\nSUPABASE_DB_URL=${address}\n${more}`);
  return readDeployment(envFile);
}

test.each([
  ['a # without quotes', 'postgresql://postgres:se#cret@db.example/postgres', 'has a # without quotes'],
  ['a # in quotes', "'postgresql://postgres:se#cret@db.example/postgres'", '# is %23'],
  ['a % that encodes nothing', 'postgresql://postgres:se%cret@db.example/postgres', '% is %25'],
  ['a /', 'postgresql://postgres:1/x@db.example/postgres', '/ is %2F'],
])('a password with %s is rejected, and not shown', (_, address, expected) => {
  let message = '';
  try {
    read(address);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain(expected);
  expect(message).not.toMatch(/cret|1\/x/);
});

test('encoded characters and $ stay as they are', () => {
  const { databaseUrl } = read("'postgresql://postgres:a%23b%25c$d@db.example/postgres'");
  expect(decodeURIComponent(databaseUrl.password)).toBe('a#b%c$d');
});

const OURS = 'abcdefghijklmnopqrst';
const OTHER = 'tsrqponmlkjihgfedcba';
const FUNCTIONS = `FUNCTIONS_URL=https://${OURS}.supabase.co/functions/v1`;
const direct = (ref: string) => `postgresql://postgres:x@db.${ref}.supabase.co:5432/postgres`;
const pooled = (ref: string) => `postgresql://postgres.${ref}:x@aws-0-sa-east-1.pooler.supabase.com/postgres`;

test.each([
  ['direct address', direct(OTHER), FUNCTIONS],
  ['address of a pooler', pooled(OTHER), FUNCTIONS],
  ['custom domain', direct(OTHER), `FUNCTIONS_URL=https://api.example\nSUPABASE_PROJECT_ID=${OURS}`],
])('a %s of another project is rejected, and names both', (_, address, more) => {
  expect(() => read(address, more)).toThrow(
    /different projects: .*abcdefghijklmnopqrst.*tsrqponmlkjihgfedcba/,
  );
});

test.each([direct(OURS), pooled(OURS)])('the project of %s', (address) => {
  expect(read(address, FUNCTIONS).projectRef).toBe(OURS);
  expect(read(address).projectRef).toBe(OURS);
});

test('an IPv6 address', async () => {
  const deployment = read('postgresql://postgres:x@[::1]:1/postgres');
  await expect(withDeployLock(deployment, async () => {})).rejects.toThrow(/ECONNREFUSED|EADDRNOTAVAIL/);
});

test('a direct host that this network cannot reach: names the session pooler', async () => {
  const deployment = read('postgresql://postgres:x@db.abcdefghijklmnopqrst.supabase.co:5432/postgres');
  await expect(withDeployLock(deployment, async () => {})).rejects.toThrow(/IPv6 only.*session pooler/);
});
