// No transaction leaves state in its session: behind a pooler in transaction mode, the next transaction may be another client's.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { readSqlTemplates } from '../support/postgres/sql-templates.ts';

const sql = connectDatabase();

/** Statements whose effects outlive a transaction. */
const patterns = {
  set: /(^|;|\b(begin|then|else|loop)\b)\s*(re)?set\s(?!\s*local\b)/i,
  'set_config beyond the transaction': /\bset_config\([^;]*,\s*false\s*\)/i,
  listen: /(^|;)\s*(un)?listen\s/i,
  'an advisory lock of the session': /\bpg_(try_)?advisory_lock(_shared)?\s*\(/i,
  'a temporary table': /\b(create|into)\s+(local\s+|global\s+)?temp(orary)?\b/i,
  'a cursor or a prepared statement': /(^|;)\s*(prepare|deallocate|discard|fetch|declare\s+\w+\s+cursor)\b/i,
};

const found = (texts: readonly string[]): string[] =>
  Object.entries(patterns).flatMap(([name, pattern]) =>
    texts.filter((text) => pattern.test(text)).map((text) => `${name}: ${text}`),
  );

test.each([
  'set statement_timeout = 1000',
  'select 1; reset role',
  `select set_config('role', 'api', false)`,
  'listen jobs',
  'select pg_try_advisory_lock(1)',
  'create temp table t ()',
  'deallocate all',
])('detects %s', (text) => {
  expect(found([text])).toHaveLength(1);
});

test('SQL that is local to the transaction is not reported', () => {
  const texts = [
    'update t set a = 1',
    'select pg_advisory_xact_lock(1)',
    `select set_config('role', 'api', true)`,
    'set local lock_timeout = 1',
  ];
  expect(found(texts)).toEqual([]);
});

test('no function sends such SQL', async () => {
  const templates = await readSqlTemplates();
  expect(templates.length).toBeGreaterThan(200);
  expect(found(templates)).toEqual([]);
});

test('no database function that they call contains such SQL', async () => {
  const rows = await sql`
    select prosrc from pg_proc
    where pronamespace in ('app'::regnamespace, 'private'::regnamespace, 'public'::regnamespace)`;
  expect(rows.length).toBeGreaterThan(100);
  expect(found(rows.map(({ prosrc }) => prosrc))).toEqual([]);
});
