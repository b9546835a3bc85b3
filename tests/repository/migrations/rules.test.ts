// Each rule for migrations, with files that follow it and files that break it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describe, readMigrations } from '../../../scripts/migrations/folder.ts';
import { findViolations } from '../../../scripts/migrations/rules.ts';
import { ruleNames } from '../../../scripts/migrations/statements.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The schema before the test files. */
const EARLIER = {
  name: '20260101000000_earlier.sql',
  sql: `
    create table public.leads (id uuid primary key, name text, email text, constraint leads_contact check (name is not null) not valid);
    create table public.line_items (lead_id uuid, position integer, primary key (lead_id, position));
    create table public.sources (id uuid primary key);
    create index leads_name on public.leads (name);
    create function app.score(lead uuid) returns integer language sql as 'select 1';
    create view admin.leads as select id from public.leads;
    alter table public.leads add constraint leads_email check (email is not null) not valid;
    alter table public.leads validate constraint leads_email;`,
};
const NAME = '20270101000000_change.sql';
const LIMIT = "set local lock_timeout = '3s';\n";

const check = (...files: string[]) =>
  findViolations(
    files.map((sql, index) => ({ name: NAME.replace('00_', `0${index}_`), sql })),
    [EARLIER],
  );
/** `line: rule` of each violation. */
const found = (...files: string[]) => check(...files).map(({ line, rule }) => `${line}: ${rule}`);

const TABLE = 'create table public.notes (id uuid primary key, lead_id uuid references public.leads (id));';
const SECURED = `${TABLE} alter table public.notes enable row level security;
  create policy api on public.notes to api using (true);`;
const LISTED = `insert into private.tables_of_tenants_to_move (table_name, how, why) values ('notes', 'copy', 'Notes.');`;

const good: Record<string, string[]> = {
  'lock-timeout': [
    "-- A comment.\nset local lock_timeout = '500ms'; select 1;",
    'set local lock_timeout = 3000; select 1;',
    'drop index concurrently if exists public.leads_phone;',
  ],
  'concurrent-index': [
    'drop index concurrently if exists public.leads_phone;\ncreate index concurrently leads_phone on public.leads (email);',
    `${LIMIT}create table private.a (b integer); create index on private.a (b);`,
    `${LIMIT}alter table public.leads add constraint leads_one unique using index leads_email_key;`,
  ],
  'not-valid': [
    `${LIMIT}alter table public.leads add constraint c check (name <> '') not valid;`,
    `${LIMIT}alter table public.leads add foreign key (id) references public.sources (id) not valid;`,
    `${LIMIT}alter table public.leads validate constraint leads_contact;`,
  ],
  'no-rewrite': [
    `${LIMIT}alter table public.leads add column score integer not null default 0, add column at timestamptz default now();`,
    `${LIMIT}alter table public.leads add column tags text[] default array['a']::text[];`,
    `${LIMIT}alter table public.leads alter column email set not null;`,
    `${LIMIT}alter table public.leads add column key uuid; alter table public.leads alter column key set default gen_random_uuid();`,
  ],
  'expand-contract': [
    `${LIMIT}create or replace function app.score(lead uuid) returns integer language sql as 'select 2';`,
    `${LIMIT}create function app.score(lead uuid, weight integer) returns integer language sql as 'select 2';`,
    `${LIMIT}create or replace view admin.leads as select id, name from public.leads;`,
    `${LIMIT}create trigger t after insert on public.leads execute function f(); drop trigger t on public.leads;`,
    `${LIMIT}drop policy if exists p on public.leads; create policy p on public.leads to api using (true);`,
    `${LIMIT}alter table public.leads drop constraint leads_contact;`,
    `${LIMIT}alter function app.score(uuid) security definer;`,
    `${LIMIT}create table private.a (b integer); alter table private.a force row level security;`,
    `${LIMIT}create function app.f() returns integer language sql as 'select 1'; revoke all on function app.f() from public;`,
    `${LIMIT}-- contracts: 0.2.0\nalter table public.leads drop column name;`,
  ],
  'no-backfill': [
    `${LIMIT}update public.leads set name = '' where id in (select id from public.leads where name is null limit 1000);`,
    `${LIMIT}update public.line_items set position = 2 where lead_id = 'a' and position in (0, 1);`,
    `${LIMIT}create table private.b as select id from public.leads limit 1000;`,
    `${LIMIT}create function app.g() returns void language sql begin atomic delete from public.leads; end;`,
    `${LIMIT}create table private.a (b integer); update private.a set b = 1; insert into private.a select generate_series(1, 9);`,
    `${LIMIT}do $$ begin raise notice 'update public.leads set name = 1;'; -- delete from public.leads;
     end $$;`,
  ],
  grants: [
    `${LIMIT}${SECURED} ${LISTED}`,
    `${LIMIT}create table private.notes (id uuid primary key);`,
    `${LIMIT}create temporary table notes (id uuid);`,
  ],
};

