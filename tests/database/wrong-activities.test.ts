// How admins correct wrong activities and points.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { activity, collaborator, syncActivities, syncCollaborators } from '../support/gamification/sync.ts';

const sql = connectDatabase();

async function setUp() {
  const { id, apiKey } = await createTenant(sql);
  await syncCollaborators(apiKey, [collaborator('ana'), collaborator('bia')]);
  const [mission] = await sql`select admin.create_mission(${id}, 'Calls', 10) as id`;
  const map = () => sql`select admin.map_activity_code(${id}, '001', ${mission?.id})`;
  const unmap = () => sql`select admin.unmap_activity_code(${id}, '001')`;
  const send = async (externalId: string, name = 'ana') =>
    (await syncActivities(apiKey, [activity(externalId, `${name}@example.com`)])).body.data;
  const voids = (externalId: string, reason = 'Wrong') =>
    sql`select admin.void_activity(${id}, ${externalId}, ${reason})`;
  const points = async (name = 'ana') => {
    const [row] = await sql`
      select points::integer from admin.standings where tenant_id = ${id} and email = ${`${name}@example.com`}`;
    return row?.points;
  };
  const differences = () => sql`select * from admin.point_differences where tenant_id = ${id}`;
  return { id, map, unmap, send, voids, points, differences };
}

describe('a void activity', () => {
  test('loses its points by a reversing entry, once, and stays void when it is sent again', async () => {
    const t = await setUp();
    await t.map();
    await t.send('1');
    await t.send('2');
    await t.voids('1', ' Sent by mistake ');
    await t.voids('1', 'Again');
    expect(await t.points()).toBe(10);
    expect(await t.send('1')).toMatchObject({ processed: 0, duplicates: 1 });
    expect(await t.points()).toBe(10);
    const entries = await sql`
      select reason, points, external_id, note from admin.point_entries where tenant_id = ${t.id} order by id`;
    expect(entries).toEqual([
      { reason: 'mission_completed', points: 10, external_id: '1', note: null },
      { reason: 'mission_completed', points: 10, external_id: '2', note: null },
      { reason: 'activity_voided', points: -10, external_id: '1', note: 'Sent by mistake' },
    ]);
    expect(await t.differences()).toEqual([]);
  });

  test('does not count for a later mapping, and has nothing to reverse while unmapped', async () => {
    const t = await setUp();
    await t.send('1');
    await t.send('2');
    await t.voids('1');
    expect(
      await sql`select activities::integer from admin.unmapped_activity_codes where tenant_id = ${t.id}`,
    ).toEqual([{ activities: 1 }]);
    await t.map();
    expect(await t.points()).toBe(10);
    await t.unmap();
    await t.map();
    expect(await t.points()).toBe(10);
    expect(await t.differences()).toEqual([]);
  });

  test('stays void, even if it is changed manually', async () => {
    const t = await setUp();
    await t.send('1');
    await t.voids('1');
    await expect(sql`update activities set voided_at = null where tenant_id = ${t.id}`).rejects.toThrow(
      'cannot be restored',
    );
  });

  test.each([
    ['external_id: activity "x" does not exist in this tenant', 'x', 'Wrong'],
    ['reason: is required', '1', ''],
    ['reason: is required', '1', '  '],
    ['reason: is required', '1', null],
  ])('%s', async (message, externalId, reason) => {
    const t = await setUp();
    await t.send('1');
    await expect(sql`select admin.void_activity(${t.id}, ${externalId}, ${reason})`).rejects.toThrow(message);
  });
});

describe('adjusting points', () => {
  test('adds an entry with its reason for the person with this email', async () => {
    const t = await setUp();
    const [row] = await sql`
      select admin.adjust_points(tenant_id => ${t.id}, email => ' ANA@example.com', points => 50, reason => 'Quiz') as id`;
    await sql`select admin.adjust_points(${t.id}, 'ana@example.com', -20, 'Miscounted')`;
    expect([await t.points('ana'), await t.points('bia')]).toEqual([30, 0]);
    const entries = await sql`
      select id, reason, points, note from admin.point_entries where tenant_id = ${t.id} order by id`;
    expect(entries).toMatchObject([
      { id: row?.id, reason: 'adjustment', points: 50, note: 'Quiz' },
      { reason: 'adjustment', points: -20, note: 'Miscounted' },
    ]);
    expect(await t.differences()).toEqual([]);
  });

  test.each([
    ['email: no user or collaborator', 'nobody@example.com', 1, 'x'],
    ['email: is required', '', 1, 'x'],
    ['points: must be a number other than 0', 'ana@example.com', 0, 'x'],
    ['points: must be a number other than 0', 'ana@example.com', null, 'x'],
    ['reason: is required', 'ana@example.com', 1, ' '],
  ])('%s', async (message, email, points, reason) => {
    const t = await setUp();
    await expect(sql`select admin.adjust_points(${t.id}, ${email}, ${points}, ${reason})`).rejects.toThrow(
      message,
    );
  });

  test('names the existing tenants', async () => {
    const { id } = await setUp();
    const [tenant] = await sql`select slug from tenants where id = ${id}`;
    const wrong = sql`select admin.adjust_points('00000000-0000-4000-8000-00000000ffff', 'a@b.co', 1, 'x')`;
    await expect(wrong).rejects.toThrow(/^tenant_id: tenant .* does not exist; allowed: /);
    expect(tenant?.slug).toBeTruthy();
  });
});
