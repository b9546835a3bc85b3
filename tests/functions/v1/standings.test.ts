// Standings: places, periods in the time zone of the tenant, teams, seasons, the place of one player, and who is excluded.
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createWorkspace, type Workspace } from '../../support/gamification/gamification.ts';
import { faultOf, NOBODY } from '../../support/records/record-flows.ts';
import { createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();

/** Ledger entries with dates. Players are not limited to recent entries. */
async function give(w: Workspace, name: string, points: number, at?: string): Promise<void> {
  await sql`
    insert into point_entries (tenant_id, player_id, reason, points, created_at)
    select tenant_id, id, 'automation', ${points}, coalesce(${at ?? null}::text::timestamptz, now())
    from players where tenant_id = ${w.id} and email = ${`${name}@example.com`}`;
}

async function setUp(names: string[] = ['ana', 'bia', 'caio', 'dora']) {
  const w = await createWorkspace(sql, names);
  const { token } = await createToken(sql, w.id, { scopes: ['read:users'] });
  const ask = (query = '', headers = {}) =>
    records(token, 'GET', `/standings${query}`, undefined, { headers });
  /** Place, name and points of each row. */
  const lines = async (query = ''): Promise<[number, string, number][]> => {
    const { status, body } = await ask(query);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.data.map((row: { position: number; name: string; points: number }) => [
      row.position,
      row.name,
      row.points,
    ]);
  };
  return { w, token, ask, lines };
}

/** Rows with equal points are ordered by id, which is random. */
const inOrder = (lines: [number, string, number][]) =>
  lines.toSorted((a, b) => a[0] - b[0] || a[1].localeCompare(b[1]));

test('players with equal points share a position, and the next one counts all before it', async () => {
  const { w, ask, lines } = await setUp();
  await give(w, 'ana', 5);
  await give(w, 'bia', 9);
  await give(w, 'caio', 9);
  expect(inOrder(await lines())).toEqual([
    [1, 'bia', 9],
    [1, 'caio', 9],
    [3, 'ana', 5],
    [4, 'dora', 0],
  ]);
  expect((await ask()).body.meta).toMatchObject({ page: 1, per_page: 25, total: 4, total_pages: 1 });
});

test('a collaborator and the user with its email are one entry', async () => {
  const { w, ask } = await setUp(['ana']);
  const [both, alone] = [await w.addCollaborator('ana'), await w.addCollaborator('eva')];
  await give(w, 'eva', 3);
  expect((await ask()).body.data).toEqual([
    { position: 1, user_id: null, collaborator_id: alone, name: 'eva', points: 3 },
    { position: 2, user_id: await w.userId('ana'), collaborator_id: both, name: 'ana', points: 0 },
  ]);
});

test('pages contain every entry once, and pages beyond the last are empty', async () => {
  const { w, ask, lines } = await setUp(Array.from({ length: 7 }, (_, n) => `u${n}`));
  for (const n of [1, 2, 3]) await give(w, `u${n}`, 4);
  const pages = await Promise.all([1, 2, 3, 4].map((page) => lines(`?per_page=3&page=${page}`)));
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1, 0]);
  expect(pages.flat()).toEqual(await lines());
  expect(pages.flat().map(([position]) => position)).toEqual([1, 1, 1, 4, 4, 4, 4]);
  expect((await ask('?per_page=3&page=4')).body.meta).toMatchObject({ page: 4, total: 7, total_pages: 3 });
});

test('variants B and C return the same entries in their envelope', async () => {
  const { w, ask } = await setUp(['ana', 'bia']);
  await give(w, 'bia', 1);
  const { data } = (await ask()).body;
  for (const variant of ['b', 'c']) {
    const { body } = await ask('', { 'X-Api-Variant': variant });
    expect(body).toEqual({ data, pagination: { page: 1, per_page: 20, total: 2, total_pages: 1 } });
  }
});

