import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { activity, collaborator, syncActivities, syncCollaborators } from '../support/gamification/sync.ts';

const sql = connectDatabase();

async function standings(tenantId: string): Promise<Record<string, number>> {
  const rows = await sql`select email, points::integer from admin.standings where tenant_id = ${tenantId}`;
  return Object.fromEntries(rows.map((row) => [row.email.split('@')[0], row.points]));
}

async function setUp(...names: string[]) {
  const tenant = await createTenant(sql);
  const made = await syncCollaborators(
    tenant.apiKey,
    names.map((name) => collaborator(name)),
  );
  expect(made.status).toBe(200);
  const createMission = async (name: string, points: number) => {
    const [row] = await sql`select admin.create_mission(${tenant.id}, ${name}, ${points}) as id`;
    return row?.id as string;
  };
  const map = (code: string, missionId: string) =>
    sql`select admin.map_activity_code(${tenant.id}, ${code}, ${missionId})`;
  const unmap = (code: string) => sql`select admin.unmap_activity_code(${tenant.id}, ${code})`;
  const send = async (externalId: string, name: string, code = '001') => {
    const reply = await syncActivities(tenant.apiKey, [
      activity(externalId, `${name}@example.com`, { activity_code: code }),
    ]);
    expect(reply.status).toBe(200);
  };
  return { ...tenant, createMission, map, unmap, send };
}

describe('mapping codes', () => {
  test('counts future activities and those recorded before, without a limit', async () => {
    const t = await setUp('ana', 'bia');
    await t.send('1', 'ana');
    await t.send('2', 'ana');
    await t.send('3', 'bia', '002');
    expect(await standings(t.id)).toEqual({ ana: 0, bia: 0 });
    await t.map('001', await t.createMission('Calls', 10));
    expect(await standings(t.id)).toEqual({ ana: 20, bia: 0 });
    await t.send('4', 'bia');
    expect(await standings(t.id)).toEqual({ ana: 20, bia: 10 });
  });

  test('unmapping reverses points; mapping again awards them again', async () => {
    const t = await setUp('ana');
    const mission = await t.createMission('Calls', 10);
    await t.map('001', mission);
    await t.send('1', 'ana');
    await t.unmap('001');
    expect(await standings(t.id)).toEqual({ ana: 0 });
    await t.map('001', mission);
    expect(await standings(t.id)).toEqual({ ana: 10 });
    const entries =
      await sql`select reason, points, completions from point_entries where tenant_id = ${t.id} order by id`;
    expect(entries).toEqual([
      { reason: 'mission_completed', points: 10, completions: 1 },
      { reason: 'mission_reverted', points: -10, completions: -1 },
      { reason: 'mission_completed', points: 10, completions: 1 },
    ]);
  });

  test('mapping to the same mission changes nothing; mapping to another one moves the points', async () => {
    const t = await setUp('ana');
    const [calls, visits] = [await t.createMission('Calls', 10), await t.createMission('Visits', 25)];
    await t.map('001', calls);
    await t.send('1', 'ana');
    await t.map('001', calls);
    expect(await sql`select from point_entries where tenant_id = ${t.id}`).toHaveLength(1);
    await t.map('001', visits);
    expect(await standings(t.id)).toEqual({ ana: 25 });
    const codes =
      await sql`select code, mission_id, mission_name from admin.activity_codes where tenant_id = ${t.id}`;
    expect(codes).toEqual([{ code: '001', mission_id: visits, mission_name: 'Visits' }]);
    const progress = await sql`
      select mission_name, completions::integer, points::integer from admin.mission_progress
      where tenant_id = ${t.id} order by 1`;
    expect(progress).toEqual([
      { mission_name: 'Calls', completions: 0, points: 0 },
      { mission_name: 'Visits', completions: 1, points: 25 },
    ]);
  });

  test('entries keep the points that the mission had when they were created', async () => {
    const t = await setUp('ana');
    const mission = await t.createMission('Calls', 10);
    await t.map('001', mission);
    await t.send('1', 'ana');
    await sql`update missions set points = 50 where id = ${mission}`;
    await t.send('2', 'ana');
    expect(await standings(t.id)).toEqual({ ana: 60 });
    await t.unmap('001');
    expect(await standings(t.id)).toEqual({ ana: 0 });
  });

  test('rejects a mission of another tenant, an invalid code and an unknown mission', async () => {
    const [mine, other] = [await setUp('ana'), await setUp('ana')];
    const theirs = await other.createMission('Calls', 1);
    await expect(mine.map('001', theirs)).rejects.toThrow(
      /^mission_id: mission \S+ does not exist in this tenant/,
    );
    const own = await mine.createMission('Calls', 1);
    for (const code of ['000', '1', '1000', 'abc'])
      await expect(mine.map(code, own)).rejects.toThrow('allowed: three digits, 001 to 999');
  });

  test('mapping and unmapping during concurrent activities misses none and counts none twice', async () => {
    const t = await setUp('ana', 'bia');
    const mission = await t.createMission('Calls', 1);
    const sending = Array.from({ length: 40 }, (_, i) =>
      syncActivities(
        t.apiKey,
        Array.from({ length: 25 }, (_, j) => activity(`${i}-${j}`, `${j % 2 ? 'ana' : 'bia'}@example.com`)),
      ),
    );
    for (let i = 0; i < 6; i++) {
      await t.map('001', mission);
      if (i < 5) await t.unmap('001');
    }
    for (const reply of await Promise.all(sending)) expect(reply.status).toBe(200);
    const [row] = await sql`
      select count(*)::integer as activities,
             (select sum(points)::integer from point_entries where tenant_id = ${t.id}) as points
      from activities where tenant_id = ${t.id}`;
    expect(row).toEqual({ activities: 1000, points: 1000 });
    const totals = Object.values(await standings(t.id)).reduce((sum, points) => sum + points, 0);
    expect(totals).toBe(1000);
  });
});

