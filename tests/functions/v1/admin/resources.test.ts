// Stored rows, rejections and audit entries of the admin API, compared with the same actions in SQL.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../support/database.ts';
import { activity, collaborator, sync, syncCollaborators } from '../../../support/gamification/sync.ts';
import { createAdminTenant } from '../../../support/records/admin-examples.ts';
import { records } from '../../../support/records/records.ts';

const sql = connectDatabase();

type Tenant = Awaited<ReturnType<typeof createAdminTenant>>;
const call = (
  tenant: Tenant,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => records(tenant.token, method, `/admin${path}`, body, { headers });
const changesOf = (tenant: Tenant) =>
  sql`select act, summary from admin_changes where tenant_id = ${tenant.id} and via = 'api' order by id`;

test.each(['a', 'b', 'c'])(
  'variant %s: its envelope of lists, and a summary of what was done',
  async (variant) => {
    const tenant = await createAdminTenant(sql);
    const headers = { 'X-Api-Variant': variant };
    const made = await call(tenant, 'POST', '/tiers', { name: 'Gold', min_points: 10 }, headers);
    expect(made.body.meta.summary).toBe('Created tier "Gold".');
    expect(made.body.meta.summary).toBe((await changesOf(tenant)).at(-1)?.summary);
    const { body } = await call(tenant, 'GET', '/tiers?per_page=1', undefined, headers);
    const numbers = { page: 1, per_page: 1, total: 1, total_pages: 1 };
    expect(variant === 'a' ? body.meta : body.pagination).toMatchObject(numbers);
  },
);

test('by id, by name in another case, and with spaces around it', async () => {
  const tenant = await createAdminTenant(sql);
  const { data } = (await call(tenant, 'POST', '/missions', { name: ' Visita ao café ', points: 1 })).body;
  expect(data.name).toBe('Visita ao café');
  for (const ref of [data.id, 'VISITA AO CAFÉ', ' visita ao cafe\u0301 ']) {
    const { body } = await call(tenant, 'GET', `/missions/${encodeURIComponent(ref)}`);
    expect(body.data?.id).toBe(data.id);
  }
});

test('a name that is taken is 409 with the holder, by API and by SQL, and of two at once one is made', async () => {
  const tenant = await createAdminTenant(sql);
  const mission = { name: 'Demo', points: 1 };
  const replies = await Promise.all([1, 2].map(() => call(tenant, 'POST', '/missions', mission)));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
  const made = replies.find(({ status }) => status === 201)?.body.data.id;
  expect(replies.find(({ status }) => status === 409)?.body.error).toMatchObject({
    code: 'CONFLICT',
    existing_id: made,
  });
  await expect(
    sql`insert into missions (tenant_id, name, points) values (${tenant.id}, 'DEMO', 1)`,
  ).rejects.toThrow(
    `name: "DEMO" already exists (id ${made}). Use another name, or change the existing record.`,
  );
  const season = { name: 'Q1', starts_at: '2027-01-01', ends_at: '2027-02-01' };
  expect((await call(tenant, 'POST', '/seasons', season)).status).toBe(201);
  expect((await call(tenant, 'POST', '/seasons', season)).status).toBe(409);
  const later = { ...season, starts_at: '2027-02-01', ends_at: '2027-03-01' };
  expect((await call(tenant, 'POST', '/seasons', later)).status).toBe(201);
  const several = await call(tenant, 'GET', '/seasons/q1');
  expect([several.status, several.body.error.ids.length]).toEqual([409, 2]);
});

test('conditions: 304, 412 with the current record, and a change that changes nothing', async () => {
  const tenant = await createAdminTenant(sql);
  const made = await call(tenant, 'POST', '/tiers', { name: 'Gold', min_points: 10 });
  const [path, etag] = [`/tiers/${made.body.data.id}`, made.headers.get('etag') ?? ''];
  expect((await call(tenant, 'GET', path, undefined, { 'If-None-Match': etag })).status).toBe(304);
  const same = await call(tenant, 'PATCH', path, { min_points: 10 }, { 'If-Match': etag });
  expect([same.status, same.headers.get('etag'), same.body.meta.summary]).toEqual([
    200,
    etag,
    'Nothing changed.',
  ]);
  expect((await call(tenant, 'PATCH', path, { min_points: 20 }, { 'If-Match': etag })).status).toBe(200);
  const late = await call(tenant, 'DELETE', path, undefined, { 'If-Match': etag });
  expect([late.status, late.body.error.current.min_points]).toEqual([412, 20]);
  expect((await changesOf(tenant)).map(({ act }) => act)).toEqual(['tier.created', 'tier.updated']);
});

test('ten requests with one Idempotency-Key make one key, and a replay shows no secret', async () => {
  const tenant = await createAdminTenant(sql);
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const create = () => call(tenant, 'POST', '/api-keys', { label: 'One', scopes: ['default:sync'] }, headers);
  const replies = await Promise.all(Array.from({ length: 10 }, create));
  expect(replies.filter(({ body }) => body.data?.api_key).length).toBe(1);
  const replay = await create();
  expect([replay.status, replay.body.data.label, replay.body.data.api_key]).toEqual([201, 'One', undefined]);
  const rows = await sql`select from api_keys where tenant_id = ${tenant.id} and label = 'One'`;
  expect(rows).toHaveLength(1);
});

const deep = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
const march = { starts_at: '2027-03-01', ends_at: '2027-04-01' };

describe('wrong members', () => {
  test.each([
    ['/missions', { name: 'x' }, 'points'],
    ['/missions', { name: ' ', points: 1 }, 'name'],
    ['/missions', { name: 'a\u0000b', points: 1 }, 'name'],
    ['/missions', { name: 'a\nb', points: 1 }, 'name'],
    ['/missions', { name: '\ud800', points: 1 }, 'name'],
    ['/missions', { name: 'x', points: '1' }, 'points'],
    ['/missions', { name: 'x', points: -1 }, 'points'],
    ['/missions', { name: 'x', points: 1_000_001 }, 'points'],
    ['/missions', { name: 'x', points: 1, codes: ['000'] }, 'codes.0'],
    ['/missions', { name: 'a\u0085b', points: 1 }, 'name'],
    ['/missions', { name: '\u200b \ufeff', points: 1 }, 'name'],
    ['/missions', { name: 'gpj.\u202eexe', points: 1 }, 'name'],
    ['/missions', { name: '\ufb2c'.repeat(255), points: 1 }, 'name'],
    ['/missions', { name: 'x', points: 1, id: 'x' }, 'id'],
    ['/badges', { name: 'x', metric: 'calls', threshold: 1 }, 'metric'],
    ['/badges', { name: 'x', metric: 'points', threshold: 0.001 }, 'threshold'],
    ['/challenges', { name: 'x', metric: 'points', target: 1e14, ...march }, 'target'],
    [
      '/challenges',
      { name: 'x', metric: 'points', target: 1, starts_at: '2027-03-01', ends_at: '2027-03-01' },
      'ends_at',
    ],
    ['/seasons', { name: 'x', starts_at: '2027-02-30', ends_at: '2027-04-01' }, 'starts_at'],
    ['/seasons', { name: 'x', starts_at: '2027-02-01T10:00', ends_at: '2027-04-01' }, 'starts_at'],
    ['/stages', { name: 'x', position: 1, probability: 101 }, 'probability'],
    ['/automations', { name: 'x', event: 'deal.gone', actions: [{ type: 'add_tag', tag: 'x' }] }, 'event'],
    ['/automations', { name: 'x', event: 'deal.won', actions: [] }, 'actions'],
    [
      '/automations',
      {
        name: 'x',
        event: 'deal.won',
        actions: [{ type: 'add_tag', tag: 'x' }],
        conditions: [{ field: 'a', op: 'like', value: 1 }],
      },
      'conditions[0].op',
    ],
    ['/api-keys', { label: 'x', scopes: ['all'] }, 'scopes.0'],
    ['/api-keys', { label: 'x', scopes: ['default:sync'], ip_allowlist: ['10.0.0.1/8'] }, 'ip_allowlist'],
    ['/persons/erase', { email: 'a@example.com', confirm: 'b@example.com' }, 'confirm'],
  ])('POST %s %j: 400 names %s, and nothing is stored', async (path, body, field) => {
    const tenant = await createAdminTenant(sql);
    const reply = await call(tenant, 'POST', path, body);
    expect([reply.status, reply.body.error.details.map((detail: { field: string }) => detail.field)]).toEqual(
      [400, [field]],
    );
    expect(await changesOf(tenant)).toEqual([]);
  });

  test('no body makes the service fail', async () => {
    const tenant = await createAdminTenant(sql);
    const bodies = [
      { name: deep, points: deep },
      '{"name":"x","points":1e400}',
      '[]',
      'null',
      { name: 'x', points: 1, codes: [deep] },
    ];
    for (const path of ['/missions', '/automations', '/seasons', '/api-keys', '/balance-adjustments']) {
      for (const body of bodies) {
        const headers = { 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' };
        const { status } = await call(tenant, 'POST', path, body, headers);
        expect([path, body, status < 500]).toEqual([path, body, true]);
      }
    }
  });

  test('adjustments need an Idempotency-Key, and no request is silent', async () => {
    const tenant = await createAdminTenant(sql);
    const adjustment = { email: 'ana@example.com', points: 1, reason: 'x' };
    const reply = await call(tenant, 'POST', '/points/adjustments', adjustment);
    expect([reply.status, reply.body.error.details]).toEqual([
      400,
      [{ field: 'Idempotency-Key', message: 'is required' }],
    ]);
    // Each request creates a new export, but its key must be valid.
    const malformed = await call(
      tenant,
      'POST',
      '/persons/export',
      { email: 'a@b.co' },
      { 'Idempotency-Key': 'a b' },
    );
    expect([malformed.status, malformed.body.error.details[0].field]).toEqual([400, 'Idempotency-Key']);
    const silent = await call(tenant, 'GET', '/missions', undefined, { 'X-Silent': 'true' });
    expect([silent.status, silent.body.error.details[0].field]).toEqual([400, 'X-Silent']);
  });
});

test('a reference that does not exist is 422 with the names that do', async () => {
  const tenant = await createAdminTenant(sql);
  await call(tenant, 'POST', '/missions', { name: 'Demo', points: 1 });
  const { status, body } = await call(tenant, 'PUT', '/activity-codes/010', { mission: 'Demos' });
  expect([status, body.error.details]).toEqual([
    422,
    [{ field: 'mission', message: 'does not exist in this workspace; there are Demo' }],
  ]);
});

test('a date is the midnight that begins it in the time zone, and the first moment after it where clocks skip it', async () => {
  const tenant = await createAdminTenant(sql);
  const dates = { starts_at: '2018-11-04', ends_at: '2018-11-05' };
  const first = await call(tenant, 'POST', '/seasons', { name: 'Sao Paulo', ...dates });
  // Clocks went from 00:00 to 01:00 (UTC-2) on this day.
  expect(first.body.data).toMatchObject({
    starts_at: '2018-11-04T03:00:00.000000Z',
    ends_at: '2018-11-05T02:00:00.000000Z',
  });
  expect((await call(tenant, 'PATCH', '/settings', { time_zone: 'Asia/Tokyo' })).status).toBe(200);
  const second = await call(tenant, 'POST', '/seasons', { name: 'Tokyo', ...dates });
  expect(second.body.data.starts_at).toBe('2018-11-03T15:00:00.000000Z');
  await sql`select admin.create_season(${tenant.id}::uuid, 'SQL', ${dates.starts_at}::text, ${dates.ends_at}::text)`;
  const [row] = await sql`select starts_at from seasons where tenant_id = ${tenant.id} and name = 'SQL'`;
  expect(row?.starts_at.toISOString()).toBe('2018-11-03T15:00:00.000Z');
});

test('the API and SQL leave equal rows, points, events and changes', async () => {
  const [byApi, bySql] = [await createAdminTenant(sql), await createAdminTenant(sql)];
  for (const { apiKey } of [byApi, bySql]) {
    await syncCollaborators(apiKey, [collaborator('ana')]);
    await sync(apiKey, {
      action: 'sync_activities',
      activities: [{ ...activity('call-1', 'ana@example.com'), activity_code: '010' }],
    });
  }
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });
  await call(byApi, 'POST', '/missions', { name: 'Demo', points: 50, codes: ['010'] });
  await call(byApi, 'PUT', '/point-rules', { event: 'deal.won', points: 100 });
  await call(
    byApi,
    'POST',
    '/points/adjustments',
    { email: 'ana@example.com', points: 7, reason: 'Helped' },
    key(),
  );
  await call(byApi, 'POST', '/activities/void', { external_id: 'call-1', reason: 'Sent twice' });
  await call(byApi, 'POST', '/players/opt-out', { email: 'ana@example.com', opted_out: true });
  await call(byApi, 'DELETE', '/activity-codes/010');

  const id = bySql.id;
  await sql`select admin.map_activity_code(${id}::uuid, '010', admin.create_mission(${id}::uuid, 'Demo', 50))`;
  await sql`select admin.set_point_rule(${id}::uuid, 'deal.won', 100)`;
  await sql`select admin.adjust_points(${id}::uuid, 'ana@example.com', 7, 'Helped')`;
  await sql`select admin.void_activity(${id}::uuid, 'call-1', 'Sent twice')`;
  await sql`select admin.set_ranking_opt_out(${id}::uuid, 'ana@example.com', true)`;
  await sql`select admin.unmap_activity_code(${id}::uuid, '010')`;

  const left = async (tenant: string) => ({
    missions: await sql`select name, points from missions where tenant_id = ${tenant}`,
    rules:
      await sql`select event, points, stage_id, max_per_day from point_rules where tenant_id = ${tenant}`,
    entries:
      await sql`select reason, points, completions, note from point_entries where tenant_id = ${tenant} order by id`,
    players:
      await sql`select email, total_points, opted_out_of_rankings from players where tenant_id = ${tenant}`,
    activities:
      await sql`select external_id, voided_at is not null as voided, void_reason from activities where tenant_id = ${tenant}`,
    events: await sql`select type from events where tenant_id = ${tenant} order by type`,
    changes: await sql`
      select act, subject_kind, subject_name, before, after - 'voided_at' as after, reason, summary from admin_changes
      where tenant_id = ${tenant} and act !~ '^(client|api_key|tenant)' order by id`,
  });
  expect(await left(byApi.id)).toEqual(await left(bySql.id));
  const [change] =
    await sql`select via, actor_kind, actor_id, request_id from admin_changes where tenant_id = ${byApi.id} and act = 'mission.created'`;
  expect(change).toMatchObject({
    via: 'api',
    actor_kind: 'client',
    actor_id: byApi.client.client_id,
    request_id: expect.any(String),
  });
});

