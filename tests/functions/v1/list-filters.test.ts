// Filters and search of lists.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  faultOf,
  insertLeads,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();

interface Named {
  name: string;
  email: string;
}
const list = (token: string, path: string): Promise<Named[]> => expectData(token, 'GET', path, 200);
const namesOf = async (token: string, path: string) => (await list(token, path)).map(({ name }) => name);
const query = (values: Record<string, string>) => `?${new URLSearchParams(values)}`;

describe('filters', () => {
  test('of leads', async () => {
    const { token } = await createRecordsTenant(sql);
    const owner = await createUser(token);
    const team = await createTeam(token);
    await createLead(token, { name: 'owned', owner_id: owner.id });
    const second = await createLead(token, { name: 'teamed', team_id: team.id, source: 'Web form' });
    await expectData(token, 'PATCH', `/leads/${second.id}`, 200, { status: 'contacted' });
    expect(await namesOf(token, `/leads?owner_id=${owner.id}`)).toEqual(['owned']);
    expect(await namesOf(token, `/leads?owner_id=${owner.id.toUpperCase()}`)).toEqual(['owned']);
    expect(await namesOf(token, `/leads?team_id=${team.id}`)).toEqual(['teamed']);
    expect(await namesOf(token, '/leads?status=contacted')).toEqual(['teamed']);
    expect(await namesOf(token, '/leads?status=converted')).toEqual([]);
    expect(await namesOf(token, `/leads${query({ source: 'Web form' })}`)).toEqual(['teamed']);
    expect(await namesOf(token, '/leads?source=web')).toEqual([]);
    expect(await namesOf(token, `/leads?owner_id=${owner.id}&team_id=${team.id}`)).toEqual([]);
    expect(await namesOf(token, '/leads?unknown=1&sort=name')).toEqual(['owned', 'teamed']);
    const bad = {
      status: 'discarded',
      owner_id: 'x',
      team_id: '1',
      created_after: '2026-02-30',
      updated_after: 'now',
    };
    const fault = faultOf(await records(token, 'GET', `/leads${query({ ...bad, page: '0' })}`));
    expect(fault).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(fault.fields.toSorted()).toEqual([...Object.keys(bad), 'page'].toSorted());
  });

  test('of deals', async () => {
    const { token } = await createRecordsTenant(sql);
    const stages = await stagesOf(token);
    const team = await createTeam(token);
    const owner = await createUser(token, { team_id: team.id });
    const a = await createDeal(token, {
      name: 'a',
      value: 10,
      owner_id: owner.id,
      expected_close_date: '2026-03-01',
    });
    await createDeal(token, {
      name: 'b',
      value: 20.5,
      stage_id: stages[1].id,
      expected_close_date: '2026-03-02',
    });
    await createDeal(token, { name: 'c', value: 30 });
    await expectData(token, 'POST', `/deals/${a.id}/close`, 200, { result: 'won' });
    const names = (values: Record<string, string>) =>
      namesOf(token, `/deals${query({ sort: 'name', ...values })}`);
    expect(await names({ stage_id: stages[1].id })).toEqual(['b']);
    expect(await names({ owner_id: owner.id })).toEqual(['a']);
    expect(await names({ team_id: team.id })).toEqual(['a']);
    expect(await names({ status: 'open' })).toEqual(['b', 'c']);
    expect(await names({ status: 'won' })).toEqual(['a']);
    expect(await names({ min_value: '20.5' })).toEqual(['b', 'c']);
    expect(await names({ max_value: '20.5' })).toEqual(['a', 'b']);
    expect(await names({ min_value: '10.01', max_value: '29.99' })).toEqual(['b']);
    expect(await names({ close_date_after: '2026-03-01' })).toEqual(['b']);
    expect(await names({ close_date_before: '2026-03-02' })).toEqual(['a']);
    const bad = {
      stage_id: 'x',
      status: 'closed',
      min_value: 'x',
      max_value: '',
      close_date_after: '2026-02-29',
    };
    const { fields } = faultOf(await records(token, 'GET', `/deals${query(bad)}`));
    expect(fields.toSorted()).toEqual(['close_date_after', 'min_value', 'stage_id', 'status']);
  });

  test('of users', async () => {
    const { token } = await createRecordsTenant(sql);
    const team = await createTeam(token);
    const a = await createUser(token, { name: 'a', role: 'admin', team_id: team.id });
    await createUser(token, { name: 'b', role: 'manager' });
    await expectData(token, 'DELETE', `/users/${a.id}`, 204);
    expect(await namesOf(token, '/users?role=manager')).toEqual(['b']);
    expect(await namesOf(token, `/users?team_id=${team.id}`)).toEqual(['a']);
    expect(await namesOf(token, '/users?status=invited')).toEqual(['b']);
    expect(await namesOf(token, '/users?status=deactivated')).toEqual(['a']);
    expect(await namesOf(token, `/users?search=${a.email.toUpperCase()}`)).toEqual(['a']);
    expect(faultOf(await records(token, 'GET', '/users?role=seller&status=inactive'))).toMatchObject({
      status: 400,
      fields: ['role', 'status'],
    });
  });

  test("by time are exclusive; a day begins at the tenant's midnight", async () => {
    const { id, token } = await createRecordsTenant(sql);
    // Midnight in São Paulo is 03:00 in UTC.
    const times = {
      before: '2026-03-05T02:59:59.999999Z',
      at: '2026-03-05T03:00:00Z',
      after: '2026-03-05T03:00:00.000001Z',
    };
    await insertLeads(
      sql,
      id,
      Object.entries(times).map(([name, at]) => ({ name, created_at: at, updated_at: at })),
    );
    const names = (values: Record<string, string>) =>
      namesOf(token, `/leads${query({ sort: 'created_at', ...values })}`);
    for (const day of ['2026-03-05', '2026-03-05T03:00:00Z', '2026-03-05T00:00:00.000-03:00']) {
      expect(await names({ created_after: day })).toEqual(['after']);
      expect(await names({ created_before: day })).toEqual(['before']);
      expect(await names({ updated_after: day })).toEqual(['after']);
    }
    expect(await names({ created_after: times.before, created_before: times.after })).toEqual(['at']);
    await sql`update tenants set time_zone = 'Asia/Tokyo' where id = ${id}`;
    expect(await names({ created_after: '2026-03-05' })).toEqual(['before', 'at', 'after']);
    expect(await names({ created_after: '2026-03-06' })).toEqual([]);
    const deals = await records(
      token,
      'GET',
      '/deals?created_after=2026-03-05&updated_after=2026-03-05&created_before=x',
    );
    expect(faultOf(deals)).toMatchObject({ fields: ['created_before'] });
  });

  test('updated_after finds changes since the record that was read', async () => {
    const { token } = await createRecordsTenant(sql);
    const [a, b] = [await createLead(token, { name: 'a' }), await createLead(token, { name: 'b' })];
    expect(await namesOf(token, `/leads?updated_after=${b.updated_at}`)).toEqual([]);
    await expectData(token, 'PATCH', `/leads/${a.id}`, 200, { phone: '1' });
    expect(await namesOf(token, `/leads?updated_after=${b.updated_at}`)).toEqual(['a']);
  });
});

