// `placar sync` with files of some thousand lines, errors in them, and a kill in the middle.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { connect, createCredentials } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { collaborator } from '../../support/gamification/sync.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Fault, startFaultProxy } from '../../support/wire/fault-proxy.ts';
import { environmentOf, expectHidden, jsonLines, newFolder, runCli, startCli, useCli } from './run-cli.ts';

const sql = connectDatabase();
useCli();

const LINES = 9000;
const HEADER = 'Code,external_id,collaborator_email,occurred_at,data.city,Remark\n';

/** Of a thousand lines, one has an unknown user, one an invalid code, one a line break in a cell, and one too many cells. */
function activityLine(n: number): string {
  const email = n % 1000 === 500 ? 'nobody@example.com' : 'ana@example.com';
  const code = n === 16 || n === 5000 ? '000' : '002';
  const city = n === 30 ? '"São\r\nPaulo, ""SP"""' : 'Santos';
  return `${code},a-${n},${email},2026-01-02T03:04:05Z,${city},-${n === 8000 ? ',more' : ''}\n`;
}

/** Line numbers of the rows in the file: the header is the first, and one row has two lines. */
const lineOf = (n: number) => n + 2 + (n > 30 ? 1 : 0);

const BAD = [16, 5000, 8000].map(lineOf);
const SKIPPED = Array.from({ length: LINES / 1000 }, (_, k) => lineOf(k * 1000 + 500));

function writeActivities(cwd: string): string {
  const file = join(cwd, 'activities.csv');
  writeFileSync(file, HEADER + Array.from({ length: LINES }, (_, n) => activityLine(n)).join(''));
  return file;
}

async function createCaller() {
  const credentials = await createCredentials(sql);
  await connect(credentials).collaborators.sync([collaborator('ana')]);
  const stored = async () => {
    const [row] = await sql`
      select count(*)::integer as rows, count(distinct external_id)::integer as ids from activities
      where tenant_id = ${credentials.tenantId}`;
    return row;
  };
  return { credentials, env: environmentOf(credentials), stored };
}

const ARGS = ['sync', 'activities.csv', '--map', 'activity_code=Code'];
/** Line numbers in messages that have this member. The final result has no line number. */
const linesWith = (stdout: string, member: string) =>
  jsonLines(stdout)
    .filter((line) => 'line' in line && member in line)
    .map(({ line }) => line);