test('what history hangs on is not deleted, and the message says what to do', async () => {
  const tenant = await createAdminTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await call(tenant, 'POST', '/missions', { name: 'Demo', points: 50, codes: ['010'] });
  await sync(tenant.apiKey, {
    action: 'sync_activities',
    activities: [{ ...activity('call-1', 'ana@example.com'), activity_code: '010' }],
  });
  const reply = await call(tenant, 'DELETE', '/missions/demo');
  expect([reply.status, reply.body.error.message]).toEqual([
    409,
    'Players have completed this mission. Set its points to 0 or unmap its codes.',
  ]);
  expect((await call(tenant, 'GET', '/activity-codes/010')).body.data).toMatchObject({
    mission: { name: 'Demo' },
    activities: 1,
  });
});

test('why a request failed is found by caller, reason, status and id, page by page', async () => {
  const tenant = await createAdminTenant(sql);
  const failed = await call(tenant, 'POST', '/missions', { name: 'x' });
  const id = failed.body.meta.request_id;
  const find = async (query: string) => (await call(tenant, 'GET', `/requests?${query}`)).body;
  // Rejected requests are logged shortly after their response.
  await expect.poll(async () => (await find(`request_id=${id}`)).data.length, { timeout: 20_000 }).toBe(1);
  for (const query of [
    `caller=${tenant.client.client_id}`,
    'caller=TEST',
    'reason=validation',
    'status=400',
    'status=4xx',
    'status=failed',
    'path=/v1/admin/mis&method=POST',
    'path=v1/admin/missions',
  ])
    expect([query, (await find(query)).data.map((one: { request_id: string }) => one.request_id)]).toEqual([
      query,
      expect.arrayContaining([id]),
    ]);
  const [entry] = (await find(`request_id=${id}`)).data;
  expect(entry).toMatchObject({
    status: 400,
    reason: 'validation',
    fields: ['points'],
    caller: { kind: 'client' },
    remedy: expect.stringContaining('Correct the request'),
  });
  await call(tenant, 'POST', '/tiers', { name: 'A', min_points: 1 });
  await call(tenant, 'POST', '/tiers', { name: 'B', min_points: 2 });
  const first = await find('method=POST&limit=1');
  const second = await find(`method=POST&limit=1&after=${first.meta.next_cursor}`);
  expect([first.meta.has_more, first.data[0].request_id === second.data[0].request_id]).toEqual([
    true,
    false,
  ]);
  expect(
    (await call(tenant, 'GET', '/requests?from=2026-01-01&to=2026-02-02')).body.error.details[0].field,
  ).toBe('from');
  for (const after of ['x', 'é', '%2B%2F'])
    expect((await call(tenant, 'GET', `/requests?after=${after}`)).body.error.details[0].field).toBe('after');
  const cursorOf = (key: string) => Buffer.from(`0 ${key}`).toString('base64url');
  for (const after of [first.meta.next_cursor, cursorOf('x'), cursorOf('9'.repeat(30)), cursorOf('1\n2')]) {
    const { status, body } = await call(tenant, 'GET', `/changes?after=${after}`);
    expect([status, body.error?.details[0].field]).toEqual([400, 'after']);
  }
  expect((await call(tenant, 'GET', `/requests/${crypto.randomUUID()}`)).status).toBe(404);
});

