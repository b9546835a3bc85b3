// Changes with SQL, as Studio or a script makes them: the same events, times and states as with the API.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import type { Json } from '../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  followEvents,
  stagesOf,
} from '../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';

const sql = connectDatabase();

/** Events without the values that differ between records. */
const comparable = (events: Json[]) =>
  events.map(({ type, data, origin }) => {
    const {
      id: _id,
      created_at: _created,
      updated_at: _updated,
      closed_at,
      team,
      email: _email,
      ...rest
    } = data;
    const { stage, previous_stage: before, ...others } = rest;
    const own = Object.keys(others).filter((name) => !/_id$/.test(name));
    return {
      type,
      origin,
      members: Object.keys(data).toSorted(),
      closed: Boolean(closed_at),
      team: team?.name,
      stage: stage?.name,
      before: before?.name,
      ...Object.fromEntries(own.map((name) => [name, others[name]])),
    };
  });

/** The events of a request and of the same change with SQL, each in its own tenant. */
async function bothWays(
  act: (token: string, tenantId: string) => Promise<unknown>,
  inSql: (tenantId: string, token: string) => Promise<unknown>,
  before: (token: string) => Promise<unknown> = async () => {},
) {
  const emitted = [];
  for (const doIt of [act, inSql]) {
    const { id, token } = await createRecordsTenant(sql);
    await before(token);
    const events = followEvents(sql, id);
    await events.all();
    await (doIt === act ? act(token, id) : inSql(id, token));
    emitted.push(comparable(await events.all()).toSorted((a, b) => (a.type < b.type ? -1 : 1)));
  }
  const [byApi = [], bySql = []] = emitted;
  expect(byApi.length).toBeGreaterThan(0);
  expect(bySql).toEqual(byApi);
  return byApi.map(({ type }) => type);
}

const only = async (token: string, path: string) => {
  const rows = await expectData(token, 'GET', path, 200);
  return `${path}/${rows[0].id}`;
};