describe('a period', () => {
  test.each(['America/Sao_Paulo', 'Asia/Tokyo', 'Asia/Kolkata'])(
    'begins at midnight of its first day in %s',
    async (timeZone) => {
      const { w, lines } = await setUp(['ana']);
      await sql`update tenants set time_zone = ${timeZone} where id = ${w.id}`;
      for (const [period, unit] of [
        ['today', 'day'],
        ['week', 'week'],
        ['month', 'month'],
        ['quarter', 'quarter'],
        ['year', 'year'],
      ] as const) {
        const [row] = await sql`
          select (start - interval '1 microsecond')::text as before, start::text as first from (
            select date_trunc(${unit}, now() at time zone ${timeZone}) at time zone ${timeZone} as start
          ) as s`;
        const [[, , before = 0] = []] = await lines(`?period=${period}`);
        await give(w, 'ana', 1000, row?.before);
        expect(await lines(`?period=${period}`)).toEqual([[1, 'ana', before]]);
        await give(w, 'ana', 1, row?.first);
        expect(await lines(`?period=${period}`)).toEqual([[1, 'ana', before + 1]]);
      }
      expect(await lines('?period=all')).toEqual(await lines());
    },
  );

  test('includes from and excludes to, to the microsecond', async () => {
    const { w, lines } = await setUp(['ana']);
    const at = (microseconds: string) => `2026-02-03T10:00:00.${microseconds}Z`;
    await give(w, 'ana', 1, at('000001'));
    await give(w, 'ana', 10, at('000002'));
    await give(w, 'ana', 100, at('000003'));
    expect(await lines(`?from=${at('000001')}&to=${at('000003')}`)).toEqual([[1, 'ana', 11]]);
    expect(await lines(`?from=${at('000002')}`)).toEqual([[1, 'ana', 110]]);
    expect(await lines(`?to=${at('000002')}`)).toEqual([[1, 'ana', 1]]);
  });

  test("a day means its midnight in the tenant's time zone, also at clock changes", async () => {
    const { w, lines } = await setUp(['ana']);
    await sql`update tenants set time_zone = 'America/New_York' where id = ${w.id}`;
    // March 8, 2026 has 23 hours, November 1 has 25.
    for (const [points, at] of [
      [1, '2026-03-08T04:59:59Z'],
      [10, '2026-03-08T05:00:00Z'],
      [100, '2026-03-09T03:59:59Z'],
      [1000, '2026-03-09T04:00:00Z'],
      [1, '2026-11-01T03:59:59Z'],
      [20, '2026-11-01T04:00:00Z'],
      [200, '2026-11-02T04:59:59Z'],
      [2000, '2026-11-02T05:00:00Z'],
    ] as const) {
      await give(w, 'ana', points, at);
    }
    expect(await lines('?from=2026-03-08&to=2026-03-09')).toEqual([[1, 'ana', 110]]);
    expect(await lines('?from=2026-11-01&to=2026-11-02')).toEqual([[1, 'ana', 220]]);
    expect(await lines('?from=2026-03-08&to=2026-11-02T04:59:59Z')).toEqual([[1, 'ana', 1131]]);
  });

  test('of a season is from its start to its end', async () => {
    const { w, token, lines } = await setUp(['ana', 'bia']);
    const [season] = await sql`
      select admin.create_season(${w.id}, 'Summer', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z') as id`;
    await give(w, 'ana', 7, '2025-12-31T23:59:59.999999Z');
    await give(w, 'ana', 1, '2026-01-01T00:00:00Z');
    await give(w, 'bia', 2, '2026-01-31T23:59:59.999999Z');
    await give(w, 'bia', 7, '2026-02-01T00:00:00Z');
    expect(await lines(`?season=${season?.id}`)).toEqual([
      [1, 'bia', 2],
      [2, 'ana', 1],
    ]);
    expect((await records(token, 'GET', '/seasons')).body.data).toEqual([
      {
        id: season?.id,
        name: 'Summer',
        starts_at: '2026-01-01T00:00:00.000000Z',
        ends_at: '2026-02-01T00:00:00.000000Z',
      },
    ]);
  });
});

test('of a team contain its members, with positions among them', async () => {
  const { w, lines } = await setUp();
  const [team] = await sql`insert into teams (tenant_id, name) values (${w.id}, 'North') returning id`;
  for (const name of ['bia', 'dora']) await w.change('users', await w.userId(name), { team_id: team?.id });
  await give(w, 'ana', 9);
  await give(w, 'dora', 4);
  expect(await lines(`?team_id=${team?.id}`)).toEqual([
    [1, 'dora', 4],
    [2, 'bia', 0],
  ]);
  expect(await lines(`?team_id=${team?.id}&from=2999-01-01`)).toEqual(
    expect.arrayContaining([
      [1, 'dora', 0],
      [1, 'bia', 0],
    ]),
  );
  expect(await lines(`?team_id=${NOBODY}`)).toEqual([]);
});