test('a plan of the limits: no more than 100 keys that work', async () => {
  const tenant = await createAdminTenant(sql);
  await sql`select admin.create_api_key(${tenant.id}::uuid, 'k' || n, '{default:sync}') from generate_series(1, 99) as n`;
  const reply = await call(tenant, 'POST', '/api-keys', { label: 'x', scopes: ['default:sync'] });
  expect([reply.status, reply.body.error.message]).toEqual([
    422,
    'The workspace has 100 API keys in use. The limit is 100. Delete one first.',
  ]);
  const [expired] = await sql`
    select id from admin.create_api_key(${tenant.id}::uuid, 'old', '{default:sync}', expires_at => now() - interval '1 day')`;
  const prolong = (expires_at: string | null) =>
    call(tenant, 'PATCH', `/api-keys/${expired?.id}`, { expires_at });
  expect((await prolong(null)).status).toBe(422);
  expect((await prolong('2020-01-01')).status).toBe(200);
  expect((await call(tenant, 'PATCH', `/api-keys/${expired?.id}`, { label: 'older' })).status).toBe(200);
  // Each of them can be replaced, although the old ones still work for a day.
  const [key] = await sql`select id from api_keys where tenant_id = ${tenant.id} and label = 'k1'`;
  expect((await call(tenant, 'POST', `/api-keys/${key?.id}/rotate`)).status).toBe(201);
  const again = await call(tenant, 'POST', `/api-keys/${key?.id}/rotate`);
  expect([again.status, again.body.error.state]).toEqual([409, 'rotated']);
  await sql`select admin.create_api_key(${tenant.id}::uuid, 'r' || n, '{default:sync}') from generate_series(1, 99) as n`;
  const [last] = await sql`select id from admin.create_api_key(${tenant.id}::uuid, 'last', '{default:sync}')`;
  expect((await call(tenant, 'POST', `/api-keys/${last?.id}/rotate`)).status).toBe(422);
});