describe('activities', () => {
  test('a dry run names each bad line and sends nothing', async () => {
    const { env, stored } = await createCaller();
    const cwd = newFolder();
    writeActivities(cwd);
    const { code, stdout, stderr } = await runCli([...ARGS, '--dry-run'], { env, cwd });
    expect(code).toBe(3);
    expect(stderr).toBe('Ignored columns: Remark\nDry run: nothing was sent.\n');
    expect(jsonLines(stdout)).toEqual([
      {
        line: BAD[0],
        field: 'activity_code',
        rule: 'must be exactly 3 digits, 001 through 999',
        value: '000',
      },
      {
        line: BAD[1],
        field: 'activity_code',
        rule: 'must be exactly 3 digits, 001 through 999',
        value: '000',
      },
      { line: BAD[2], field: '', rule: 'must have 6 cells, but has 7' },
      {
        ...{ kind: 'activities', dry_run: true, processed: LINES - 3, duplicates: 0, skipped: 0 },
        ...{ invalid: 3, conflicts: 0, total: LINES },
      },
    ]);
    expect(await stored()).toEqual({ rows: 0, ids: 0 });
  });

  test('after a kill in the middle and a second run, everything is there and was announced once', async () => {
    const { credentials, env, stored } = await createCaller();
    const cwd = newFolder();
    const file = writeActivities(cwd);
    let away = true;
    // One batch of the second window arrives, and the others never get a response.
    const fault = (_: unknown, nth: number): Fault | undefined => (away && nth > 4 ? 'silent' : undefined);
    const proxy = await startFaultProxy(inject('stack').base_url, fault);
    const options = { env: { ...env, PLACAR_URL: proxy.url }, cwd };
    const running = startCli(ARGS, options);
    await waitFor(() => proxy.seen.length === 8 && existsSync(`${file}.placar-state.json`));
    await waitFor(async () => ((await stored())?.rows ?? 0) > 4900);
    running.kill('SIGKILL');
    const killed = await running.ended;
    expect(killed.code).toBeNull();
    const state = JSON.parse(readFileSync(`${file}.placar-state.json`, 'utf8'));
    expect(state).toMatchObject({ done: 4000, counts: { processed: 3995, skipped: 4, invalid: 1 } });
    expectHidden({ stdout: JSON.stringify(state), stderr: '' }, [credentials.apiKey]);

    away = false;
    const resumed = await runCli(ARGS, options);
    expect(resumed.code).toBe(3);
    expect(resumed.stderr).toContain('Resuming after 4000 lines');
    const outcome = jsonLines(resumed.stdout).at(-1);
    expect(outcome).toMatchObject({ kind: 'activities', skipped: SKIPPED.length, invalid: 3, total: LINES });
    const { processed, duplicates } = outcome as { processed: number; duplicates: number };
    expect(processed + duplicates).toBe(LINES - 3 - SKIPPED.length);
    expect(duplicates).toBeGreaterThan(900);
    expect([...linesWith(killed.stdout, 'rule'), ...linesWith(resumed.stdout, 'rule')]).toEqual(BAD);
    expect([...linesWith(killed.stdout, 'skipped'), ...linesWith(resumed.stdout, 'skipped')]).toEqual(
      SKIPPED,
    );
    expect(await stored()).toEqual({ rows: LINES - 3 - SKIPPED.length, ids: LINES - 3 - SKIPPED.length });
    expect(existsSync(`${file}.placar-state.json`)).toBe(false);
    const [row] =
      await sql`select data from activities where tenant_id = ${credentials.tenantId} and external_id = 'a-30'`;
    expect(row?.data).toEqual({ city: 'São\r\nPaulo, "SP"' });
    expectHidden(resumed, [credentials.apiKey, credentials.clientSecret]);
  });

  test('Ctrl-C saves the progress; a changed file is rejected until --restart', async () => {
    const { env } = await createCaller();
    const cwd = newFolder();
    const file = writeActivities(cwd);
    let away = true;
    const proxy = await startFaultProxy(inject('stack').base_url, (_, nth) =>
      away && nth >= 4 ? 'silent' : undefined,
    );
    const options = { env: { ...env, PLACAR_URL: proxy.url }, cwd };
    const running = startCli(ARGS, options);
    await waitFor(() => proxy.seen.length > 4);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toContain('4000 lines are done');
    away = false;
    const other = await runCli(ARGS, { env, cwd });
    expect(other.code).toBe(2);
    expect(other.stderr).toContain('--restart');
    writeFileSync(file, `${HEADER}002,b-1,ana@example.com,,,\n`);
    const changed = await runCli(ARGS, options);
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain('has changed since its progress was saved');
    const restarted = await runCli([...ARGS, '--restart'], options);
    expect(restarted.code).toBe(0);
    expect(jsonLines(restarted.stdout)).toEqual([
      {
        ...{ kind: 'activities', dry_run: false, processed: 1, duplicates: 0, skipped: 0, invalid: 0 },
        ...{ conflicts: 0, unmapped: 1, total: 1 },
      },
    ]);
  });

  test('activities that differ from the recorded ones are named, and codes without a mission counted', async () => {
    const { env } = await createCaller();
    const cwd = newFolder();
    const send = async (...rows: string[]) => {
      writeFileSync(
        join(cwd, 'a.csv'),
        `activity_code,external_id,collaborator_email,data.city\n${rows.join('\n')}\n`,
      );
      return runCli(['sync', 'a.csv', ...(rows.length === 3 ? ['--dry-run'] : [])], { env, cwd });
    };
    const [a, b, other] = [
      '002,a,ana@example.com,Rio',
      '002,b,ana@example.com,',
      '002,b,ana@example.com,Natal',
    ];
    const within = { line: 4, external_id: 'b', conflict: expect.stringContaining('differs from line 3') };
    const dry = await send(a, b, other);
    expect([dry.code, jsonLines(dry.stdout)]).toEqual([
      3,
      [within, expect.objectContaining({ processed: 2, duplicates: 1, conflicts: 1 })],
    ]);
    const first = await send(a, b, other, a);
    const differs = expect.stringContaining(
      'differs from the recorded activity with this id, which stays as it is',
    );
    expect([first.code, jsonLines(first.stdout)]).toEqual([
      3,
      [
        { ...within, conflict: differs },
        expect.objectContaining({ processed: 2, duplicates: 2, conflicts: 1, unmapped: 2 }),
      ],
    ]);
    expect(first.stderr).toContain('2 activities have a code without a mission');
    const second = await send(a.replace('Rio', 'Recife'), b);
    expect([second.code, jsonLines(second.stdout)]).toEqual([
      3,
      [
        { line: 2, external_id: 'a', conflict: differs },
        expect.objectContaining({ processed: 0, duplicates: 2, conflicts: 1, unmapped: 0 }),
      ],
    ]);
    expect((await send(a, b)).code).toBe(0);
  });

  test('prints a table for people', async () => {
    const { env } = await createCaller();
    const cwd = newFolder();
    writeFileSync(
      join(cwd, 'a.csv'),
      '\ufeffexternal_id;activity_code;collaborator_email\nb-1;002;ana@example.com\n',
    );
    const { code, stdout } = await runCli(['sync', 'a.csv'], {
      env: { ...env, FORCE_COLOR: '1', NO_COLOR: '1' },
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/│ recorded +│ 1 +│/);
  });
});

describe('collaborators', () => {
  test('are recognized by their columns, and created or updated', async () => {
    const { credentials, env } = await createCaller();
    const cwd = newFolder();
    const people = Array.from(
      { length: 2500 },
      (_, n) => `p-${n},Person ${n},p${n}@example.com,Team ${n % 3},"{""level"":${n}}"\n`,
    );
    people[1200] = 'p-1200,,p1200@example.com,,\n';
    people[1300] = 'p-1300,P,p1300@example.com,,no JSON\n';
    writeFileSync(join(cwd, 'people.csv'), `external_id,name,Mail,team,metadata\n${people.join('')}`);
    const { code, stdout } = await runCli(['sync', 'people.csv', '--map', 'email=Mail'], { env, cwd });
    expect(code).toBe(3);
    expect(jsonLines(stdout)).toEqual([
      { line: 1202, field: 'name', rule: 'must not be empty' },
      { line: 1302, field: 'metadata', rule: 'must be an object', value: 'no JSON' },
      {
        kind: 'collaborators',
        dry_run: false,
        processed: 2498,
        duplicates: 0,
        skipped: 0,
        invalid: 2,
        conflicts: 0,
        total: 2500,
      },
    ]);
    const [row] = await sql`
      select metadata from collaborators where tenant_id = ${credentials.tenantId} and external_id = 'p-7'`;
    expect(row?.metadata).toEqual({ level: 7 });
    const again = await runCli(['sync', 'people.csv', '--map', 'email=Mail'], { env, cwd });
    expect(jsonLines(again.stdout).at(-1)).toMatchObject({ processed: 0, duplicates: 2498 });
  });
});

test.each([
  ['', 'is empty'],
  ['a,b\n1,2\n', 'Missing columns for activities: activity_code, external_id, collaborator_email'],
  ['activity_code,E-mail do vendedor\n', 'Name them with --map external_id=<column>.'],
  ['code,data\n', '--map external_id=<column> --map collaborator_email=<column>.'],
  [Buffer.from('PK\u0003\u0004workbook'), 'activities.csv is not a workbook that can be read'],
  ['Nome;E-mail;Matrícula;Equipe\n', 'The columns fit collaborators. Pass --kind collaborators.'],
  [
    'activity_code,external_id,collaborator_email,external_id\n',
    'Two columns are named external_id. Rename one of them.',
  ],
])('rejects %j before it sends anything', async (content, said) => {
  const env = environmentOf(await createCredentials(sql));
  const cwd = newFolder();
  writeFileSync(join(cwd, 'activities.csv'), content);
  const { code, stderr } = await runCli(['sync', 'activities.csv'], { env, cwd });
  expect(code).toBe(2);
  expect(stderr).toContain(said);
  expect(await runCli(['sync', 'none.csv'], { env, cwd })).toMatchObject({ code: 2 });
});

test('reports an unreachable stack without retrying, and an unusable map file', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'leads.csv'), 'external_id,name\nl-1,Ana\n');
  writeFileSync(join(cwd, 'map.json'), '{no');
  // No other test listens at this address, so that the port stays free.
  const server = createServer().listen(0, '127.0.0.2');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const url = `http://127.0.0.2:${port}`;
  const env = { PLACAR_URL: url, PLACAR_CLIENT_ID: 'client_none', PLACAR_CLIENT_SECRET: 'not-a-secret' };
  const args = ['sync', 'leads.csv', '--kind', 'leads'];
  const off = await runCli(args, { env, cwd });
  expect([off.code, off.stderr]).toEqual([
    1,
    expect.stringContaining(`Nothing responds at ${url} (ECONNREFUSED)`),
  ]);
  const noJson = await runCli([...args, '--map-file', 'map.json'], { env, cwd });
  expect([noJson.code, noJson.stderr]).toEqual([2, expect.stringContaining('must contain a JSON object')]);
  const absent = await runCli([...args, '--map-file', 'no.json'], { env, cwd });
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('cannot read no.json')]);
});