const bad: Record<string, [line: number, sql: string][]> = {
  'lock-timeout': [
    [1, 'select 1;'],
    [2, "\nset lock_timeout = '3s';"],
    [1, "set local lock_timeout = '4s';"],
    [1, 'set local lock_timeout = 0;'],
    [2, `${LIMIT}set local lock_timeout = '1min';`],
    [2, `${LIMIT}commit;`],
    [2, `${LIMIT}select set_config('lock_timeout', '0', true);`],
  ],
  'concurrent-index': [
    [2, `${LIMIT}create index leads_phone on public.leads (email);`],
    [2, `${LIMIT}create unique index on leads (email);`],
    [2, `${LIMIT}alter table public.leads add constraint leads_one unique (email);`],
    [2, `${LIMIT}alter table public.leads add column code text unique;`],
    [1, 'create index concurrently leads_phone on public.leads (email);'],
    [1, 'drop index concurrently public.leads_phone;'],
    [
      2,
      'drop index concurrently if exists leads_phone;\nselect 1; create index concurrently leads_phone on leads (email);',
    ],
    [2, `${LIMIT}reindex table public.leads;`],
  ],
  'not-valid': [
    [2, `${LIMIT}alter table public.leads add constraint c check (name <> '');`],
    [2, `${LIMIT}alter table public.leads add foreign key (id) references public.sources (id);`],
    [2, `${LIMIT}alter table public.leads add column source_id uuid references public.sources (id);`],
    [2, `${LIMIT}alter table public.leads add column score integer check (score > 0);`],
    [
      3,
      `${LIMIT}alter table leads add constraint c check (name <> '') not valid;\nalter table leads validate constraint c;`,
    ],
  ],
  'no-rewrite': [
    [2, `${LIMIT}alter table public.leads alter column name type varchar(20);`],
    [2, `${LIMIT}alter table public.leads add column key uuid default gen_random_uuid();`],
    [2, `${LIMIT}alter table public.leads add column number bigserial;`],
    [2, `${LIMIT}alter table public.leads add column number bigint generated always as identity;`],
    [2, `${LIMIT}alter table public.leads add column upper text generated always as (upper(name)) stored;`],
    [2, `${LIMIT}alter table public.leads add column score integer not null;`],
    [2, `${LIMIT}alter table public.leads attach partition public.sources for values in (1);`],
    // Its check is not validated.
    [2, `${LIMIT}alter table public.leads alter column name set not null;`],
  ],
  'expand-contract': [
    [2, `${LIMIT}alter table public.leads drop column name;`],
    [2, `${LIMIT}drop table public.leads;`],
    [2, `${LIMIT}drop view if exists admin.leads; create view admin.leads as select name from public.leads;`],
    [
      2,
      `${LIMIT}drop function app.score(uuid); create function app.score(lead uuid, weight integer) returns integer language sql as 'select 2';`,
    ],
    [
      2,
      `${LIMIT}create function app.score(lead uuid, weight integer default 1) returns integer language sql as 'select 2';`,
    ],
    [2, `${LIMIT}alter table public.leads rename column name to title;`],
    [2, `${LIMIT}alter table public.leads rename to prospects;`],
    [2, `${LIMIT}alter function app.score(uuid) rename to points;`],
    [2, `${LIMIT}alter table public.leads alter column name drop default;`],
    [2, `${LIMIT}alter table public.leads drop constraint leads_pkey;`],
    [2, `${LIMIT}revoke select on public.leads from api;`],
    [2, `${LIMIT}drop policy p on public.leads;`],
    [1, 'drop index concurrently if exists public.leads_name;'],
    [2, `${LIMIT}alter policy p on public.leads using (false);`],
    [2, `${LIMIT}create policy p on public.leads as restrictive to api using (false);`],
    [2, `${LIMIT}create rule r as on insert to public.leads do instead nothing;`],
    [2, `${LIMIT}alter table public.leads force row level security;`],
    [2, `${LIMIT}alter table public.leads owner to api;`],
    [2, `${LIMIT}revoke api from placar_login;`],
    [2, `${LIMIT}alter role api nologin;`],
    [2, `${LIMIT}alter function app.score(uuid) strict;`],
    [2, `${LIMIT}alter function app.score(uuid) security invoker;`],
    [4, `${LIMIT}do $$\nbegin\n  execute 'alter table leads ' || what;\nend $$;`],
    [4, `${LIMIT}do $$\nbegin\n  execute format('alter table %I drop column name', t);\nend $$;`],
  ],
  'no-backfill': [
    [2, `${LIMIT}update public.leads set name = '';`],
    [2, `${LIMIT}delete from public.leads where name is null;`],
    [2, `${LIMIT}delete from public.line_items where lead_id = 'a';`],
    [2, `${LIMIT}with gone as (delete from public.leads returning id) select count(*) from gone;`],
    [2, `${LIMIT}update public.leads set name = '' where id in (select id from public.leads limit 100000);`],
    [
      4,
      `${LIMIT}do $$ begin loop\n -- why\n update leads set name = '' where id in (select id from leads limit 1000);\n exit when not found; end loop; end $$;`,
    ],
    [2, `${LIMIT}do $$ declare n integer; begin delete from leads returning 1 into n; end $$;`],
    [2, `${LIMIT}truncate public.leads;`],
    [2, `${LIMIT}insert into private.names select name from public.leads;`],
    [2, `${LIMIT}create table private.names as select name from public.leads;`],
    [2, `${LIMIT}select name into private.names from public.leads;`],
  ],
  grants: [
    [2, `${LIMIT}${SECURED}`],
    [2, `${LIMIT}${SECURED.replace(/create policy[^;]*;/, '')} ${LISTED}`],
    [2, `${LIMIT}${SECURED.replace(/alter table[^;]*;/, '')} ${LISTED}`],
    [2, `${LIMIT}${SECURED} ${LISTED.replace("'notes'", "'leads'")}`],
  ],
};