test('a body of more than 256 KiB is 413, and a label that two keys have is 409', async () => {
  const tenant = await createAdminTenant(sql);
  const large = await call(tenant, 'POST', '/missions', { name: 'x'.repeat(300_000), points: 1 });
  expect(large.status).toBe(413);
  const key = { label: 'Twice', scopes: ['default:sync'] };
  const made = [await call(tenant, 'POST', '/api-keys', key), await call(tenant, 'POST', '/api-keys', key)];
  const several = await call(tenant, 'GET', '/api-keys/twice');
  expect([several.status, several.body.error.ids.sort()]).toEqual([
    409,
    made.map(({ body }) => body.data.id).sort(),
  ]);
});

test('search ignores case and accents, and changes are found by names in any case', async () => {
  const tenant = await createAdminTenant(sql);
  await call(tenant, 'POST', '/missions', { name: 'Visita à Conceição', points: 1 });
  const found = async (path: string) => (await call(tenant, 'GET', path)).body.data.length;
  expect(await found('/missions?search=CONCEICAO')).toBe(1);
  expect(await found('/missions?search=Conceicoes')).toBe(0);
  expect(await found(`/changes?subject=${encodeURIComponent('VISITA À CONCEIÇÃO')}`)).toBe(1);
  expect(await found('/changes?act=mission.*&actor=TEST')).toBe(1);
  expect(await found('/changes?subject=visita')).toBe(1);
  expect(await found('/changes?subject=reunion')).toBe(0);
  expect(await found('/changes?act=mission')).toBe(1);
  expect((await call(tenant, 'GET', '/changes?act=miss*')).body.error.details[0].field).toBe('act');
});

