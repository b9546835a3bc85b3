// Activities of deals: their content, where they appear, and who owns them.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

test("an activity of a deal belongs to the deal's owner at that time", async () => {
  const { token } = await createRecordsTenant(sql);
  const [owner, later] = [await createUser(token), await createUser(token)];
  const deal = await createDeal(token, { owner_id: owner.id });
  const sent = {
    type: 'meeting',
    title: 'Kick-off',
    description: 'With all of them',
    duration_minutes: 45,
  };
  const activity = await expectData(token, 'POST', `/deals/${deal.id}/activities`, 201, {
    ...sent,
    date: '2026-03-04T10:00:00.5-03:00',
    due_date: '2026-03-05',
  });
  expect(activity).toEqual({
    ...sent,
    id: expect.any(String),
    date: '2026-03-04T13:00:00.500000Z',
    due_date: '2026-03-05T00:00:00.000000Z',
    deal_id: deal.id,
    owner_id: owner.id,
    created_at: expect.any(String),
  });
  await expectData(token, 'PATCH', `/deals/${deal.id}`, 200, { owner_id: later.id });
  const after = await expectData(token, 'POST', '/activities', 201, { type: 'call', deal_id: deal.id });
  expect(after).toMatchObject({ owner_id: later.id, title: null, date: null, duration_minutes: null });
  const list = await expectData(token, 'GET', `/deals/${deal.id}/activities`, 200);
  expect(list).toEqual([after, activity]);
});

test("activities are in the history of the deal's lead, newest first", async () => {
  const { token } = await createRecordsTenant(sql);
  const lead = await createLead(token);
  const { deal } = await expectData(token, 'POST', `/leads/${lead.id}/convert`, 200);
  const other = await createDeal(token);
  const log = (id: string, description: string) =>
    expectData(token, 'POST', `/deals/${id}/activities`, 201, { type: 'note', description });
  const first = await log(deal.id, 'first');
  await log(other.id, 'of another deal');
  const second = await log(deal.id, 'second');
  expect((await expectData(token, 'GET', `/leads/${lead.id}`, 200)).activities).toEqual([second, first]);
});

test('an activity without a deal belongs to the user of the client', async () => {
  const { token, id: tenantId, clientId } = await createRecordsTenant(sql);
  expect(await expectData(token, 'POST', '/activities', 201, { type: 'task' })).toMatchObject({
    deal_id: null,
    owner_id: null,
  });
  const user = await createUser(token);
  await sql`update oauth_clients set user_id = ${user.id} where tenant_id = ${tenantId} and client_id = ${clientId}`;
  const own = await expectData(token, 'POST', '/activities', 201, { type: 'email' });
  expect(own.owner_id).toBe(user.id);
});

test('a concurrently removed owner is left out', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const owner = await createUser(token);
  const deal = await createDeal(token, { owner_id: owner.id });
  const logged = await sql.begin(async (tx) => {
    await tx`delete from users where id = ${owner.id}`;
    const reply = records(token, 'POST', `/deals/${deal.id}/activities`, { type: 'call' });
    await waitFor(async () => {
      const [waiting] = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%deal_activities%'`;
      return waiting;
    });
    return { reply };
  });
  expect(await logged.reply).toMatchObject({ status: 201, body: { data: { owner_id: null } } });
  expect(await sql`select from deal_activities where tenant_id = ${tenantId}`).toHaveLength(1);
});

test('lists filter by type, owner and deal', async () => {
  const { token } = await createRecordsTenant(sql);
  const owner = await createUser(token);
  const deal = await createDeal(token, { owner_id: owner.id });
  const call = await expectData(token, 'POST', '/activities', 201, { type: 'call', deal_id: deal.id });
  const note = await expectData(token, 'POST', '/activities', 201, { type: 'note' });
  const idsOf = async (query: string) =>
    (await expectData(token, 'GET', `/activities${query}`, 200)).map(({ id }: { id: string }) => id);
  expect(await idsOf('')).toEqual([note.id, call.id]);
  expect(await idsOf('?type=call')).toEqual([call.id]);
  expect(await idsOf(`?owner_id=${owner.id}`)).toEqual([call.id]);
  expect(await idsOf(`?deal_id=${deal.id}&type=note`)).toEqual([]);
  expect(faultOf(await records(token, 'GET', '/activities?type=visit'))).toMatchObject({
    status: 400,
    fields: ['type'],
  });
});

test.each([
  [{}, 400, ['type']],
  [{ type: 'visit' }, 400, ['type']],
  [{ type: 'call', duration_minutes: 1.5 }, 400, ['duration_minutes']],
  [{ type: 'call', date: '2026-13-01', due_date: '2026-03-04T10:00:00' }, 400, ['date', 'due_date']],
  [{ type: 'call', deal_id: '00000000-0000-4000-8000-000000000000' }, 422, ['deal_id']],
])('rejects %j', async (body, status, fields) => {
  const { token } = await createRecordsTenant(sql);
  expect(faultOf(await records(token, 'POST', '/activities', body))).toMatchObject({ status, fields });
});

test('a lead is shown with the newest hundred activities, and its list has all', async () => {
  const tenant = await createRecordsTenant(sql);
  const { token } = tenant;
  const [lead, other] = [await createLead(token), await createLead(token)];
  const [first, second] = [
    await createDeal(token, { lead_id: lead.id }),
    await createDeal(token, { lead_id: lead.id }),
  ];
  await sql`
    insert into deal_activities (tenant_id, type, title, deal_id, lead_id, created_at)
    select ${tenant.id}, 'note', n::text,
           case n % 3 when 1 then ${first.id}::uuid when 2 then ${second.id}::uuid end,
           case n % 3 when 0 then ${lead.id}::uuid end,
           now() - interval '1 day' + make_interval(secs => n)
    from generate_series(1, 250) as n`;
  await sql`
    insert into deal_activities (tenant_id, type, title, lead_id) values (${tenant.id}, 'note', 'other', ${other.id})`;
  const titles = (from: number, count: number) => Array.from({ length: count }, (_, i) => String(from - i));
  const titlesOf = (activities: { title: string }[]) => activities.map(({ title }) => title);

  const { activities } = await expectData(token, 'GET', `/leads/${lead.id}`, 200);
  expect(titlesOf(activities)).toEqual(titles(250, 100));
  const page = await records(token, 'GET', `/leads/${lead.id}/activities?per_page=100&page=3`);
  expect(page.body.meta).toMatchObject({ total: 250, total_pages: 3 });
  expect(titlesOf(page.body.data)).toEqual(titles(50, 50));
  const calls = await records(token, 'GET', `/leads/${lead.id}/activities?type=call`);
  expect(calls.body.meta.total).toBe(0);
  const stranger = await createRecordsTenant(sql);
  for (const [who, id] of [
    [stranger.token, lead.id],
    [token, first.id],
    [token, 'x'],
  ])
    expect((await records(who, 'GET', `/leads/${id}/activities`)).status).toBe(404);
});
