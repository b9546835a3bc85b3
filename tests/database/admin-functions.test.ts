// Functions of the schema admin accept names, slugs and dates instead of ids and timestamps.
import postgres from 'postgres';
import { expect, inject, test } from 'vitest';
import { errorTable } from '../../shared/platform/errors.ts';
import { connectDatabase, createTenant } from '../support/database.ts';

const sql = connectDatabase();

async function newTenant() {
  const { id } = await createTenant(sql);
  const [{ slug } = {}] = await sql`select slug from tenants where id = ${id}`;
  return { id, slug };
}

test('slugs, names and dates work in every combination', async () => {
  const { id, slug } = await newTenant();
  await sql.unsafe(`
    select admin.create_mission('${slug}', 'Demo given', 10);
    select admin.map_activity_code('${slug}', '010', 'demo GIVEN ');
    select admin.map_activity_code(tenant => '${slug}', code => '011', mission => 'Demo given');
    select admin.map_activity_code('${id}'::uuid, '012', 'Demo given');
    select admin.create_season('${slug}', 'bare dates', '2026-03-02', '2026-03-09');
    select admin.create_season('${id}'::uuid, 'moment and date', '2026-03-02 03:00Z'::timestamptz, date '2026-03-02' + 7);
    select admin.create_season('${slug}', 'local time', '2026-03-02 00:00', '2026-03-09T03:00:00Z');
    select admin.set_point_rule('${slug}', 'lead.qualified', 5);
    select admin.set_point_rule('${slug}', 'deal.stage_changed', 5, (select name from pipeline_stages where tenant_id = '${id}' order by position limit 1));
    select * from admin.create_api_key('${slug}', 'CRM', array['default:sync']);
    select * from admin.create_api_key('${slug}', 'Until March', array['default:sync'], 1000, '{}', '2999-03-01');
  `);
  const codes = await sql`select code from mission_codes where tenant_id = ${id} order by code`;
  expect(codes.map(({ code }) => code)).toEqual(['010', '011', '012']);
  const seasons = await sql`select starts_at, ends_at from seasons where tenant_id = ${id}`;
  // Midnight in São Paulo.
  const same = { starts_at: new Date('2026-03-02T03:00Z'), ends_at: new Date('2026-03-09T03:00Z') };
  expect([...seasons]).toEqual([same, same, same]);
  const [key] = await sql`select expires_at from api_keys where tenant_id = ${id} and label = 'Until March'`;
  expect(key?.expires_at).toEqual(new Date('2999-03-01T03:00Z'));
});

test('functions without their own result return a description of the change', async () => {
  const { id, slug } = await newTenant();
  await sql`select admin.create_mission(${slug}::text, 'Call', 5)`;
  const [mapped] = await sql`select admin.map_activity_code(${slug}::text, '020', 'Call'::text) as said`;
  expect(mapped?.said).toBe('Mapped activity code 020 to mission "Call".');
  await sql`
    with person as (insert into collaborators (tenant_id, external_id, name, email) values (${id}, 'ana', 'Ana', 'ana@example.com') returning id)
    insert into activities (tenant_id, collaborator_id, external_id, activity_code)
    select ${id}, id, 'call-' || n, '021' from person, generate_series(1, 2) as n`;
  const [counted] = await sql`select admin.map_activity_code(${slug}::text, '021', 'Call'::text) as said`;
  expect(counted?.said).toBe(
    'Mapped activity code 021 to mission "Call". 2 activities recorded before count too.',
  );
  const [again] = await sql`select admin.map_activity_code(${slug}::text, '020', 'Call'::text) as said`;
  expect(again?.said).toBe('Nothing changed.');
  const [planned] = await sql`select admin.set_plan(${slug}::text, 'enterprise') as said`;
  expect(planned?.said).toBe('Changed the plan from starter to enterprise.');
});

test('with several statements in one message, each returns only its own changes', async () => {
  const { slug } = await newTenant();
  const results = await sql.unsafe<{ said: string }[][]>(
    `select admin.set_plan('${slug}', 'enterprise') as said; select admin.set_plan('${slug}', 'starter') as said`,
  );
  expect([...results].map(([row]) => row?.said)).toEqual([
    'Changed the plan from starter to enterprise.',
    'Changed the plan from enterprise to starter.',
  ]);
});

test('keys, clients and automations are found by name', async () => {
  const { id, slug } = await newTenant();
  await sql`select * from admin.create_api_key(${id}::uuid, 'CRM', array['default:sync'])`;
  await sql`select * from admin.create_oauth_client(${id}::uuid, 'Site', array['admin'])`;
  const [rotated] = await sql`select * from admin.rotate_api_key(${slug}, 'crm')`;
  expect(rotated?.api_key).toMatch(/^sk_test_/);
  const [revoked] = await sql`select admin.revoke_api_key(${slug}, 'CRM') as said`;
  expect(revoked?.said).toBe('Revoked api key "CRM".');
  const [secret] = await sql`select admin.rotate_client_secret(${slug}, 'Site') as secret`;
  expect(secret?.secret).toMatch(/^[0-9A-Za-z]{40}$/);
  const [client] = await sql`select admin.revoke_oauth_client(${slug}, 'Site') as said`;
  expect(client?.said).toBe('Revoked client "Site".');
});