test('every rule has files that follow it and files that break it', () => {
  expect(Object.keys(good)).toEqual([...ruleNames]);
  expect(Object.keys(bad)).toEqual([...ruleNames]);
});

test.each(ruleNames)('%s: files that follow it', (rule) => {
  for (const sql of good[rule] ?? []) expect(check(sql), sql).toEqual([]);
});

test.each(ruleNames)('%s: files that break it', (rule) => {
  for (const [line, sql] of bad[rule] ?? []) {
    expect(found(sql), sql).toContain(`${line}: ${rule}`);
    // A comment above the statement lifts the rule, and no other.
    const lines = sql.split('\n');
    const comments = ruleNames.filter((one) => one !== rule).map((one) => `-- allow: ${one}: a test`);
    lines.splice(line - 1, 0, ...comments);
    expect(found(lines.join('\n')), sql).toContain(`${line + comments.length}: ${rule}`);
    lines.splice(line - 1, 0, `-- allow: ${rule}: a test`);
    expect(found(lines.join('\n')), sql).not.toContain(`${line + comments.length + 1}: ${rule}`);
  }
});

test('later files validate a constraint and then set not null', () => {
  const files = [
    `${LIMIT}alter table leads add constraint c check (id is not null and name is not null) not valid;`,
    `${LIMIT}alter table leads validate constraint c; alter table leads alter column name set not null;`,
  ];
  expect(found(...files)).toEqual([]);
});

test('reports a comment that names no rule, no reason or no version', () => {
  const sql = (comment: string) => `${LIMIT}-- ${comment}\ndrop table leads;`;
  for (const comment of ['allow: expand-contract', 'allow: everything: why', 'contracts: soon'])
    expect(found(sql(comment)), comment).toEqual(['3: comment', '3: expand-contract']);
});

test('reports SQL that Postgres cannot parse, with file and line', () => {
  expect(() => check(`${LIMIT}alter table;`)).toThrow(`${NAME}:2: syntax error`);
});

test('a table from before tenant moves needs no entry for them', () => {
  const sql = `${LIMIT}${SECURED}`;
  expect(findViolations([{ name: '20261123009998_notes.sql', sql }], [EARLIER])).toEqual([]);
});

test('the examples of the documentation follow the rules', () => {
  const page = readFileSync(`${root}/docs/operations/migrations.md`, 'utf8');
  const examples = Array.from(page.matchAll(/^```sql migration\n([\s\S]*?)^```/gm), ([, sql = '']) => sql);
  expect(examples.length).toBeGreaterThan(5);
  const files = examples.map((sql, index) => ({ name: NAME.replace('00_', `${10 + index}_`), sql }));
  expect(findViolations(files, readMigrations(`${root}/migrations`)).map(describe)).toEqual([]);
});

test('npm test checks the migrations of this repository', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  expect(scripts.test).toMatch(/^npm run check &&/);
  expect(scripts.check).toContain('check:migrations');
});
