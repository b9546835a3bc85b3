// `npm run sql`: statements as arguments, from files and stdin, in one transaction.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { newFolder } from '../clients/cli/run-cli.ts';
import { connectDatabase } from '../support/database.ts';

const sql = connectDatabase();

function run(
  args: string[],
  input = '',
  env: Record<string, string> = { PLACAR_DATABASE_URL: inject('stack').database_url },
) {
  const { PATH = '', HOME = '' } = process.env;
  const ended = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/sql.ts', ...args], {
    input,
    env: { PATH, HOME, ...env },
    encoding: 'utf8',
  });
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

test('prints a table for each result, or a JSON line for each row', async () => {
  const statements = `select 1 as one, 'a' as name; select generate_series(1, 2) as n`;
  const { code, stdout } = run([statements]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^one {2}name\n-+ {2}-+\n1 {4}a\n\(1 row\)\n\nn\n-\n1\n2\n\(2 rows\)\n/);
  expect(run(['-- first a comment\nselect 1 as one']).stdout).toContain('(1 row)');
  expect(run(['--json'], statements).stdout).toBe('{"one":1,"name":"a"}\n{"n":1}\n{"n":2}\n');
});

test('--tenant replaces the tenant of the snippets, and an error rolls everything back', async () => {
  const slug = `s-${crypto.randomUUID()}`;
  await sql`select admin.create_tenant('S', ${slug})`;
  const file = join(newFolder(), 'x.sql');
  writeFileSync(
    file,
    `-- A mission\nselect admin.create_mission('acme', 'First', 1);\n\n-- Fails\nselect * from no_such_table;\n`,
  );
  const { code, stderr } = run(['--file', file, '--tenant', slug]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^line 5: select \* from no_such_table;\nrelation "no_such_table" does not exist\nNothing was changed\.$/m,
    ),
  ]);
  expect(await sql`select from admin.missions where tenant = ${slug}`).toHaveLength(0);
  expect(run([`select admin.create_mission('acme', 'First', 1)`, '--tenant', slug]).code).toBe(0);
  const [change] =
    await sql`select program from admin.changes where tenant = ${slug} and act = 'mission.created'`;
  expect(change?.program).toBe('npm run sql');
});

test('a fault names its line and statement, also if Postgres reports no position', () => {
  const statements = `-- One\nselect 'é; $$' as "a;b";\n\n/* Two */ select admin.create_mission('nobody',\n'x', 1);`;
  const { code, stdout, stderr } = run([], statements);
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(
      /^line 4: \/\* Two \*\/ select admin.create_mission\('nobody',\ntenant: tenant "nobody" does not exist/,
    ),
  ]);
  expect(run(['select 1;\nselect 1 +;\nselect 2']).stderr).toMatch(/^line 2: select 1 \+;\n/);
});

test('each statement prints its own result, and functions with bodies can be created', async () => {
  const slug = `s-${crypto.randomUUID()}`;
  await sql`select admin.create_tenant('S', ${slug})`;
  const { stdout } = run([
    '--json',
    `select admin.set_plan('${slug}', 'enterprise') as said; do $$ begin perform 1; end $$;
     create function pg_temp.two() returns integer language sql begin atomic select 1; select 2; end;
     select admin.set_language('${slug}', 'pt-BR') as said, pg_temp.two() as two`,
  ]);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { said: 'Changed the plan from starter to enterprise.' },
    { said: expect.stringMatching(/^Changed language of tenant "S" from en to pt-BR\.$/), two: 2 },
  ]);
});

test.each<[string, string[], Record<string, string> | undefined, RegExp]>([
  [
    'the end of a transaction',
    ['select 1; commit; select 2'],
    undefined,
    /^All statements run in one transaction\./,
  ],
  ['a file that does not exist', ['--file', '/nowhere.sql'], undefined, /^Cannot read the file: .*nowhere/],
  ['no statement', [], undefined, /^No statement\./],
  ['a comment only', ['-- nothing'], undefined, /^No statement\./],
  ['an unknown option', ['--jsno', 'select 1'], undefined, /jsno/],
  ['no database', ['select 1'], { LOCAL_DIR: '/nowhere' }, /^No database\./],
])('%s is a usage error', (_, args, env, message) => {
  const { code, stderr } = run(args, '', env);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('--help prints the usage, and an error does not repeat its detail', () => {
  const help = run(['--help']);
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Usage: npm run sql')]);
  const failing = "do $$ begin raise exception 'taken: 7' using detail = '7'; end $$";
  expect(run([failing]).stderr).toBe(`line 1: ${failing}\ntaken: 7\nNothing was changed.\n`);
});