test.each([
  [`select admin.create_mission('nobody', 'x', 1)`, /tenant: tenant "nobody" does not exist; .*demo/],
  [
    `select admin.map_activity_code('demo', '010', 'No such mission')`,
    /mission: "No such mission" does not exist in this tenant/,
  ],
  [`select admin.create_season('demo', 'x', 'March', '2026-03-09')`, /starts_at/],
  [
    `select admin.revoke_api_key('demo', 'No such key')`,
    /label: "No such key" does not exist in this tenant/,
  ],
])('%s', async (statement, message) => {
  await expect(sql.unsafe(statement)).rejects.toThrow(message);
});

test('requests of a tenant include advice, and only its own requests are listed', async () => {
  const { id, slug } = await newTenant();
  const other = await newTenant();
  const log = (tenantId: string, status: number, reason: string | null) => sql`
    insert into request_log (request_id, tenant_id, function, method, path, status, reason, duration_ms)
    values (${crypto.randomUUID()}, ${tenantId}, 'v1', 'GET', '/v1/leads', ${status}, ${reason}, 1)`;
  await log(id, 200, null);
  await log(id, 404, 'not_found');
  await log(id, 503, 'database_away');
  await log(other.id, 404, 'not_found');
  const statuses = async (status: string | null) =>
    (await sql`select status, remedy from admin.requests(${slug}, status => ${status})`)
      .map((row) => row.status)
      .sort();
  expect(await statuses(null)).toEqual([200, 404, 503]);
  expect(await statuses('failed')).toEqual([404, 503]);
  expect(await statuses('4xx')).toEqual([404]);
  const rows = await sql`select status, remedy from admin.requests(${slug})`;
  for (const { status, remedy } of rows) expect(remedy === null).toBe(status < 400);
  const [advice] = await sql`
    select app.remedy(400, 'malformed_body') as body, app.remedy(422, 'idempotency_key_reused') as key,
           app.remedy(400, 'validation') as fields`;
  expect(Object.values(advice ?? {}).map((text) => /fields|JSON|Idempotency-Key/.exec(text)?.[0])).toEqual([
    'JSON',
    'Idempotency-Key',
    'fields',
  ]);
  const failures = new Set(
    Object.values(errorTable).flatMap(({ status }) => (status >= 400 ? [status] : [])),
  );
  const vague = await sql`
    select s from unnest(${[...failures]}::integer[]) as s
    where app.remedy(s, null) is null or app.remedy(s, null) = app.remedy(499, null)`;
  expect([...vague]).toEqual([]);
  const early = sql`select * from admin.requests(${slug}, now() - interval '32 days')`;
  await expect(early).rejects.toThrow(/^from: must be at most 31 days/);
});

test('requests begin and end with dates and times of the tenant, in every combination', async () => {
  const { id, slug } = await newTenant();
  // Half past eleven in the evening of 2 March in São Paulo.
  await sql`
    insert into request_log (request_id, tenant_id, function, method, path, status, duration_ms, at)
    values ('late', ${id}, 'v1', 'GET', '/v1/leads', 200, 1, '2026-03-03T02:30:00Z')`;
  const found = async (times: string) =>
    (await sql.unsafe(`select request_id from admin.requests('${slug}', ${times})`)).length;
  for (const day of [
    `'2026-03-03'`,
    `date '2026-03-03'`,
    `'2026-03-03 00:00'`,
    `'2026-03-03T03:00:00Z'::timestamptz`,
  ]) {
    expect([day, await found(`${day}, '2026-03-04'`)]).toEqual([day, 0]);
    expect([day, await found(`'2026-03-02', ${day}`)]).toEqual([day, 1]);
  }
  const [named] = await sql.unsafe(
    `select count(*)::integer from admin.requests(tenant => '${id}', "from" => '2026-03-02', "to" => date '2026-03-03')`,
  );
  expect(named?.count).toBe(1);
});

test('functions that return an id or a secret describe the change in a notice, others only in their result', async () => {
  const { id, slug } = await newTenant();
  const notices: string[] = [];
  const loud = postgres(inject('stack').database_url, {
    max: 1,
    onnotice: ({ message }) => notices.push(`${message}`),
  });
  await loud.unsafe(`
    select admin.create_mission('${slug}', 'Call', 5);
    select * from admin.create_api_key('${slug}', 'CRM', array['default:sync']);
    select * from admin.rotate_api_key('${slug}', 'CRM');
    select admin.set_point_rule('${slug}', 'deal.won', 5);
    select admin.map_activity_code('${slug}', '010', 'Call');
    select admin.set_plan('${slug}', 'enterprise');
    update missions set points = 6 where tenant_id = '${id}'`);
  await loud.end();
  expect(notices).toEqual([
    'Created mission "Call".',
    'Created api key "CRM".',
    'Rotated api key "CRM".',
    'Created point rule "deal.won".',
  ]);
});

test('functions for due limits and fiscal rules return the change', async () => {
  const { slug } = await newTenant();
  const [limits] = await sql`select admin.set_due_limits(${slug}, 5, 2) as said`;
  expect(limits?.said).toMatch(/^Created due limit /);
  const [same] = await sql`select admin.set_due_limits(${slug}, 5, 2) as said`;
  expect(same?.said).toBe('Nothing changed.');
});

test("every view with tenant_id has the tenant's slug", async () => {
  const without = await sql`
    select c.relname from pg_class c
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant')`;
  expect([...without]).toEqual([]);
});
