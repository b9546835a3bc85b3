// The audit trail: one row for each administrative change, regardless of who made it and how, without secrets.
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant, truncateRefusal } from '../support/database.ts';
import { createPayTenant } from '../support/payments/payment-flows.ts';
import { PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { createRecordsTenant, createToken, records } from '../support/records/records.ts';

const sql = connectDatabase();

/** A tenant with a unique slug, and its changes since its creation. */
async function newTenant() {
  const { id, apiKeyId } = await createTenant(sql);
  const [{ slug, last } = {}] = await sql`
    select t.slug, (select max(c.id) from admin.changes c where c.tenant_id = t.id) as last from tenants t where t.id = ${id}`;
  const changes = () => sql`
    select act, subject_kind, subject_name, before, after, reason, summary, via, actor_kind, actor_name, program, transaction, tenant
    from admin.changes where tenant_id = ${id} and id > ${last} order by id`;
  return { id, slug, apiKeyId, changes };
}

const acts = (rows: Iterable<{ act?: string }>) => [...rows].map(({ act }) => act);

test('creating a tenant and its key is recorded', async () => {
  const { id } = await createTenant(sql);
  const rows =
    await sql`select act, via, actor_kind, actor_name from admin.changes where tenant_id = ${id} order by id`;
  expect([...rows]).toEqual([
    { act: 'tenant.created', via: 'sql', actor_kind: 'role', actor_name: 'postgres' },
    // The initial stages of each tenant.
    ...rows.filter(({ act }) => act === 'stage.created'),
    { act: 'api_key.created', via: 'sql', actor_kind: 'role', actor_name: 'postgres' },
  ]);
});

test('a mission is created by a function, and changed and deleted as a row', async () => {
  const { id, slug, changes } = await newTenant();
  const [mission] = await sql`select admin.create_mission(${id}, 'Demo given', 10) as id`;
  await sql`update missions set points = 20 where id = ${mission?.id}`;
  await sql`update missions set points = 20 where id = ${mission?.id}`;
  await sql`delete from missions where id = ${mission?.id}`;
  expect([...(await changes())]).toEqual([
    expect.objectContaining({
      act: 'mission.created',
      subject_kind: 'mission',
      subject_name: 'Demo given',
      before: null,
      after: { name: 'Demo given', points: 10 },
      summary: 'Created mission "Demo given".',
      tenant: slug,
      via: 'sql',
      program: 'postgres.js',
    }),
    expect.objectContaining({
      act: 'mission.updated',
      before: { points: 10 },
      after: { points: 20 },
      summary: 'Changed points of mission "Demo given" from 10 to 20.',
    }),
    expect.objectContaining({
      act: 'mission.deleted',
      before: { name: 'Demo given', points: 20 },
      after: null,
    }),
  ]);
});

test('exports, merges and moves of external ids have their own summaries, and a move without effect is not recorded', async () => {
  const { id, changes } = await newTenant();
  const [from, to] = await sql`
    select c.client_id from generate_series(1, 2) as n
    cross join lateral admin.create_oauth_client(${id}::uuid, 'CRM ' || n, array['admin']) as c order by n`;
  const [winner, loser] = await sql`
    insert into leads (tenant_id, name, email, external_ids)
    values (${id}, 'A', 'a@example.com', jsonb_build_object(${from?.client_id}::text, array['x-1'])), (${id}, 'B', 'b@example.com', '{}') returning id`;
  for (let i = 0; i < 2; i++) await sql`select admin.move_external_ids(${from?.client_id}, ${to?.client_id})`;
  await sql`select admin.merge_leads(${id}::uuid, ${winner?.id}, ${loser?.id})`;
  await sql`select admin.export_tenant(${id}::uuid)`;
  const [{ name } = {}] = await sql`select slug as name from tenants where id = ${id}`;
  expect((await changes()).map(({ summary }) => summary).slice(2)).toEqual([
    `Moved external ids of client ${from?.client_id} to client "CRM 2" (1).`,
    `Merged lead ${loser?.id} into another lead.`,
    `Exported tenant "${name}".`,
  ]);
});

test('rows of one update share its transaction, and a rollback leaves none', async () => {
  const { id, changes } = await newTenant();
  await sql`insert into badges (tenant_id, name, metric, threshold) select ${id}, 'B' || n, 'points', n from generate_series(1, 50) as n`;
  await sql
    .begin(async (tx) => {
      await tx`update badges set threshold = threshold + 1 where tenant_id = ${id}`;
      await tx`rollback`;
    })
    .catch(() => {});
  const rows = await changes();
  expect(rows).toHaveLength(50);
  expect(new Set(rows.map(({ transaction }) => transaction)).size).toBe(1);
});

/** The actions of an admin, and the resulting entries. */
const done: [
  what: string,
  acts: string[],
  run: (tenant: { id: string; slug: string; apiKeyId: string }) => Promise<unknown>,
][] = [
  ['change of plan', ['tenant.plan_changed'], ({ id }) => sql`select admin.set_plan(${id}, 'enterprise')`],
  [
    'a rotation, the end of the old key, and a rotation of the new one',
    ['api_key.rotated', 'api_key.revoked', 'api_key.rotated'],
    async ({ apiKeyId }) => {
      const [fresh] = await sql`select id from admin.rotate_api_key(${apiKeyId})`;
      await sql`select admin.revoke_api_key(${apiKeyId})`;
      await sql`select admin.rotate_api_key(${fresh?.id})`;
    },
  ],
  ['an export of the tenant', ['tenant.exported'], ({ id }) => sql`select admin.export_tenant(${id}::uuid)`],
  ['rotation of a key', ['api_key.rotated'], ({ apiKeyId }) => sql`select admin.rotate_api_key(${apiKeyId})`],
  [
    'revocation of a key',
    ['api_key.revoked'],
    ({ apiKeyId }) => sql`select admin.revoke_api_key(${apiKeyId})`,
  ],
  [
    'a client, its secret and its end',
    ['client.created', 'client.secret_rotated', 'client.revoked'],
    async ({ id }) => {
      const [client] =
        await sql`select client_id from admin.create_oauth_client(${id}, 'CRM', array['admin'])`;
      await sql`select admin.rotate_client_secret(${client?.client_id})`;
      await sql`select admin.revoke_oauth_client(${client?.client_id})`;
    },
  ],
  [
    'codes of missions',
    ['mission.created', 'activity_code.mapped', 'activity_code.unmapped'],
    async ({ id }) => {
      const [mission] = await sql`select admin.create_mission(${id}, 'Call', 5) as id`;
      await sql`select admin.map_activity_code(${id}, '010', ${mission?.id})`;
      await sql`select admin.unmap_activity_code(${id}, '010')`;
    },
  ],
  [
    'a webhook of payments and its secret',
    ['payment_webhook.created', 'payment_webhook.secret_rotated'],
    async ({ id }) => {
      const [webhook] =
        await sql`select id from admin.create_payment_webhook(${id}, 'https://acme.example/hook?token=secret')`;
      await sql`select admin.rotate_webhook_secret(${webhook?.id})`;
    },
  ],
  [
    'an adjustment of the balance',
    ['balance.adjusted'],
    ({ id }) => sql`select admin.adjust_balance(${id}, 500, 'BRL', 'opening')`,
  ],
  [
    'an approval rule',
    ['payout_approval_rule.created'],
    ({ slug }) => sql`select admin.require_payout_approval(${slug}, 1000)`,
  ],
];
test.each(done)('%s', async (_, expected, run) => {
  const tenant = await newTenant();
  await run(tenant);
  const rows = await tenant.changes();
  expect(acts(rows)).toEqual(expected);
  expect(rows.every(({ summary }) => /^[A-Z].*\.$/.test(summary))).toBe(true);
  expect(JSON.stringify(rows)).not.toMatch(/sk_test_|secret_hash|key_hash|token=/);
});

describe('nobody can change a row', () => {
  test.each([[`update public.admin_changes set act = 'x'`], ['delete from public.admin_changes']])(
    '%s',
    async (statement) => {
      await expect(sql.unsafe(statement)).rejects.toThrow(/append-only/);
    },
  );

  test('truncate', async () => {
    expect(await truncateRefusal(sql, 'admin_changes')).toContain('append-only');
  });
});

test('changes by the service itself are not recorded', async () => {
  const { id, apiKeyId, changes } = await newTenant();
  await sql`update api_keys set last_used_at = now() where id = ${apiKeyId}`;
  await sql.begin(async (tx) => {
    await tx`set local role worker`;
    await tx`update provider_accounts set status = 'failing' where tenant_id = ${id}`;
  });
  expect(acts(await changes())).toEqual([]);
});

test("erasure removes the person's data and is recorded itself", async () => {
  const { id, changes } = await newTenant();
  await sql`insert into collaborators (tenant_id, external_id, name, email) values (${id}, 'c1', 'Ana', 'ana@acme.example')`;
  await sql`select admin.adjust_points(${id}, 'ana@acme.example', 5, 'asked by ANA@acme.example')`;
  await sql`update tenants set owner_email = 'ana@acme.example' where id = ${id}`;
  await sql`select admin.export_person(${id}, 'ana@acme.example')`;
  await sql`select admin.erase_person(${id}, 'ana@acme.example')`;
  const rows = await changes();
  expect(acts(rows)).toEqual(['points.adjusted', 'tenant.updated', 'person.exported', 'person.erased']);
  expect(JSON.stringify(rows)).not.toMatch(/ana@acme/i);
});

test('a deleted tenant leaves a deletion row, and rows without content', async () => {
  const { id, slug, changes } = await newTenant();
  await sql`select admin.create_mission(${id}, 'Private name', 10)`;
  await sql`select * from admin.delete_tenant(${id}, ${slug})`;
  const rows = await changes();
  expect(acts(rows)).toEqual(['mission.created', 'tenant.deleted']);
  expect(rows.map(({ tenant }) => tenant)).toEqual([slug, slug]);
  expect(JSON.stringify(rows)).not.toContain('Private name');
});

test('a request of the tenant cannot claim to be another program, but names the person it acts for', async () => {
  const { id, changes } = await newTenant();
  await sql.begin(async (tx) => {
    await tx`select set_config('placar.on_behalf_of', 'ana@acme.example', true), set_config('app.actor', '{"via": "mcp"}', true)`;
    await tx`select admin.create_tier(${id}, 'Gold', 100)`;
  });
  expect([...(await changes())]).toMatchObject([
    { act: 'tier.created', via: 'sql', actor_kind: 'role', actor_name: 'postgres' },
  ]);
});

test.each(['/webhooks', '/payments/webhooks', '/admin/payment-webhooks'])(
  'one row for each change of a webhook with headers at %s',
  async (path) => {
    const tenant = await createTenant(sql, { scopes: PAYMENT_SCOPES });
    const { token } = await createToken(sql, tenant.id, { scopes: ['admin', 'manage:payments'] });
    const ofRecords = path === '/webhooks';
    const send = (method: string, place: string, body?: object) =>
      path.startsWith('/payments')
        ? pay(tenant.apiKey, place.replace('/payments', ''), body, { method })
        : records(token, method, place, body);
    const url = (name: string) => `https://${name}.example.invalid/x`;
    const events = ofRecords ? { events: ['lead.created'] } : { events: ['payout.paid'] };
    const made = await send('POST', path, { url: url('a'), ...events, headers: { 'X-A': '1' } });
    expect(made.status).toBe(201);
    const own = `${path}/${(made.body.data ?? made.body).id}`;
    const change = async (body: object) => {
      const before = await sql`select max(id) as id from admin_changes`;
      expect((await send('PATCH', own, body)).status).toBe(200);
      const rows = await sql`
        select act, before, after from admin_changes where tenant_id = ${tenant.id} and id > ${before[0]?.id} order by id`;
      return rows.map(({ act, before: old, after }) => [act.split('.')[1], old, after]);
    };
    const created =
      await sql`select act, after ->> 'headers' as headers from admin_changes where tenant_id = ${tenant.id} and subject_id = ${own.split('/').at(-1) ?? ''}`;
    expect(created.map(({ act, headers }) => [act.split('.')[1], headers])).toEqual([['created', '["X-A"]']]);
    const replaced = { headers: 'replaced' };
    expect(await change({ headers: { 'X-A': '2' } })).toEqual([['updated', replaced, replaced]]);
    expect(await change({ headers: { 'X-A': '2' } })).toEqual([]);
    expect(await change({ headers: { 'X-A': '3' }, description: 'x' })).toEqual([
      ['updated', { ...replaced, description: null }, { ...replaced, description: 'x' }],
    ]);
    expect(await change({ headers: { 'X-B': '3' }, url: url('b') })).toEqual([
      [
        'updated',
        { headers: ['X-A'], url: 'https://a.example.invalid/...' },
        { headers: ['X-B'], url: 'https://b.example.invalid/...' },
      ],
    ]);
    expect(await change({ headers: null })).toEqual([['updated', { headers: ['X-B'] }, { headers: [] }]]);
    if (!ofRecords) return;
    expect(await change({ secret: 'first' })).toEqual([['secret_set', null, { secret: 'set' }]]);
    expect((await change({ secret: 'second' })).map(([act]) => act)).toEqual(['secret_rotated']);
  },
);

test('a row of a request has its client, program and request id', async () => {
  const { id: tenantId, clientId, token } = await createRecordsTenant(sql);
  const headers = {
    'User-Agent': 'crm/1.0',
    'X-On-Behalf-Of': 'ana@acme.example',
    'X-Request-Id': crypto.randomUUID(),
  };
  const body = { url: 'https://hooks.example.invalid/x', events: ['lead.created'] };
  expect((await records(token, 'POST', '/webhooks', body, { headers })).status).toBe(201);
  const rows = await sql`
    select via, actor_kind, actor_id, program, on_behalf_of, request_id, act from admin.changes
    where tenant_id = ${tenantId} and via = 'api'`;
  expect([...rows]).toEqual([
    {
      via: 'api',
      actor_kind: 'client',
      actor_id: clientId,
      program: 'crm/1.0',
      on_behalf_of: 'ana@acme.example',
      request_id: headers['X-Request-Id'],
      act: 'webhook.created',
    },
  ]);
});

test('a row of a request signed with a key has the key', async () => {
  const { id: tenantId, apiKey } = await createPayTenant(sql);
  await pay(apiKey, '/webhooks', { url: 'https://hooks.example.invalid/x' });
  const rows = await sql`
    select actor_kind, actor_id, act from admin.changes where tenant_id = ${tenantId} and via = 'api'`;
  const [key] = await sql`select id from api_keys where tenant_id = ${tenantId}`;
  expect([...rows]).toEqual([{ actor_kind: 'api_key', actor_id: key?.id, act: 'payment_webhook.created' }]);
});

test('replacing a secret is recorded without the secret', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const secret = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`;
  const body = { url: 'https://hooks.example.invalid/x', events: ['lead.created'], secret };
  const { body: made } = await records(token, 'POST', '/webhooks', body);
  const change = { secret: `whsec_${Buffer.from('y'.repeat(32)).toString('base64')}` };
  expect((await records(token, 'PATCH', `/webhooks/${made.data.id}`, change)).status).toBe(200);
  const rows = await sql`
    select act, after from admin.changes where tenant_id = ${tenantId} and act = 'webhook.secret_rotated'`;
  expect([...rows]).toEqual([{ act: 'webhook.secret_rotated', after: { secret: 'replaced' } }]);
});

test('replacing header values is recorded without the values', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const body = {
    url: 'https://hooks.example.invalid',
    events: ['lead.created'],
    headers: { 'X-Token': 'first', 'X-Team': 'sales' },
  };
  const { body: made } = await records(token, 'POST', '/webhooks', body);
  const change = async (headers: object) =>
    expect((await records(token, 'PATCH', `/webhooks/${made.data.id}`, { headers })).status).toBe(200);
  await change({ 'X-Token': 'second', 'X-Team': 'sales' });
  await change({ 'X-Token': 'second', 'X-Team': 'sales' });
  await change({ 'X-Token': 'second' });
  const rows = await sql`
    select before, after, summary from admin.changes where tenant_id = ${tenantId} and act = 'webhook.updated' order by id`;
  expect([...rows]).toEqual([
    {
      before: { headers: 'replaced' },
      after: { headers: 'replaced' },
      summary: 'Changed headers of webhook "https://hooks.example.invalid".',
    },
    {
      before: { headers: ['X-Team', 'X-Token'] },
      after: { headers: ['X-Token'] },
      summary: 'Changed headers of webhook "https://hooks.example.invalid".',
    },
  ]);
});

test.each([
  ['https://hooks.example.com', 'https://hooks.example.com'],
  ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443'],
  ['https://hooks.example.com/services/T0/B0/secret', 'https://hooks.example.com/...'],
  ['https://hooks.example.com?token=secret', 'https://hooks.example.com/...'],
  ['https://user:secret@hooks.example.com/#secret', 'https://hooks.example.com/...'],
  ['secret', '...'],
])('for the URL %s, the audit trail shows %s', async (url, shown) => {
  expect(await sql`select private.audited_url(${url}) as shown`).toEqual([{ shown }]);
});

test('a summary names one changed member with its values, and several without', async () => {
  type Row = Record<string, string | number | null>;
  const summaryOf = async (before: Row, after: Row) => {
    const [row] = await sql`
      select private.change_summary('mission.updated', 'mission', 'Demo', ${sql.json(before)}, ${sql.json(after)}, null) as said`;
    return row?.said;
  };
  expect(await summaryOf({ daily_limit: 1 }, { daily_limit: null })).toBe(
    'Cleared daily limit of mission "Demo".',
  );
  expect(await summaryOf({ daily_limit: null }, { daily_limit: 2 })).toBe(
    'Set daily limit of mission "Demo" to 2.',
  );
  expect(await summaryOf({ points: 1, name: 'A' }, { points: 2, name: 'B' })).toBe(
    'Changed name, points of mission "Demo".',
  );
});