describe('the API and SQL emit the same events for', () => {
  test('leads', async () => {
    expect(
      await bothWays(
        (token) => createLead(token, { name: 'A', email: 'A@x.co', tags: ['t'] }),
        (id) => sql`insert into leads (tenant_id, name, email, tags) values (${id}, 'A', ' A@X.co ', '{t}')`,
      ),
    ).toEqual(['lead.created']);
    const lead = (token: string) => createLead(token, { name: 'A' });
    expect(
      await bothWays(
        async (token) =>
          records(token, 'PATCH', await only(token, '/leads'), { status: 'qualified', phone: '1' }),
        (id) => sql`update leads set status = 'qualified', phone = '1' where tenant_id = ${id}`,
        lead,
      ),
    ).toEqual(['lead.status_changed', 'lead.updated']);
    expect(
      await bothWays(
        async (token) => records(token, 'POST', `${await only(token, '/leads')}/convert`),
        (id) =>
          sql`
          with gone as (update leads set status = 'converted' where tenant_id = ${id} returning *)
          insert into deals (tenant_id, name, value, stage_id, contact_name, contact_email, lead_id)
          select g.tenant_id, g.name, 0, s.id, g.name, g.email, g.id from gone g
          join pipeline_stages s on s.tenant_id = g.tenant_id and s.position = 1`,
        (token) => createLead(token, { name: 'A', email: 'same@x.co' }),
      ),
    ).toEqual(['deal.created', 'lead.converted']);
    const two = async (token: string) => {
      await createLead(token, { name: 'A', email: 'a@x.co' });
      const loser = await createLead(token, { name: 'B', email: 'b@x.co', phone: '1' });
      await createDeal(token, { lead_id: loser.id });
    };
    const idOf = (id: string, name: string) =>
      sql`(select id from leads where tenant_id = ${id} and name = ${name})`;
    expect(
      await bothWays(
        async (token) => {
          const [winner, loser] = await expectData(token, 'GET', '/leads?sort=name&order=asc', 200);
          await expectData(token, 'POST', `/leads/${winner.id}/merge`, 200, { loser_id: loser.id });
        },
        (id) => sql`select admin.merge_leads(${id}, ${idOf(id, 'A')}, ${idOf(id, 'B')})`,
        two,
      ),
    ).toEqual(['lead.merged']);
    expect(
      await bothWays(
        async (token) => records(token, 'DELETE', await only(token, '/leads')),
        (id) => sql`delete from leads where tenant_id = ${id}`,
        async (token) => createDeal(token, { lead_id: (await lead(token)).id }),
      ),
    ).toEqual(['deal.updated', 'lead.deleted']);
  });

  test('deals', async () => {
    const deal = (token: string) => createDeal(token, { name: 'D' });
    const change = (set: Json, path: string, body: object, method = 'POST') =>
      bothWays(
        async (token) => {
          const [, second] = await stagesOf(token);
          const target = 'stage_id' in body ? { stage_id: second.id } : body;
          const reply = await records(token, method, (await only(token, '/deals')) + path, target);
          expect(reply.status).toBe(200);
        },
        (id) => sql`update deals set ${set(id)} where tenant_id = ${id}`,
        deal,
      );
    expect(
      await change(
        (id: string) =>
          sql`stage_id = (select id from pipeline_stages where tenant_id = ${id} and position = 2)`,
        '/move',
        { stage_id: '' },
      ),
    ).toEqual(['deal.stage_changed']);
    expect(
      await change(() => sql`status = 'won', value = 7`, '/close', { result: 'won', final_value: 7 }),
    ).toEqual(['deal.won']);
    const lost = { result: 'lost', loss_reason: 'x' };
    expect(await change(() => sql`status = 'lost', loss_reason = 'x'`, '/close', lost)).toEqual([
      'deal.lost',
    ]);
    expect(await change(() => sql`value = 8`, '', { value: 8 }, 'PATCH')).toEqual(['deal.updated']);
    expect(
      await bothWays(
        async (token) => records(token, 'DELETE', await only(token, '/deals')),
        (id) => sql`delete from deals where tenant_id = ${id}`,
        deal,
      ),
    ).toEqual(['deal.deleted']);
  });

  test('users', async () => {
    const user = (token: string) => createUser(token, { name: 'U' });
    expect(
      await bothWays(
        user,
        (id) => sql`
        insert into users (tenant_id, name, email, role, status) values (${id}, 'U', 'u@x.co', 'sales_rep', 'invited')`,
      ),
    ).toEqual(['user.created']);
    expect(
      await bothWays(
        async (token) => records(token, 'PATCH', await only(token, '/users'), { role: 'admin' }),
        (id) => sql`update users set role = 'admin' where tenant_id = ${id}`,
        user,
      ),
    ).toEqual(['user.updated']);
    expect(
      await bothWays(
        async (token) => records(token, 'DELETE', await only(token, '/users')),
        (id) => sql`update users set status = 'deactivated' where tenant_id = ${id}`,
        user,
      ),
    ).toEqual(['user.deactivated']);
    const owning = async (token: string) => createDeal(token, { owner_id: (await user(token)).id });
    expect(
      await bothWays(
        async (token) => records(token, 'DELETE', `${await only(token, '/users')}?permanent=true`),
        (id) => sql`delete from users where tenant_id = ${id}`,
        owning,
      ),
    ).toEqual(['deal.updated', 'user.deactivated']);
  });
});

test('a statement that changes many rows emits one event for each changed row', async () => {
  const { id } = await createRecordsTenant(sql);
  await sql`
    insert into leads (tenant_id, name, email, status)
    select ${id}, 'L' || n, 'l' || n || '@x.co', case when n <= 300 then 'new' else 'contacted' end
    from generate_series(1, 1000) as n`;
  const events = followEvents(sql, id);
  expect(await events.types()).toEqual(Array(1000).fill('lead.created'));
  await sql`update leads set status = 'contacted' where tenant_id = ${id}`;
  const changed = await events.all();
  expect(changed.map(({ type }) => type)).toEqual(Array(300).fill('lead.status_changed'));
  expect(new Set(changed.map(({ data }) => data.id)).size).toBe(300);
  const [untouched] =
    await sql`select count(*)::integer from leads where tenant_id = ${id} and updated_at = created_at`;
  expect(untouched?.count).toBe(700);
  await sql`delete from leads where tenant_id = ${id}`;
  expect(await events.types()).toEqual(Array(1000).fill('lead.deleted'));
});