describe('around a user', () => {
  test.each([
    [0, 3, [9, 8, 7]],
    [1, 3, [9, 8, 7]],
    [4, 3, [6, 5, 4]],
    [4, 4, [6, 5, 4, 3]],
    [4, 1, [5]],
    [8, 3, [2, 1, 0]],
    [9, 3, [2, 1, 0]],
    [5, 50, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]],
  ])('number %i of ten, %i rows', async (place, rows, points) => {
    const { ask } = await tenPlayers();
    const { w } = await tenPlayers();
    const userId = await w.userId(`u${place}`);
    const { body } = await ask(`?around=${userId}&per_page=${rows}`);
    expect(body.data.map((row: { points: number }) => row.points)).toEqual(points);
    expect(body.meta.total).toBe(10);
  });

  let made: ReturnType<typeof makeTen> | undefined;
  const tenPlayers = () => {
    made ??= makeTen();
    return made;
  };
  async function makeTen() {
    const made = await setUp(Array.from({ length: 10 }, (_, n) => `u${n}`));
    for (let n = 0; n < 10; n++) if (n < 9) await give(made.w, `u${n}`, 9 - n);
    return made;
  }
});

test('users who opted out have no position, and return when they opt in', async () => {
  const { w, token, ask, lines } = await setUp(['ana', 'bia', 'caio']);
  await give(w, 'ana', 9);
  await give(w, 'bia', 5);
  await sql`select admin.set_ranking_opt_out(${w.id}, ' ANA@example.com')`;
  const without: [number, string, number][] = [
    [1, 'bia', 5],
    [2, 'caio', 0],
  ];
  expect(await lines()).toEqual(without);
  expect(await lines('?period=year')).toEqual(without);
  expect((await ask()).body.meta.total).toBe(2);
  const ana = await w.userId('ana');
  expect(faultOf(await ask(`?around=${ana}`))).toMatchObject({ status: 422, fields: ['around'] });
  const stats = async (name: string) =>
    (await records(token, 'GET', `/users/${await w.userId(name)}/stats`)).body.data;
  expect(await stats('ana')).toMatchObject({ points: 9, ranking_position: null });
  expect(await stats('bia')).toMatchObject({ points: 5, ranking_position: 1 });
  expect((await records(token, 'GET', `/users/${ana}`)).body.data.total_points).toBe(9);
  const ofAdmins = () =>
    sql`select name, position::integer from admin.standings where tenant_id = ${w.id} order by points desc`;
  expect(await ofAdmins()).toEqual([
    { name: 'ana', position: null },
    { name: 'bia', position: 1 },
    { name: 'caio', position: 2 },
  ]);
  await sql`select admin.set_ranking_opt_out(${w.id}, 'ana@example.com', false)`;
  expect((await lines())[0]).toEqual([1, 'ana', 9]);
});

describe('errors are named', () => {
  let mine: Awaited<ReturnType<typeof setUp>>;
  let foreign: { user: string; season: string; team: string };
  beforeAll(async () => {
    mine = await setUp(['ana']);
    const other = await createWorkspace(sql, ['bia']);
    const [season] =
      await sql`select admin.create_season(${other.id}, 's', '2026-01-01', '2026-02-01') as id`;
    const [team] = await sql`insert into teams (tenant_id, name) values (${other.id}, 't') returning id`;
    foreign = { user: await other.userId('bia'), season: season?.id, team: team?.id };
  });

  test.each([
    ['?period=all_time', ['period']],
    ['?period=Today', ['period']],
    ['?from=yesterday', ['from']],
    ['?to=2026-02-30', ['to']],
    ['?from=2026-01-02T00:00:00', ['from']],
    ['?from=2026-01-02&to=2026-01-02', ['to']],
    ['?from=2026-01-02&to=2026-01-01T00:00:00Z', ['to']],
    ['?period=week&from=2026-01-01', ['period']],
    ['?period=all&to=2026-01-01', ['period']],
    [`?period=week&season=${NOBODY}`, ['period']],
    [`?season=${NOBODY}&from=2026-01-01`, ['season']],
    ['?season=summer', ['season']],
    ['?team_id=north', ['team_id']],
    ['?around=ana', ['around']],
    [`?around=${NOBODY}&page=2`, ['page']],
    ['?page=0&per_page=101', ['page', 'per_page']],
    ['?period=week&period=month', ['period']],
  ])('%s: 400', async (query, fields) => {
    expect(faultOf(await mine.ask(query))).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields });
  });

  test('unknown and foreign users: 422, or no entries for a team', async () => {
    for (const [field, id] of [
      ['around', NOBODY],
      ['around', foreign.user],
      ['season', NOBODY],
      ['season', foreign.season],
    ] as const) {
      const fault = faultOf(await mine.ask(`?${field}=${id}`));
      expect(fault).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: [field] });
    }
    expect(await mine.lines(`?team_id=${foreign.team}`)).toEqual([]);
  });
});
