// `migrations/` make the database that `database/` describes, and `npm run migration` writes what is missing or asks.
import { readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { pushMigrations } from '../../local/postgres/provision.ts';
import { compareDatabases, type Difference } from '../../scripts/database/difference.ts';
import { loadSources, readSources, type Source } from '../../scripts/database/sources.ts';
import { withTemporaryDatabase } from '../../scripts/database/temporary-database.ts';
import { DecisionNeeded, writeMigrations } from '../../scripts/database/write-migration.ts';

/** The sources with these texts replaced in all files. */
async function edited(...edits: readonly [from: string | RegExp, to: string][]): Promise<Source[]> {
  return (await readSources()).map(({ path, sql }) => ({
    path,
    sql: edits.reduce((text, [from, to]) => text.replaceAll(from, to), sql),
  }));
}

const NEW_TABLE = `
create table public.lead_sources (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  name      text not null,
  added_at  timestamptz not null default now(),
  primary key (tenant_id, name)
);
create index lead_sources_name_idx on public.lead_sources (name);
create table public.leads (
  next_text text,`;

let current: Difference;
let safe: Difference;
let unsafe: Difference;
beforeAll(async () => {
  await withTemporaryDatabase(async (migrated) => {
    await pushMigrations(migrated, { seed: false });
    const compare = async (sources: Source[]) =>
      await withTemporaryDatabase(async (described) => {
        await loadSources(described, sources);
        return await compareDatabases(migrated, described);
      });
    current = await compare(await readSources());
    safe = await compare(
      await edited(
        ['\ncreate table public.leads (', NEW_TABLE],
        [
          'alter table public.leads enable',
          'create index leads_next_text_idx on public.leads (next_text);\nalter table public.leads enable',
        ],
        ['return external_ids - client_id;', 'return external_ids - client_id - client_id;'],
        ["  ('events',             400,  1),", "  ('events', 400, 1), ('lead_sources', 30, 1),"],
      ),
    );
    unsafe = await compare(
      await edited(
        [/\bfine_percent\b/g, 'late_percent'],
        ['\n  company       text,', '\n  company       text not null,\n  next_text text not null,'],
        ['  value               double precision ', '  value               numeric '],
        ["  ('events',             400,  1),", "  ('events', 401, 1),"],
      ),
    );
  });
});

test('order.txt lists every file of database/', async () => {
  const files = readdirSync('database', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sql'),
  );
  expect((await readSources()).map(({ path }) => path).sort()).toEqual(files.sort());
});

test('database/ and migrations/ describe the same database; npm run migration writes what is missing', () => {
  expect(current.actions.map(({ sql }) => sql)).toEqual([]);
  expect(current.rows).toEqual({ inserts: [], changed: [] });
  expect(current.viewComments).toEqual([]);
});

test('writes functions, columns, tables, rows, and each index of an existing table in a file of its own', () => {
  const [first, index, ...others] = writeMigrations(safe, 20270101000000n, 'website');
  expect(others).toEqual([]);
  expect(first?.name).toBe('20270101000000_website.sql');
  expect(first?.sql).toMatch(/^set local lock_timeout = '3s';/);
  for (const statement of [
    'return external_ids - client_id - client_id;',
    'add column "next_text" text;',
    'create table "public"."lead_sources" (',
    'create index lead_sources_name_idx on',
    "insert into private.retention (what, days, least_days) values ('lead_sources', '30', '1');",
  ])
    expect(first?.sql).toContain(statement);
  expect(index).toEqual({
    name: '20270101000001_website_index.sql',
    sql: expect.stringMatching(
      /^drop index concurrently if exists public\.leads_next_text_idx;\ncreate index concurrently leads_next_text_idx /i,
    ),
  });
});

test('asks about renames, types, required columns, checks and changed rows, and writes nothing', () => {
  const decisions = [
    /^public\.due_limits\.fine_percent -> public\.due_limits\.late_percent: if it was renamed/m,
    /DROP COLUMN "fine_percent": loses data/,
    /ALTER COLUMN "company" SET NOT NULL: needs a validated check first/,
    /ADD COLUMN "next_text" text NOT NULL: rows exist that have no value/,
    /TYPE numeric.*: can rewrite the table/,
    /ADD CONSTRAINT "due_limits_late_percent_check".*: add it "not valid"/,
    /^Rows of private\.retention were changed or removed/m,
  ];
  expect(() => writeMigrations(unsafe, 20270101000000n, 'x')).toThrow(DecisionNeeded);
  for (const decision of decisions) expect(() => writeMigrations(unsafe, 1n, 'x')).toThrow(decision);
});