test('faults in the form of an automation come before names that do not exist', async () => {
  const tenant = await createAdminTenant(sql);
  const actions = [{ type: 'move_stage', stage: 'Nowhere' }, { type: 'award_points' }];
  const automation = { name: 'Tag', event: 'deal.won', actions };
  const { status, body } = await call(tenant, 'POST', '/automations', automation);
  expect([status, body.error.details[0].field]).toEqual([400, 'actions[1].points']);
  const named = { ...automation, actions: actions.slice(0, 1) };
  expect((await call(tenant, 'POST', '/automations', named)).status).toBe(422);
});

test('a 400 names every member at once: those that cannot be set, and items of automations by their place', async () => {
  const tenant = await createAdminTenant(sql);
  const settings = { slug: 'x', plan: 'enterprise', name: null, nfse_cancellation_hours: -1 };
  const fieldsOf = async (method: string, path: string, sent: object) => {
    const { status, body } = await call(tenant, method, path, sent);
    return [status, body.error.details.map(({ field }: { field: string }) => field)];
  };
  expect(await fieldsOf('PATCH', '/settings', settings)).toEqual([
    400,
    ['slug', 'plan', 'name', 'nfse_cancellation_hours'],
  ]);
  const automation = { name: 'Tag', event: 'deal.won', conditions: [5], actions: [{ type: 'add_tag' }, 'x'] };
  expect(await fieldsOf('POST', '/automations', automation)).toEqual([400, ['conditions[0]', 'actions[1]']]);
});

test('points of a collaborator without a user, but not of another tenant', async () => {
  const tenant = await createAdminTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  const adjustment = { email: 'ana@example.com', points: 5, reason: 'Prêmio' };
  await call(tenant, 'POST', '/points/adjustments', adjustment, { 'Idempotency-Key': crypto.randomUUID() });
  const [player] = (await call(tenant, 'GET', '/players?search=ANA')).body.data;
  const path = `/players/${player.collaborator_id}/points`;
  const entry = { points: 5, reason: 'adjustment', note: 'Prêmio', mission_id: null };
  expect((await call(tenant, 'GET', `${path}?search=premio`)).body.data).toMatchObject([entry]);
  expect((await call(tenant, 'GET', `${path}?search=other`)).body.data).toEqual([]);
  expect((await call(await createAdminTenant(sql), 'GET', path)).status).toBe(404);
  expect((await call(tenant, 'GET', '/players/x/points')).status).toBe(404);
});