describe('search', () => {
  test('of leads ignores case and accents, and treats every character literally', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const leads = [
      { name: 'José Ação', email: 'one@x.co', company: 'Padaria' },
      { name: 'Ann', email: 'two_2@x.co', company: '100% Açaí' },
      { name: 'C:\\temp', email: 'three@x.co', company: "O'Neil" },
      { name: 'Jose\u0301 decomposed', email: 'four@x.co', company: 'Straße', phone: 'onlyphone' },
    ];
    await insertLeads(sql, id, leads);
    const found = async (text: string) =>
      (await list(token, `/leads${query({ search: text, sort: 'email' })}`)).map(
        ({ email }) => email.split('@')[0],
      );
    expect(await found('JOSE')).toEqual(['four', 'one']);
    expect(await found('josé')).toEqual(['four', 'one']);
    expect(await found('jose\u0301')).toEqual(['four', 'one']);
    expect(await found('acao')).toEqual(['one']);
    expect(await found('100%')).toEqual(['two_2']);
    expect(await found('%')).toEqual(['two_2']);
    expect(await found('_')).toEqual(['two_2']);
    expect(await found('\\')).toEqual(['three']);
    expect(await found('\\t')).toEqual(['three']);
    expect(await found("o'neil")).toEqual(['three']);
    expect(await found('ONE@X')).toEqual(['one']);
    expect(await found(' padaria ')).toEqual(['one']);
    expect(await found('onlyphone')).toEqual([]);
    expect(await found('a')).toEqual(['four', 'one', 'two_2']);
    expect(faultOf(await records(token, 'GET', '/leads?search=%00'))).toMatchObject({
      status: 400,
      fields: ['search'],
    });
  });

  test('of deals covers name and contact', async () => {
    const { token } = await createRecordsTenant(sql);
    const contact = { contact_name: 'Zoë', contact_email: 'zoe@contact.co' };
    await createDeal(token, { name: 'Ünder', company: 'nowhere', ...contact });
    for (const text of ['under', 'ZOE', 'zoe@contact']) {
      expect(await namesOf(token, `/deals${query({ search: text })}`)).toEqual(['Ünder']);
    }
    expect(await namesOf(token, '/deals?search=nowhere')).toEqual([]);
  });

  test('uses an index', async () => {
    const plans = await Promise.all(
      ['leads', 'deals', 'users'].map((table) =>
        sql.begin(async (tx) => {
          await tx`set local enable_seqscan = off`;
          const plan = await tx`
            explain select id from ${tx(table)}
            where tenant_id = gen_random_uuid() and search like '%silva%'`;
          return plan.map((row) => row['QUERY PLAN']).join('\n');
        }),
      ),
    );
    for (const plan of plans) expect(plan).toMatch(/_search_idx/);
  });
});