test('an event contains the record right after its change, also within one transaction', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const lead = await createLead(token);
  const events = followEvents(sql, id);
  await events.all();
  await sql.begin(async (tx) => {
    await tx`update leads set company = 'one' where id = ${lead.id}`;
    await tx`update leads set company = 'two', status = 'contacted' where id = ${lead.id}`;
  });
  const told = (await events.all()).map(({ type, data }) => `${type} ${data.company} ${data.status}`);
  expect(told[0]).toBe('lead.updated one new');
  expect(told.slice(1).toSorted()).toEqual([
    'lead.status_changed two contacted',
    'lead.updated two contacted',
  ]);
});

test('a rollback emits nothing', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const deal = await createDeal(token);
  const events = followEvents(sql, id);
  await events.all();
  const work = sql.begin(async (tx) => {
    await tx`update deals set status = 'won' where id = ${deal.id}`;
    throw new Error('undone');
  });
  await expect(work).rejects.toThrow('undone');
  expect(await events.types()).toEqual([]);
});

describe('cascades', () => {
  test('deleting a team leaves its members, leads and subteams without a team', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const team = await createTeam(token);
    const part = await createTeam(token, { parent_team_id: team.id });
    const user = await createUser(token, { team_id: team.id });
    const lead = await createLead(token, { team_id: team.id });
    const events = followEvents(sql, id);
    await events.all();
    await sql`delete from teams where tenant_id = ${id} and id = ${team.id}`;
    expect((await expectData(token, 'GET', `/users/${user.id}`, 200)).team).toBeNull();
    expect((await expectData(token, 'GET', `/leads/${lead.id}`, 200)).team_id).toBeNull();
    expect((await expectData(token, 'GET', `/teams/${part.id}`, 200)).parent_team_id).toBeNull();
    expect((await events.types()).toSorted()).toEqual(['lead.updated', 'user.updated']);
  });

  test('a stage with deals cannot be deleted', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const { stage } = await createDeal(token);
    await expect(
      sql`delete from pipeline_stages where tenant_id = ${id} and id = ${stage.id}`,
    ).rejects.toThrow(/foreign key/);
  });
});

describe('states set by SQL', () => {
  test('emails are trimmed, lower case and unique', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const insert = (email: string) =>
      sql`insert into leads (tenant_id, name, email) values (${id}, 'A', ${email})`;
    await insert(' A@X.co ');
    await expect(insert('a@x.CO')).rejects.toThrow(/unique/);
    expect(await expectData(token, 'GET', '/leads', 200)).toMatchObject([{ email: 'a@x.co' }]);
  });

  test('reopening a closed deal clears when and why it was closed', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const deal = await createDeal(token);
    const state = async () => (await sql`select closed_at, loss_reason from deals where id = ${deal.id}`)[0];
    await sql`update deals set status = 'lost', loss_reason = 'x' where id = ${deal.id}`;
    expect(await state()).toEqual({ closed_at: expect.any(Date), loss_reason: 'x' });
    const events = followEvents(sql, id);
    await events.all();
    await sql`update deals set status = 'open' where id = ${deal.id}`;
    expect(await state()).toEqual({ closed_at: null, loss_reason: null });
    expect(await events.types()).toEqual(['deal.updated']);
    await expectData(token, 'POST', `/deals/${deal.id}/close`, 200, { result: 'won' });
  });

  test('a deal that is created closed emits its closing event', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const [stage] = await stagesOf(token);
    await sql`insert into deals (tenant_id, name, value, stage_id, status) values (${id}, 'D', 1, ${stage.id}, 'won')`;
    expect((await followEvents(sql, id).types()).toSorted()).toEqual(['deal.created', 'deal.won']);
    const [deal] = await sql`select closed_at from deals where tenant_id = ${id}`;
    expect(deal?.closed_at).not.toBeNull();
  });
});
