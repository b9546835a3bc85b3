// Missions, badges, challenges and points, as integrations see them.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createWorkspace } from '../../support/gamification/gamification.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { faultOf, NOBODY } from '../../support/records/record-flows.ts';
import { createToken, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

async function setUp(names: string[] = ['ana', 'bia']) {
  const w = await createWorkspace(sql, names);
  const { token } = await createToken(sql, w.id, { scopes: ['read:users'] });
  const ask = (path: string, headers = {}) => records(token, 'GET', path, undefined, { headers });
  const data = async (path: string): Promise<Json[]> => {
    const { status, body } = await ask(path);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body.data;
  };
  /** Activities of activity sync: external id, code and user. */
  const record = async (...sent: [id: string, code: string, name: string][]) => {
    for (const [id, code, name] of sent) {
      await sql`
        insert into activities (tenant_id, external_id, activity_code, collaborator_id)
        select tenant_id, ${id}, ${code}, id from collaborators where tenant_id = ${w.id} and name = ${name}`;
    }
  };
  return { w, ask, data, record };
}

describe('missions', () => {
  test('with their codes and completions, of all users or of one', async () => {
    const { w, data, record } = await setUp();
    for (const name of ['ana', 'caio']) await w.addCollaborator(name);
    const [calls] = await sql`select admin.create_mission(${w.id}, 'Calls', 10) as id`;
    const [visits] = await sql`select admin.create_mission(${w.id}, 'Visits', 0) as id`;
    for (const code of ['002', '001'])
      await sql`select admin.map_activity_code(${w.id}, ${code}, ${calls?.id})`;
    await record(['1', '001', 'ana'], ['2', '002', 'ana'], ['3', '001', 'caio'], ['4', '009', 'ana']);
    const shown = (completions: number) => [
      { id: calls?.id, name: 'Calls', points: 10, codes: ['001', '002'], completions },
      { id: visits?.id, name: 'Visits', points: 0, codes: [], completions: 0 },
    ];
    expect(await data('/missions?sort=name')).toEqual(shown(3));
    expect(await data(`/missions?sort=name&user_id=${await w.userId('ana')}`)).toEqual(shown(2));
    expect(await data(`/missions?sort=name&user_id=${await w.userId('bia')}`)).toEqual(shown(0));
    await sql`select admin.void_activity(${w.id}, '2', 'Twice')`;
    expect(await data('/missions?sort=name')).toEqual(shown(2));
  });
});

describe('badges', () => {
  test("with the number of players; a user's with the time, newest first", async () => {
    const { w, data, ask } = await setUp();
    const first = await w.badge('points', 1, 'First points');
    const hundred = await w.badge('points', 100, 'A hundred');
    await w.badge('deals_won', 1.5, 'Won');
    const ana = await w.userId('ana');
    await sql`select admin.adjust_points(${w.id}, 'ana@example.com', 50, 'Quiz')`;
    await w.recount();
    await sql`select admin.adjust_points(${w.id}, 'ana@example.com', 50, 'Quiz'), admin.adjust_points(${w.id}, 'bia@example.com', 1, 'Quiz')`;
    await w.recount();
    const badges = [
      { id: hundred, name: 'A hundred', metric: 'points', threshold: 100, earned_by: 1 },
      { id: first, name: 'First points', metric: 'points', threshold: 1, earned_by: 2 },
      { id: expect.any(String), name: 'Won', metric: 'deals_won', threshold: 1.5, earned_by: 0 },
    ];
    expect(await data('/badges?sort=name')).toEqual(badges);
    const own = badges.slice(0, 2).map((badge) => ({ ...badge, earned_at: TIME }));
    expect(await data(`/users/${ana}/badges`)).toEqual(own);
    expect(await data(`/users/${ana}/badges?sort=earned_at`)).toEqual(own.toReversed());
    const second = await ask(`/users/${ana}/badges?per_page=1&page=2`);
    expect([second.body.data, second.body.meta]).toMatchObject([[own[1]], { total: 2, total_pages: 2 }]);
    expect((await ask(`/users/${ana}/badges?page=9`)).body).toMatchObject({ data: [], meta: { total: 2 } });
  });
});

describe('challenges', () => {
  test('with the progress of all players, best first, or of one', async () => {
    const { w, data } = await setUp(['ana', 'bia', 'caio']);
    await w.addCollaborator('eva');
    const [wins] = await sql`
      select admin.create_challenge(${w.id}, 'Two wins', 'deals_won', 2, '2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 7) as id`;
    const [ever] = await sql`
      select admin.create_challenge(${w.id}, 'Ever', 'points', 1, '-infinity', 'infinity') as id`;
    for (const name of ['bia', 'bia', 'ana']) await w.deal(name, { status: 'won' });
    await w.recount();
    const [ana, bia, caio] = [await w.userId('ana'), await w.userId('bia'), await w.userId('caio')];
    const [forever, twoWins] = await data('/challenges?sort=name');
    expect(twoWins).toEqual({
      id: wins?.id,
      name: 'Two wins',
      metric: 'deals_won',
      target: 2,
      starts_at: '2026-01-01T00:00:00.000000Z',
      ends_at: '2999-01-01T00:00:00.000000Z',
      reward_points: 7,
      progress: [
        { user_id: bia, name: 'bia', value: 2, completed_at: TIME },
        { user_id: ana, name: 'ana', value: 1, completed_at: null },
        { user_id: caio, name: 'caio', value: 0, completed_at: null },
        { user_id: null, name: 'eva', value: 0, completed_at: null },
      ],
    });
    expect(forever).toMatchObject({ id: ever?.id, starts_at: null, ends_at: null });
    const ofAna = await data(`/challenges?sort=name&user_id=${ana}`);
    expect(ofAna.map(({ progress }) => progress)).toEqual([
      [{ user_id: ana, name: 'ana', value: 0, completed_at: null }],
      [{ user_id: ana, name: 'ana', value: 1, completed_at: null }],
    ]);
  });
});

describe('points of a user', () => {
  test('are the entries, newest first, and their sum is total_points', async () => {
    const { w, ask, data, record } = await setUp();
    await w.addCollaborator('ana');
    const [mission] = await sql`select admin.create_mission(${w.id}, 'Calls', 10) as id`;
    await sql`select admin.map_activity_code(${w.id}, '001', ${mission?.id})`;
    await record(['1', '001', 'ana'], ['2', '001', 'ana']);
    await sql`select admin.void_activity(${w.id}, '2', 'Sent twice')`;
    await sql`select admin.adjust_points(${w.id}, 'ana@example.com', -3, 'Miscounted')`;
    await w.rule('deal.won', 40);
    await w.deal('ana', { status: 'won', name: 'Annual plan' });
    const ana = await w.userId('ana');
    const entry = {
      ...{ id: expect.any(Number), note: null, mission_id: null, mission_name: null, created_at: TIME },
      subject: null,
    };
    const ofMission = { mission_id: mission?.id, mission_name: 'Calls' };
    const activity = (id: string) => ({ subject: { resource: 'activity', id, name: null } });
    const deal = { resource: 'deal', id: expect.any(String), name: null };
    const entries = await data(`/users/${ana}/points`);
    expect(entries).toEqual([
      { ...entry, points: 40, reason: 'deal_won', subject: deal },
      { ...entry, points: -3, reason: 'adjustment', note: 'Miscounted' },
      {
        ...entry,
        points: -10,
        reason: 'activity_voided',
        note: 'Sent twice',
        ...ofMission,
        ...activity('2'),
      },
      { ...entry, points: 10, reason: 'mission_completed', ...ofMission, ...activity('2') },
      { ...entry, points: 10, reason: 'mission_completed', ...ofMission, ...activity('1') },
    ]);
    const reader = await createToken(sql, w.id, { scopes: ['read:users', 'read:deals'] });
    const [won] = (await records(reader.token, 'GET', `/users/${ana}/points`)).body.data;
    expect(won.subject).toMatchObject({ resource: 'deal', name: 'Annual plan' });
    const { body } = await ask(`/users/${ana}`);
    expect(entries.reduce((sum, { points }) => sum + points, 0)).toBe(body.data.total_points);
    const pages = await Promise.all(
      [1, 2, 3].map((page) => data(`/users/${ana}/points?per_page=2&page=${page}`)),
    );
    expect(pages.flat()).toEqual(entries);
    expect(await data(`/users/${ana}/points?sort=created_at`)).toEqual(entries.toReversed());
    expect(await data(`/users/${await w.userId('bia')}/points`)).toEqual([]);
  });
});

test('variants B and C return the same in their envelope', async () => {
  const { w, ask } = await setUp();
  await w.badge('points', 1);
  await sql`
    select admin.create_mission(${w.id}, 'Calls', 10), admin.create_season(${w.id}, 's', '2026-01-01', '2026-02-01'),
           admin.create_challenge(${w.id}, 'c', 'points', 5, '2026-01-01', '2026-02-01'),
           admin.adjust_points(${w.id}, 'ana@example.com', 3, 'Quiz')`;
  await w.recount();
  const ana = await w.userId('ana');
  for (const path of [
    '/missions',
    '/badges',
    '/seasons',
    '/challenges',
    `/users/${ana}/points`,
    `/users/${ana}/badges`,
  ]) {
    const { data } = (await ask(path)).body;
    expect(data).toHaveLength(1);
    for (const variant of ['b', 'c']) {
      const { body } = await ask(path, { 'X-Api-Variant': variant });
      expect(body).toEqual({ data, pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 } });
    }
  }
});