describe('collaborators and users', () => {
  const addUser = (tenantId: string, email: string) =>
    sql`insert into users (tenant_id, name, email) values (${tenantId}, 'The User', ${email})`;

  test.each(['user first', 'collaborator first'])(
    'with the same email are one row of the standings (%s)',
    async (order) => {
      const t = await setUp();
      await t.map('001', await t.createMission('Calls', 10));
      const steps = [
        () => addUser(t.id, 'ANA@example.com'),
        () => syncCollaborators(t.apiKey, [collaborator('ana')]),
      ];
      for (const step of order === 'user first' ? steps : steps.toReversed()) await step();
      await t.send('1', 'ana');
      const rows =
        await sql`select name, points::integer, user_id, collaborator_id from admin.standings where tenant_id = ${t.id}`;
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        name: 'The User',
        points: 10,
        user_id: expect.any(String),
        collaborator_id: expect.any(String),
      });
    },
  );

  test('include points earned before the user existed; everyone is listed, ties share a position', async () => {
    const t = await setUp('ana', 'bia', 'caio');
    await t.map('001', await t.createMission('Calls', 10));
    await t.send('1', 'ana');
    await addUser(t.id, 'ana@example.com');
    await addUser(t.id, 'only-user@example.com');
    const rows = await sql`
      select split_part(email, '@', 1) as name, points::integer, position::integer
      from admin.standings where tenant_id = ${t.id} order by position, email`;
    expect(rows).toEqual([
      { name: 'ana', points: 10, position: 1 },
      { name: 'bia', points: 0, position: 2 },
      { name: 'caio', points: 0, position: 2 },
      { name: 'only-user', points: 0, position: 2 },
    ]);
  });
});

describe('changes in Studio', () => {
  test('a corrected email keeps its points; taking over another email also takes over its points', async () => {
    const t = await setUp('ana', 'bia');
    await t.map('001', await t.createMission('Calls', 10));
    await t.send('1', 'ana');
    await t.send('2', 'bia');
    const rename = (from: string, to: string) =>
      sql`update collaborators set email = ${`${to}@example.com`} where tenant_id = ${t.id} and email = ${`${from}@example.com`}`;
    await rename('ana', 'ana-maria');
    expect(await standings(t.id)).toEqual({ 'ana-maria': 10, bia: 10 });
    await sql`insert into users (tenant_id, name, email) values (${t.id}, 'Caio', 'caio@example.com')`;
    await rename('ana-maria', 'caio');
    expect(await standings(t.id)).toEqual({ bia: 10, caio: 10 });
    // Linked to the user from now on: the user stays, and the collaborator's completions are deleted.
    await rename('caio', 'dora');
    expect(await standings(t.id)).toEqual({ bia: 10, caio: 0, dora: 10 });
    await t.unmap('001');
    expect(await standings(t.id)).toEqual({ bia: 0, caio: 0, dora: 0 });
  });

  test('a player cannot be replaced by another one manually', async () => {
    const t = await setUp('ana', 'bia');
    await sql`
      update collaborators set player_id = (select id from players where tenant_id = ${t.id} and email = 'bia@example.com')
      where tenant_id = ${t.id} and email = 'ana@example.com'`;
    expect(Object.keys(await standings(t.id)).sort()).toEqual(['ana', 'bia']);
  });

  test.each([
    ["update activities set activity_code = '002'", 'cannot change'],
    ["update activities set external_id = 'other'", 'cannot change'],
    ['update players set total_points = 9999', 'computed from point_entries'],
    ['update players set total_completions = 9999', 'computed from point_entries'],
  ])('rejects %s', async (statement, message) => {
    const t = await setUp('ana');
    await t.send('1', 'ana');
    await expect(sql.unsafe(statement)).rejects.toThrow(message);
  });
});

test('after any history, totals equal the ledger and the mapping', async () => {
  const code = fc.constantFrom('001', '002');
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('send' as const),
      id: fc.integer({ min: 0, max: 12 }),
      who: fc.constantFrom('ana', 'bia'),
      code,
    }),
    fc.record({ kind: fc.constant('map' as const), code, mission: fc.constantFrom(0, 1) }),
    fc.record({ kind: fc.constant('unmap' as const), code }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const t = await setUp('ana', 'bia');
      const points = [7, 30];
      const missions = [await t.createMission('A', 7), await t.createMission('B', 30)];
      const sent = new Map<number, { who: string; code: string }>();
      const mapping = new Map<string, number>();
      for (const s of steps) {
        if (s.kind === 'send') {
          await t.send(String(s.id), s.who, s.code);
          if (!sent.has(s.id)) sent.set(s.id, s);
        } else if (s.kind === 'map') {
          await t.map(s.code, missions[s.mission] ?? '');
          mapping.set(s.code, s.mission);
        } else {
          await t.unmap(s.code);
          mapping.delete(s.code);
        }
      }
      const expected: Record<string, number> = { ana: 0, bia: 0 };
      for (const { who, code: sentCode } of sent.values()) {
        const mission = mapping.get(sentCode);
        if (mission !== undefined) expected[who] = (expected[who] ?? 0) + (points[mission] ?? 0);
      }
      expect(await standings(t.id)).toEqual(expected);
      const drift = await sql`
        select p.email from players p
        where p.tenant_id = ${t.id}
          and p.total_points <> (select coalesce(sum(e.points), 0) from point_entries e where e.tenant_id = p.tenant_id and e.player_id = p.id)`;
      expect(drift).toEqual([]);
    }),
    { numRuns: 12 },
  );
});
