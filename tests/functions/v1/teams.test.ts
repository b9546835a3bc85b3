// Teams: their fields, their members, and teams within teams.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createTeam,
  createUser,
  expectData,
  faultOf,
  followEvents,
  NOBODY,
  statusesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const get = (token: string, id: string) => expectData(token, 'GET', `/teams/${id}`, 200);
const patch = (token: string, id: string, body: object) =>
  expectData(token, 'PATCH', `/teams/${id}`, 200, body);
const membersOf = async (token: string, id: string) =>
  (await expectData(token, 'GET', `/teams/${id}/members?sort=name`, 200)).map(
    ({ name }: { name: string }) => name,
  );

test('creating accepts leader, parent and members, and moves these', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const parent = await createTeam(token, { name: 'Parent' });
  const [a, b] = [
    await createUser(token, { name: 'a', team_id: parent.id }),
    await createUser(token, { name: 'b' }),
  ];
  const events = followEvents(sql, tenantId);
  await events.all();
  const sent = { name: 'Team', leader_id: a.id, parent_team_id: parent.id };
  const team = await createTeam(token, { ...sent, member_ids: [a.id, b.id, a.id.toUpperCase()] });
  expect(team).toEqual({
    ...sent,
    id: expect.any(String),
    member_count: 2,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const { members, ...whole } = await get(token, team.id);
  expect(whole).toEqual(team);
  expect(members.map(({ id }: { id: string }) => id)).toEqual([a.id, b.id]);
  expect(members[0]).toEqual(await expectData(token, 'GET', `/users/${a.id}`, 200));
  expect((await get(token, parent.id)).member_count).toBe(0);
  expect(await events.types()).toEqual(['user.updated', 'user.updated']);
  const list = await expectData(token, 'GET', '/teams?sort=name', 200);
  expect(list).toEqual([{ ...parent, member_count: 0 }, team]);
});

test('names are sorted as in a dictionary', async () => {
  const { token } = await createRecordsTenant(sql);
  for (const name of ['Zebra', 'ana', 'Água', 'Zé', 'Bia', 'Ana', 'Álvaro', 'água 2'])
    await expectData(token, 'POST', '/teams', 201, { name });
  const names = async (sort: string) =>
    (await expectData(token, 'GET', `/teams?sort=${sort}`, 200)).map(({ name }: { name: string }) => name);
  const sorted = ['Água', 'água 2', 'Álvaro', 'ana', 'Ana', 'Bia', 'Zé', 'Zebra'];
  expect(await names('name')).toEqual(sorted);
  expect(await names('-name')).toEqual(sorted.toReversed());
});

test.each([
  [{}, 400, ['name']],
  [{ name: ' ' }, 400, ['name']],
  [{ name: 'T', leader_id: 'x', parent_team_id: 5 }, 400, ['leader_id', 'parent_team_id']],
  [{ name: 'T', member_ids: 'x' }, 400, ['member_ids']],
  [{ name: 'T', member_ids: [NOBODY] }, 422, ['member_ids']],
  [{ name: 'T', leader_id: NOBODY }, 422, ['leader_id']],
  [{ name: 'T', parent_team_id: NOBODY }, 422, ['parent_team_id']],
])('rejects creating %j', async (body, status, fields) => {
  const { token } = await createRecordsTenant(sql);
  expect(faultOf(await records(token, 'POST', '/teams', body))).toMatchObject({ status, fields });
  expect(await expectData(token, 'GET', '/teams', 200)).toEqual([]);
});

test('changing keeps absent members and clears null ones', async () => {
  const { token } = await createRecordsTenant(sql);
  const leader = await createUser(token);
  const parent = await createTeam(token);
  const team = await createTeam(token, { leader_id: leader.id, parent_team_id: parent.id });
  const named = await patch(token, team.id, { name: 'Other', member_ids: [leader.id] });
  expect(named).toEqual({ ...team, name: 'Other', updated_at: expect.any(String) });
  expect(named.updated_at > team.updated_at).toBe(true);
  expect(await patch(token, team.id, {})).toEqual(named);
  const cleared = { leader_id: null, parent_team_id: null };
  expect(await patch(token, team.id, cleared)).toMatchObject(cleared);
  expect(faultOf(await records(token, 'PATCH', `/teams/${team.id}`, { name: null }))).toMatchObject({
    status: 400,
  });
});

describe('teams within teams', () => {
  test('never form a cycle', async () => {
    const { token } = await createRecordsTenant(sql);
    const a = await createTeam(token);
    const b = await createTeam(token, { parent_team_id: a.id });
    const c = await createTeam(token, { parent_team_id: b.id });
    for (const parent of [a, b, c]) {
      const reply = await records(token, 'PATCH', `/teams/${a.id}`, {
        name: 'Moved',
        parent_team_id: parent.id,
      });
      expect(faultOf(reply)).toEqual({
        status: 422,
        code: 'UNPROCESSABLE_ENTITY',
        fields: ['parent_team_id'],
      });
    }
    expect(await get(token, a.id)).toMatchObject({ name: 'Team', parent_team_id: null });
    await patch(token, c.id, { parent_team_id: a.id });
    await patch(token, b.id, { parent_team_id: c.id });
  });

  test('not even by concurrent changes', async () => {
    const { token } = await createRecordsTenant(sql);
    for (let round = 0; round < 5; round++) {
      const teams = await Promise.all([0, 1, 2].map(() => createTeam(token)));
      const replies = await Promise.all(
        teams.map(({ id }, index) =>
          records(token, 'PATCH', `/teams/${id}`, { parent_team_id: teams[(index + 1) % 3].id }),
        ),
      );
      expect(statusesOf(replies)).toEqual([200, 200, 422]);
    }
  });
});

describe('members', () => {
  test('a team is returned with the first hundred, and its list has all', async () => {
    const tenant = await createRecordsTenant(sql);
    const team = await createTeam(tenant.token);
    await sql`
      insert into users (tenant_id, name, email, role, status, team_id)
      select ${tenant.id}, 'User ' || lpad(n::text, 3, '0'), 'u' || n || '@example.com', 'sales_rep', 'deactivated', ${team.id}
      from generate_series(1, 120) as n`;
    const { members, member_count: count } = await get(tenant.token, team.id);
    expect([count, members.length, members[0].name, members.at(-1).name]).toEqual([
      120,
      100,
      'User 001',
      'User 100',
    ]);
    const page = await records(
      tenant.token,
      'GET',
      `/teams/${team.id}/members?sort=name&per_page=100&page=2`,
    );
    expect(page.body.data).toHaveLength(20);
  });

  test('are in one team; adding moves them', async () => {
    const { token } = await createRecordsTenant(sql);
    const [one, two] = [await createTeam(token, { name: 'One' }), await createTeam(token, { name: 'Two' })];
    const user = await createUser(token, { name: 'u' });
    const added = await expectData(token, 'POST', `/teams/${one.id}/members`, 201, { user_id: user.id });
    expect(added).toMatchObject({ id: user.id, team: { id: one.id, name: 'One' } });
    expect(await expectData(token, 'POST', `/teams/${one.id}/members`, 201, { user_id: user.id })).toEqual(
      added,
    );
    await expectData(token, 'POST', `/teams/${two.id}/members`, 201, { user_id: user.id });
    expect([await membersOf(token, one.id), await membersOf(token, two.id)]).toEqual([[], ['u']]);

    expect((await records(token, 'DELETE', `/teams/${one.id}/members/${user.id}`)).status).toBe(404);
    await expectData(token, 'DELETE', `/teams/${two.id}/members/${user.id}`, 204);
    expect((await records(token, 'DELETE', `/teams/${two.id}/members/${user.id}`)).status).toBe(404);
    expect((await get(token, two.id)).member_count).toBe(0);
    expect((await expectData(token, 'GET', `/users/${user.id}`, 200)).team).toBeNull();
  });

  test('have pages like users', async () => {
    const { token } = await createRecordsTenant(sql);
    const team = await createTeam(token);
    for (const name of ['a', 'b', 'c']) await createUser(token, { name, team_id: team.id });
    await createUser(token, { name: 'outside' });
    const { body } = await records(token, 'GET', `/teams/${team.id}/members?per_page=2&sort=-name`);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['c', 'b']);
    expect(body.meta).toMatchObject({ total: 3, total_pages: 2, per_page: 2 });
  });

  test('must be users of the workspace, and the team must exist', async () => {
    const { token } = await createRecordsTenant(sql);
    const other = await createRecordsTenant(sql);
    const team = await createTeam(token);
    const stranger = await createUser(other.token);
    const add = async (id: string, body: object) =>
      faultOf(await records(token, 'POST', `/teams/${id}/members`, body));
    for (const id of [stranger.id, NOBODY]) {
      const fault = { status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['user_id'] };
      expect(await add(team.id, { user_id: id })).toEqual(fault);
    }
    for (const body of [{}, { user_id: 'x' }, { user_id: null }]) {
      expect(await add(team.id, body)).toMatchObject({ status: 400, fields: ['user_id'] });
    }
    const theirs = await createTeam(other.token);
    const user = await createUser(token);
    for (const id of [theirs.id, NOBODY, 'x']) {
      expect(await add(id, { user_id: user.id })).toMatchObject({ status: 404, code: 'NOT_FOUND' });
      for (const path of [`/teams/${id}`, `/teams/${id}/members`]) {
        expect((await records(token, 'GET', path)).status).toBe(404);
      }
      expect((await records(token, 'PATCH', `/teams/${id}`, { name: 'x' })).status).toBe(404);
      expect((await records(token, 'DELETE', `/teams/${id}/members/${user.id}`)).status).toBe(404);
    }
    expect((await records(token, 'DELETE', `/teams/${team.id}/members/x`)).status).toBe(404);
  });
});
