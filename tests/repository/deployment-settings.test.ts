// The file that `npm run deploy` and `npm run migrate` read: values that would silently be others are rejected.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDeployment, withDeployLock } from '../../scripts/deploy/deployment.ts';

/** Reads a file for staging with this address, as it is written there. */
function read(address: string) {
  const dir = mkdtempSync(join(tmpdir(), 'placar-settings-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const envFile = join(dir, 'env');
  writeFileSync(envFile, `APP_ENV=staging # a comment\nSUPABASE_DB_URL=${address}\n`);
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

test('a direct host that this network cannot reach: names the session pooler', async () => {
  const deployment = read('postgresql://postgres:x@db.abcdefghijklmnopqrst.supabase.co:5432/postgres');
  await expect(withDeployLock(deployment, async () => {})).rejects.toThrow(/IPv6 only.*session pooler/);
});