test.each([
  ['a', '/leads?status=new&status=contacted', ['status']],
  ['a', '/leads?page=0&page=1&search=&search=a', ['page', 'search']],
  [
    'b',
    '/leads?assigned_to=00000000-0000-4000-8000-000000000001&assigned_to=00000000-0000-4000-8000-000000000001',
    ['assigned_to'],
  ],
  ['c', '/leads?stage=new&per_page=5&stage=new', ['stage']],
  ['a', '/deals?sort=value&min_value=1&sort=-value', ['sort']],
  ['a', '/users/ID/stats?period=week&period=month', ['period']],
  ['b', '/users/ID/metrics?start_date=2026-01-01&start_date=2026-01-01', ['start_date']],
] as const)('variant %s, %s: a repeated parameter returns 400', async (variant, path, fields) => {
  const { token } = await createRecordsTenant(sql);
  const { id } = await createUser(token);
  const headers = { 'X-Api-Variant': variant };
  const fault = faultOf(await records(token, 'GET', path.replace('ID', id), undefined, { headers }));
  expect(fault).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', fields });
});

test('unknown parameters can be repeated; a deletion with contradictory parameters is rejected', async () => {
  const { token } = await createRecordsTenant(sql);
  const { id } = await createUser(token);
  expect(await namesOf(token, '/leads?limit=1&limit=2&assigned_to=x&assigned_to=x')).toEqual([]);
  const twice = await records(token, 'DELETE', `/users/${id}?permanent=false&permanent=true`);
  expect(faultOf(twice)).toMatchObject({ status: 400, fields: ['permanent'] });
  expect((await expectData(token, 'GET', `/users/${id}`, 200)).status).toBe('invited');
});
