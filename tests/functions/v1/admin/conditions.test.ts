// Names, versions and states changed by concurrent requests.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import { createAdminTenant } from '../../../support/records/admin-examples.ts';
import { records } from '../../../support/records/records.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectDatabase();

type Tenant = Awaited<ReturnType<typeof createAdminTenant>>;
const call = (
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => records(tenant.token, method, `/admin${path}`, body, { headers });

test.each<[string, object]>([
  ['/cost-centers/sales', { name: 'Sales' }],
  ['/provider-accounts/stripe', { api_key: 'sk_test_0123456789abcdef' }],
  ['/point-rules', { event: 'deal.won', points: 1 }],
  ['/provider-routes', { kind: 'charge', region: 'br', currency: 'BRL', providers: ['sandbox'] }],
  ['/payout-approval-rules', { above_amount: 100 }],
])('PUT %s with a version of nothing is 412, and nothing is created', async (path, body) => {
  const tenant = await createAdminTenant(sql);
  const reply = await call(tenant, 'PUT', path, body, { 'If-Match': '"a"' });
  expect([reply.status, reply.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
  expect(await sql`select from admin_changes where tenant_id = ${tenant.id} and via = 'api'`).toHaveLength(0);
});

test('the current record of a 412 is complete, with the members that are null', async () => {
  const tenant = await createAdminTenant(sql);
  const { data } = (await call(tenant, 'GET', '/settings')).body;
  const reply = await call(tenant, 'PATCH', '/settings', { name: 'x' }, { 'If-Match': '"a"' });
  expect([reply.status, reply.body.error.current]).toEqual([412, data]);
  expect(data.owner_email).toBe(null);
});

test('records that had the same name before can be changed, but not get a name that is taken', async () => {
  const tenant = await createAdminTenant(sql);
  const rows = await sql.begin(async (transaction) => {
    await transaction`set local session_replication_role = replica`;
    return await transaction`
      insert into missions (tenant_id, name, points) values (${tenant.id}, 'Demo', 1), (${tenant.id}, 'demo', 2) returning id`;
  });
  const [one, other] = rows.map(({ id }) => String(id));
  const changed = await call(tenant, 'PATCH', `/missions/${one}`, { name: 'Demo', points: 5 });
  expect([changed.status, changed.body.data?.points]).toEqual([200, 5]);
  const renamed = await call(tenant, 'PATCH', `/missions/${one}`, { name: 'DEMO' });
  expect([renamed.status, renamed.body.error?.existing_id]).toEqual([409, other]);
});

test.each<[string, string, object, string]>([
  [
    'a name',
    '/missions',
    { name: 'DEMO', points: 1 },
    `insert into missions (tenant_id, name, points) values ($1, 'Demo', 1)`,
  ],
  [
    'a beginning',
    '/tiers',
    { name: 'Gold', min_points: 5 },
    `insert into tiers (tenant_id, name, min_points) values ($1, 'Silver', 5)`,
  ],
])('%s that SQL is taking at this moment is 409 with its holder', async (_, path, body, statement) => {
  const tenant = await createAdminTenant(sql);
  const { reply, id } = await sql.begin(async (transaction) => {
    const [row] = await transaction.unsafe(`${statement} returning id`, [tenant.id]);
    const sent = call(tenant, 'POST', path, body);
    await waitFor(async () => {
      const waiting = await sql`
        select from pg_locks where not granted and ((classid::bigint << 32) | objid::bigint) = hashtextextended(${path.slice(1) + tenant.id}, 0)`;
      return waiting.length > 0;
    });
    return { reply: sent, id: row?.id };
  });
  const { status, body: answer } = await reply;
  expect([status, answer.error?.existing_id]).toEqual([409, id]);
});

test('names in paths and members are found whatever blanks are around them', async () => {
  const tenant = await createAdminTenant(sql);
  const { data } = (await call(tenant, 'POST', '/missions', { name: 'Demo\u00a0', points: 1 })).body;
  const found = await call(tenant, 'GET', `/missions/${encodeURIComponent('\u2003demo\u00a0')}`);
  expect(found.body.data?.id).toBe(data.id);
  const mapped = await call(tenant, 'PUT', '/activity-codes/010', { mission: '\tDemo\u00a0' });
  expect(mapped.body.data?.mission.id).toBe(data.id);
});

test('an automation whose stage was deleted can be stopped and renamed, but not started', async () => {
  const tenant = await createAdminTenant(sql);
  await call(tenant, 'POST', '/stages', { name: 'Trial', position: 9, probability: 10 });
  const actions = [{ type: 'move_stage', stage: 'trial' }];
  await call(tenant, 'POST', '/automations', { name: 'Move', event: 'deal.created', actions });
  expect((await call(tenant, 'DELETE', '/stages/trial')).status).toBe(204);
  const change = async (body: object) => {
    const reply = await call(tenant, 'PATCH', '/automations/move', body);
    return [reply.status, reply.body.error?.details[0].field];
  };
  expect(await change({ active: false })).toEqual([200, undefined]);
  expect(await change({ name: 'MOVE' })).toEqual([200, undefined]);
  expect(await change({ active: true })).toEqual([400, 'actions[0].stage_id']);
});

test.each([{ a: 1 }, 5, null])('a stage in an action that is %j is 400 by its place', async (stage) => {
  const tenant = await createAdminTenant(sql);
  const actions = [{ type: 'move_stage', stage }];
  const reply = await call(tenant, 'POST', '/automations', { name: 'x', event: 'deal.created', actions });
  expect([reply.status, reply.body.error.details]).toEqual([
    400,
    [{ field: 'actions[0].stage', message: 'must be a string' }],
  ]);
});

test('the time zone Factory, which only means that none was chosen, is 400', async () => {
  const tenant = await createAdminTenant(sql);
  const reply = await call(tenant, 'PATCH', '/settings', { time_zone: 'Factory' });
  expect([reply.status, reply.body.error?.details[0].field]).toEqual([400, 'time_zone']);
});
