// Statistics of users: periods in the time zone of the tenant, counts, averages and places.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
  insertLeads,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const EMPTY = {
  points: 0,
  ranking_position: 1,
  deals_created: 0,
  deals_won: 0,
  deals_lost: 0,
  revenue_closed: 0,
  leads_created: 0,
  leads_qualified: 0,
  conversion_rate: 0,
  average_deal_size: 0,
  average_sales_cycle_days: 0,
  badges_earned: 0,
  activities_logged: 0,
};

const statsOf = (token: string, id: string, query = '') =>
  expectData(token, 'GET', `/users/${id}/stats${query}`, 200);
const metricsOf = (token: string, id: string, query = '') =>
  expectData(token, 'GET', `/users/${id}/metrics${query}`, 200);

/** A moment in the time zone of the tenant, this many days (or other units) after the beginning of a period. */
async function moments(timeZone: string, period: string) {
  const [row] = await sql`
    select start - interval '1 minute' as before, start + interval '1 minute' as after
    from (select date_trunc(${period}, now() at time zone ${timeZone}) at time zone ${timeZone} as start) as s`;
  return { before: row?.before as Date, after: row?.after as Date };
}

test('a user without activity has zeros everywhere', async () => {
  const { token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  expect(await statsOf(token, user.id)).toEqual({ user_id: user.id, period: 'month', ...EMPTY });
  for (const period of ['today', 'week', 'month', 'quarter', 'year', 'all_time']) {
    expect(await statsOf(token, user.id, `?period=${period}`)).toEqual({
      user_id: user.id,
      period,
      ...EMPTY,
    });
  }
  expect(await metricsOf(token, user.id)).toEqual({ user_id: user.id, period: 'month', ...EMPTY });
});

test('counts what was done, with averages', async () => {
  const { token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const close = (id: string, body: object) => expectData(token, 'POST', `/deals/${id}/close`, 200, body);
  for (const value of [100, 50.25]) {
    const deal = await createDeal(token, { owner_id: user.id, value });
    await sql`update deals set created_at = now() - interval '36 hours' where id = ${deal.id}`;
    await close(deal.id, { result: 'won' });
  }
  await close((await createDeal(token, { owner_id: user.id })).id, { result: 'lost', loss_reason: 'x' });
  const open = await createDeal(token, { owner_id: user.id });
  await createDeal(token);
  await expectData(token, 'POST', `/deals/${open.id}/activities`, 201, { type: 'call' });
  const lead = await createLead(token, { owner_id: user.id });
  await createLead(token, { owner_id: user.id });
  for (const status of ['qualified', 'new', 'qualified']) {
    await expectData(token, 'PATCH', `/leads/${lead.id}`, 200, { status });
  }
  expect(await statsOf(token, user.id, '?period=all_time')).toEqual({
    ...EMPTY,
    user_id: user.id,
    period: 'all_time',
    deals_created: 4,
    deals_won: 2,
    deals_lost: 1,
    revenue_closed: 150.25,
    leads_created: 2,
    leads_qualified: 1,
    conversion_rate: 0.6667,
    average_deal_size: 75.13,
    average_sales_cycle_days: 1.5,
    activities_logged: 1,
  });
});

describe.each(['America/Sao_Paulo', 'Asia/Tokyo'])('in %s', (timeZone) => {
  test.each([
    ['today', 'day'],
    ['week', 'week'],
    ['month', 'month'],
    ['quarter', 'quarter'],
    ['year', 'year'],
  ])('%s begins at midnight of its first day', async (period, unit) => {
    const { id, token } = await createRecordsTenant(sql);
    await sql`update tenants set time_zone = ${timeZone} where id = ${id}`;
    const user = await createUser(token);
    const { before, after } = await moments(timeZone, unit);
    await insertLeads(sql, id, [
      { name: 'before', created_at: before },
      { name: 'after', created_at: after },
      { name: 'after', created_at: after },
    ]);
    const deals = [await createDeal(token), await createDeal(token)];
    for (const [index, at] of [before, after].entries()) {
      await expectData(token, 'POST', `/deals/${deals[index].id}/close`, 200, {
        result: 'won',
        final_value: 10 ** index,
      });
      await sql`update deals set owner_id = ${user.id}, created_at = ${before}, closed_at = ${at} where id = ${deals[index].id}`;
    }
    await sql`update leads set owner_id = ${user.id}, status = 'qualified' where tenant_id = ${id}`;
    await sql`update leads set qualified_at = created_at where tenant_id = ${id}`;
    await sql`
      insert into deal_activities ${sql([before, after].map((at) => ({ tenant_id: id, type: 'call', owner_id: user.id, created_at: at })))}`;
    expect(await statsOf(token, user.id, `?period=${period}`)).toMatchObject({
      leads_created: 2,
      leads_qualified: 2,
      deals_created: 0,
      deals_won: 1,
      revenue_closed: 10,
      activities_logged: 1,
    });
    expect(await statsOf(token, user.id, '?period=all_time')).toMatchObject({
      leads_created: 3,
      leads_qualified: 3,
      deals_created: 2,
      deals_won: 2,
      revenue_closed: 11,
      activities_logged: 2,
    });
  });
});

test("metrics accept inclusive days in the tenant's calendar", async () => {
  const { id, token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const times = {
    '23:59 of 9 March': '2026-03-10T02:59:00Z',
    '00:01 of 10 March': '2026-03-10T03:01:00Z',
    '23:59 of 11 March': '2026-03-12T02:59:00Z',
    '00:01 of 12 March': '2026-03-12T03:01:00Z',
  };
  await insertLeads(
    sql,
    id,
    Object.entries(times).map(([name, at]) => ({ name, created_at: at })),
  );
  await sql`update leads set owner_id = ${user.id} where tenant_id = ${id}`;
  const created = async (query: string) => {
    const { leads_created: count, period } = await metricsOf(token, user.id, query);
    return [period, count];
  };
  expect(await created('?start_date=2026-03-10&end_date=2026-03-11')).toEqual(['custom', 2]);
  expect(await created('?start_date=2026-03-10&end_date=2026-03-10')).toEqual(['custom', 1]);
  expect(await created('?start_date=2026-03-11')).toEqual(['custom', 2]);
  expect(await created('?end_date=2026-03-10&period=week')).toEqual(['custom', 2]);
  expect(await created('?period=week')).toEqual(['week', 0]);
  const refused = async (path: string) => faultOf(await records(token, 'GET', `/users/${user.id}/${path}`));
  expect(await refused('metrics?start_date=2026-02-29&end_date=x&period=decade')).toEqual({
    status: 400,
    code: 'VALIDATION_ERROR',
    fields: ['period', 'start_date', 'end_date'],
  });
  expect(await refused('metrics?start_date=2026-03-02&end_date=2026-03-01')).toMatchObject({
    fields: ['end_date'],
  });
  expect(await refused('stats?period=custom')).toMatchObject({ status: 400, fields: ['period'] });
});

/** Awards points with SQL, as a mission would at that time. */
const give = (userId: string, points: number, at = new Date()) => sql`
  insert into point_entries (tenant_id, player_id, reason, points, created_at)
  select tenant_id, player_id, 'automation', ${points}, ${at} from users where id = ${userId}`;

test('points and positions are those of the period; equal points share a position', async () => {
  const { token } = await createRecordsTenant(sql);
  const users = await Promise.all(Array.from({ length: 4 }, () => createUser(token)));
  const monthAgo = new Date(Date.now() - 40 * 86_400_000);
  await give(users[0].id, 100, monthAgo);
  await give(users[1].id, 30);
  await give(users[2].id, 30);
  await give(users[3].id, 20);
  const places = async (period: string) =>
    Promise.all(
      users.map(async ({ id: userId }) => {
        const { points, ranking_position: place } = await statsOf(token, userId, `?period=${period}`);
        return [points, place];
      }),
    );
  expect(await places('all_time')).toEqual([
    [100, 1],
    [30, 2],
    [30, 2],
    [20, 4],
  ]);
  expect(await places('month')).toEqual([
    [0, 4],
    [30, 1],
    [30, 1],
    [20, 3],
  ]);
  const totals = await Promise.all(
    users.map(({ id: userId }) => expectData(token, 'GET', `/users/${userId}`, 200)),
  );
  expect(totals.map(({ total_points: total }) => total)).toEqual([100, 30, 30, 20]);
  const sorted = await expectData(token, 'GET', '/users?sort=-total_points', 200);
  expect(sorted.map(({ total_points: total }: { total_points: number }) => total)).toEqual([100, 30, 30, 20]);
});

test('a removed user has no position, and lost points rank below none', async () => {
  const { token } = await createRecordsTenant(sql);
  const [gone, loser, idle] = await Promise.all(Array.from({ length: 3 }, () => createUser(token)));
  await give(gone.id, 50);
  await give(loser.id, -5);
  const places = async () =>
    Promise.all(
      ['all_time', 'today'].flatMap((period) =>
        [idle, loser].map(async ({ id }) => (await statsOf(token, id, `?period=${period}`)).ranking_position),
      ),
    );
  expect(await places()).toEqual([2, 3, 2, 3]);
  await records(token, 'DELETE', `/users/${gone.id}?permanent=true`);
  expect(await places()).toEqual([1, 2, 1, 2]);
});

test('a user of another tenant has none', async () => {
  const { token } = await createRecordsTenant(sql);
  const other = await createRecordsTenant(sql);
  const user = await createUser(other.token);
  for (const path of [`/users/${user.id}/stats`, `/users/${user.id}/metrics`, '/users/x/stats']) {
    expect(faultOf(await records(token, 'GET', path))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  }
});