describe('invalid and foreign values', () => {
  test('are named', async () => {
    const [{ ask }, other] = [await setUp(), await setUp()];
    const theirs = await other.w.userId('ana');
    for (const path of ['/missions', '/challenges']) {
      const named = { fields: ['user_id'] };
      expect(faultOf(await ask(`${path}?user_id=ana`))).toMatchObject({ status: 400, ...named });
      for (const id of [NOBODY, theirs]) {
        expect(faultOf(await ask(`${path}?user_id=${id}`))).toMatchObject({ status: 422, ...named });
      }
    }
    for (const path of ['/missions', '/badges', '/seasons', '/challenges', '/users/me/points']) {
      if (path.includes('me')) expect((await ask(path)).status).toBe(404);
      else expect(faultOf(await ask(`${path}?sort=x`))).toMatchObject({ status: 400, fields: ['sort'] });
    }
    for (const id of [NOBODY, theirs, 'x']) {
      expect((await ask(`/users/${id}/points`)).status).toBe(404);
      expect((await ask(`/users/${id}/badges`)).status).toBe(404);
    }
  });

  test('are not returned', async () => {
    const [mine, other] = [await setUp(['ana']), await setUp(['ana'])];
    await other.w.badge('points', 1);
    await sql`
      select admin.create_mission(${other.w.id}, 'Calls', 10), admin.create_season(${other.w.id}, 's', '2026-01-01', '2026-02-01'),
             admin.create_challenge(${other.w.id}, 'c', 'points', 5, '2026-01-01', '2026-02-01'),
             admin.adjust_points(${other.w.id}, 'ana@example.com', 3, 'Quiz')`;
    for (const path of ['/missions', '/badges', '/seasons', '/challenges']) {
      expect([path, await mine.data(path)]).toEqual([path, []]);
    }
    expect(await mine.data(`/users/${await mine.w.userId('ana')}/points`)).toEqual([]);
    expect(await mine.data('/standings')).toMatchObject([{ points: 0 }]);
  });
});
