// Names, versions and states changed by concurrent requests.

import { expect, test } from 'vitest';
import { reason } from '../../../../shared/administration/fields.ts';
import { connectDatabase } from '../../../support/database.ts';
import {
  activity,
  collaborator,
  syncActivities,
  syncCollaborators,
} from '../../../support/gamification/sync.ts';
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

test('the tag of a record changes with every member that is shown, and a condition only with what requests change', async () => {
  const tenant = await createAdminTenant(sql);
  const made = await call(tenant, 'POST', '/missions', { name: 'Demo', points: 1, codes: ['010'] });
  const { id } = made.body.data;
  const read = (tag = '"x"') => call(tenant, 'GET', `/missions/${id}`, undefined, { 'If-None-Match': tag });
  const first = await read();
  const tag = first.headers.get('etag') ?? '';
  // A proxy that compresses would make the tag weak.
  expect([made.headers.get('etag'), first.headers.get('cache-control')]).toEqual([
    tag,
    'no-store, no-transform',
  ]);
  expect((await read(tag)).status).toBe(304);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await syncActivities(tenant.apiKey, [activity('1', 'ana@example.com', { activity_code: '010' })]);
  const later = await read(tag);
  expect([later.status, later.body.data?.completions]).toEqual([200, 1]);
  const change = (points: number, etag: string) =>
    call(tenant, 'PATCH', `/missions/${id}`, { points }, { 'If-Match': etag });
  const changed = await change(2, tag);
  expect(changed.status).toBe(200);
  const refused = await change(3, tag);
  expect([refused.status, refused.headers.get('etag')]).toEqual([412, changed.headers.get('etag')]);
  expect((await read(changed.headers.get('etag') ?? '')).status).toBe(304);
  // A secret that is returned once is no part of the tag.
  const key = await call(tenant, 'POST', '/api-keys', { label: 'x', scopes: ['default:sync'] });
  const path = `/api-keys/${key.body.data.id}`;
  expect((await call(tenant, 'GET', path)).headers.get('etag')).toBe(key.headers.get('etag'));
});

test.each([
  ['a left-to-right mark', '\u200e'],
  ['an Arabic letter mark', '\u061c'],
  ['a Hangul filler', '\u3164'],
  ['a blank of Braille', '\u2800'],
  ['spaces around a joiner', ' \u2060 '],
])('a name of only %s is 400, and refused by SQL', async (_, name) => {
  const tenant = await createAdminTenant(sql);
  for (const [path, body] of [
    ['/missions', { name, points: 1 }],
    ['/clients', { label: name, scopes: ['read:leads'] }],
  ] as const) {
    const { status, body: answer } = await call(tenant, 'POST', path, body);
    expect([status, answer.error.details?.[0].message]).toEqual([400, 'must have a visible character']);
  }
  expect(reason.safeParse(name).success).toBe(false);
  await expect(
    sql`insert into missions (tenant_id, name, points) values (${tenant.id}, ${name}, 1)`,
  ).rejects.toThrow(/^name: must have (a visible character|1 to 255)/);
});

test('names that differ by the kind or number of their spaces are one', async () => {
  const tenant = await createAdminTenant(sql);
  expect(
    (await call(tenant, 'POST', '/missions', { name: 'Two\u2009 calls', points: 1 })).body.data.name,
  ).toBe('Two calls');
  for (const name of ['Two\u00a0calls', 'Two  calls'])
    expect((await call(tenant, 'POST', '/missions', { name, points: 1 })).status).toBe(409);
});

test.each([
  ['a space without width', 'De\u200bmo'],
  ['a soft hyphen', 'De\u00admo'],
  ['a variation selector', 'Demo\ufe0f'],
  ['a tag', 'Demo\u{e0041}'],
  ['another case', '\u2060dEMO'],
])('a name that differs only by %s is taken, and found by the other one', async (_, twin) => {
  const tenant = await createAdminTenant(sql);
  const { data } = (await call(tenant, 'POST', '/missions', { name: 'Demo', points: 1 })).body;
  const { status, body } = await call(tenant, 'POST', '/missions', { name: twin, points: 1 });
  expect([status, body.error?.existing_id]).toEqual([409, data.id]);
  const found = await call(tenant, 'GET', `/missions/${encodeURIComponent(twin)}`);
  expect(found.body.data?.id).toBe(data.id);
  await expect(
    sql`insert into missions (tenant_id, name, points) values (${tenant.id}, ${twin}, 1)`,
  ).rejects.toThrow('already exists');
});
