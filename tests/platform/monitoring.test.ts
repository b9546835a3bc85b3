// Each alert, read with the login for monitoring: off, on after trouble is planted, and off again. Runs on its own Postgres.
import { readFileSync } from 'node:fs';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSums } from '../../clients/typescript/src/cli/tenant/sums.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PlatformDatabase, startMigratedDatabase } from './platform-database.ts';

let db: PlatformDatabase;
let monitor: postgres.Sql;
let tenant: string;
beforeAll(async () => {
  db = await startMigratedDatabase();
  const [login] = await db.sql`select * from admin.create_monitor()`;
  const url = new URL(db.url);
  url.username = login?.role;
  url.password = login?.password;
  monitor = postgres(url.href, { max: 1, onnotice: () => {} });
  const [made] = await db.sql`select admin.create_tenant('Acme', 'acme', 'starter') as id`;
  tenant = made?.id;
  await db.sql`
    insert into public.provider_accounts (tenant_id, id, provider, status) values (${tenant}, 'pacc_1', 'wise', 'active')`;
});
afterAll(async () => {
  await monitor?.end({ timeout: 1 });
  await db?.stop();
});

const page = readFileSync(new URL('../../docs/operations/alerts.md', import.meta.url), 'utf8');
const blocks = Array.from(page.matchAll(/^```sql\n([\s\S]*?)^```/gm), ([, block = '']) => block);

interface Trouble {
  plant: string;
  mend: string;
  row: object;
}

const logRow = (count: number, status: number, reason: string) => `
  insert into public.request_log (at, request_id, function, method, path, status, reason, requests, ip, duration_ms)
  values (now(), gen_random_uuid(), 'payments', 'GET', '/payments/invoices', ${status}, '${reason}', ${count}, '203.0.113.9', 1)`;

const thisMonth = `'request_log_' || to_char(now() at time zone 'UTC', 'YYYY_MM')`;

/** How to trigger and clear each alert. */
const troubles: Readonly<Record<string, Trouble>> = {
  overdue_jobs: {
    plant: `insert into public.jobs (name, key, due_at) values ('recount', 'x', now() - interval '6 minutes')`,
    mend: `delete from public.jobs`,
    row: { name: 'recount', overdue: '1', since: expect.any(Date) },
  },
  sweep_silent: {
    plant: `update private.sweep_runs set last_run = now() - interval '4 minutes'`,
    mend: `select app.record_sweep()`,
    row: { last_run: expect.any(Date), silent_for: expect.stringContaining('00:04') },
  },
  failed_jobs: {
    plant: `insert into public.jobs (name, key, failed_at, last_error)
            values ('send-mail', 'x', now(), 'cannot write "ana@acme.example" to bia@acme.example ' || repeat('x', 300))`,
    mend: `delete from public.jobs`,
    row: {
      name: 'send-mail',
      failed: '1',
      last_error: expect.stringMatching(/^cannot write \.\.\. to \.\.\. x{20,}$/),
    },
  },
  failing_requests: {
    plant: logRow(6, 500, 'internal_error'),
    mend: `delete from public.request_log`,
    row: {
      function: 'payments',
      reason: 'internal_error',
      failed: '6',
      requests: '6',
      since: expect.any(Date),
    },
  },
  refused_callers: {
    plant: logRow(101, 401, 'unknown_key'),
    mend: `delete from public.request_log`,
    row: {
      api_key_id: null,
      client_id: null,
      ip: '203.0.113.9',
      reason: 'unknown_key',
      refused: '101',
      since: expect.any(Date),
    },
  },
  failing_provider_accounts: {
    plant: `update public.provider_accounts set status = 'failing', reason = 'the provider rejects the API key'`,
    mend: `update public.provider_accounts set status = 'active', reason = null`,
    row: { tenant: 'acme', provider: 'wise', id: 'pacc_1', reason: 'the provider rejects the API key' },
  },
  provider_differences: {
    plant: `insert into public.provider_differences (tenant_id, account_id, kind, subject)
            select tenant_id, id, 'missing_order', 'po_1' from public.provider_accounts`,
    mend: `update public.provider_differences set resolved_at = now()`,
    row: { account_id: 'pacc_1', kind: 'missing_order', found_at: expect.any(Date) },
  },
  waiting_payouts: {
    plant: payout(`'created', 'waiting', now() - interval '25 hours', null, null`),
    mend: `delete from public.payouts`,
    row: { payout_id: 'po_1', waits_for: 'approval' },
  },
  unknown_orders: {
    plant: payout(`'creating', null, now() - interval '1 hour', now() - interval '16 minutes', null`),
    mend: `delete from public.payouts`,
    row: { kind: 'payout', orders: '1', since: expect.any(Date) },
  },
  point_differences: {
    plant: `insert into public.players (tenant_id, email) select id, 'ana@acme.example' from public.tenants;
            insert into public.point_entries (tenant_id, player_id, reason, points, note) select tenant_id, id, 'adjustment', 5, 'x' from public.players;
            update public.players set total_points = 7;
            select app.check_points(null, null, 10)`,
    mend: `update public.players set total_points = 5; select app.check_points(null, null, 10)`,
    row: { player_id: expect.any(String), found_at: expect.any(Date) },
  },
  deactivated_webhooks: {
    plant: `insert into public.webhook_endpoints (tenant_id, interface, url, events, active, deactivated_at)
            select id, 'payments', 'https://hooks.example/x', array['invoice.paid'], false, now() from public.tenants`,
    mend: `delete from public.webhook_endpoints`,
    row: { interface: 'payments', endpoint_id: expect.any(String), deactivated_at: expect.any(Date) },
  },
  missing_partitions: {
    plant: `do $$ begin execute format('alter table public.request_log detach partition public.%I', ${thisMonth}); end $$`,
    mend: `do $$ begin execute format('drop table public.%I', ${thisMonth}); end $$; select app.maintain_request_log()`,
    row: { table_name: 'request_log', month: expect.stringMatching(/^\d{4}-\d\d$/), state: 'detached' },
  },
  tables_behind: {
    plant: `insert into public.jobs (name, key) select 'dead', n::text from generate_series(1, 100001) as n;
            delete from public.jobs;
            select pg_stat_force_next_flush()`,
    mend: `vacuum public.jobs`,
    row: { table_name: 'public.jobs', dead_rows: expect.any(String) },
  },
  stalled_moves: {
    plant: `insert into private.tenant_moves (tenant_id, slug, direction, moved_to, progressed_at)
            select id, slug, 'out', 'https://new.example', now() - interval '11 minutes' from public.tenants`,
    mend: `delete from private.tenant_moves`,
    row: { move_id: expect.any(String), state: 'copying', since: expect.any(Date) },
  },
  read_only: {
    plant: `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    mend: `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
    row: { since: expect.any(Date) },
  },
};

function payout(values: string): string {
  return `insert into public.payouts (tenant_id, id, amount, currency, region, beneficiary, purpose, provider, our_number,
            status, approval, created, ordered_at, funding)
          select id, 'po_1', 500, 'BRL', 'BR', '{}', 'prize', 'sandbox', 'PO-1', ${values} from public.tenants`;
}

const views = async () =>
  (await db.sql`select viewname as name from pg_views where schemaname = 'monitor' order by 1`).map(
    ({ name }) => name,
  );

test('each view reports a planted problem', async () => {
  expect(await views()).toEqual(
    [...Object.keys(troubles), 'connections', 'long_transactions', 'alerts', 'heartbeat'].sort(),
  );
});

test('the page queries each view and no others', async () => {
  const asked = blocks.flatMap((block) =>
    Array.from(block.matchAll(/from (\S+?);/g), ([, name = '']) => name),
  );
  expect(asked.sort()).toEqual((await views()).map((name) => `monitor.${name}`).sort());
});

test.each(Object.entries(troubles))('%s', async (name, { plant, mend, row }) => {
  const rows = () => monitor.unsafe(`select * from monitor.${name}`);
  const alerts = async () =>
    (await monitor`select alert, rows from monitor.alerts`).map(({ alert }) => alert);
  // An existing session, which can undo a read-only database. As a replica it can change append-only tables.
  const session = db.superuser;
  await session`set session_replication_role = replica`;
  try {
    expect([...(await rows())]).toEqual([]);
    await session.unsafe(plant);
    expect([...(await rows())]).toMatchObject([row]);
    expect(await alerts()).toContain(name);
    if ('since' in row)
      expect(
        (await monitor`select since from monitor.alerts where alert = ${name}`)[0]?.since,
      ).toBeInstanceOf(Date);
  } finally {
    await session.unsafe(mend);
  }
  expect([...(await rows())]).toEqual([]);
});

test('rows of a month without a partition are reported, and moved to it by the maintenance', async () => {
  const monthOf = (table: string) => db.sql`
    select tableoid::regclass::text as stored_in, count(*)::integer as rows from ${db.sql(table)}
    where at >= '2041-03-01Z' and at < '2041-04-01Z' group by 1`;
  await db.sql.unsafe(logRow(1, 200, 'ok').replace('now()', "'2041-03-05T10:00:00Z'"));
  await db.sql`
    insert into admin_changes (at, via, actor_kind, act, subject_kind, summary)
    values ('2041-03-05T10:00:00Z', 'sql', 'role', 'created', 'mission', 'x')`;
  expect([...(await monthOf('request_log'))]).toEqual([{ stored_in: 'request_log_default', rows: 1 }]);
  expect([...(await monitor`select * from monitor.missing_partitions`)]).toEqual([
    { table_name: 'request_log', month: '2041-03', state: 'rows in request_log_default' },
  ]);
  // More rows than may be moved while requests wait stay where they are.
  await db.sql`select private.create_month_partition('request_log', '2041-03-01', 'Request log', 0)`;
  expect([...(await monthOf('request_log'))]).toEqual([{ stored_in: 'request_log_default', rows: 1 }]);
  await db.sql`select app.maintain_request_log(), app.maintain_changes()`;
  expect([...(await monthOf('request_log'))]).toEqual([{ stored_in: 'request_log_2041_03', rows: 1 }]);
  expect([...(await monthOf('admin_changes'))]).toEqual([{ stored_in: 'admin_changes_2041_03', rows: 1 }]);
  expect([...(await monitor`select * from monitor.missing_partitions`)]).toEqual([]);
  await expect(db.sql`delete from request_log where at > '2041-01-01'`).rejects.toThrow('append-only');
  const indexes = (table: string) => db.sql`select from pg_indexes where tablename = ${table}`;
  expect(await indexes('request_log_2041_03')).toHaveLength((await indexes('request_log_default')).length);
});

test('an account is failing since its status changed, regardless of later checks', async () => {
  const since = async () => (await monitor`select since from monitor.failing_provider_accounts`)[0]?.since;
  const set = (status: string) => db.sql`update public.provider_accounts set status = ${status}`;
  await set('failing');
  const first = await since();
  await db.sql`update public.provider_accounts set status = status, checked_at = now()`;
  expect(await since()).toEqual(first);
  await set('active');
  await set('failing');
  expect((await since()).getTime()).toBeGreaterThan(first.getTime());
  await set('active');
});

test('read_only, set for the whole server: seen by logins without a setting of their own', async () => {
  await db.sql`select app.record_sweep()`;
  const [swept] = await db.sql`select last_run from private.sweep_runs`;
  const seen = async () =>
    await db.sql`select since, (select count(*)::integer from monitor.alerts where alert = 'read_only') as alerts from monitor.read_only`;
  await db.superuser`alter system set default_transaction_read_only = on`;
  await db.superuser`select pg_reload_conf()`;
  await waitFor(async () => (await seen()).length === 1);
  expect(await seen()).toEqual([{ since: swept?.last_run, alerts: 1 }]);
  await db.superuser`alter system reset default_transaction_read_only`;
  await db.superuser`select pg_reload_conf()`;
  await waitFor(async () => (await seen()).length === 0);
});

test('a refund with an unknown outcome is an unknown order, and a move compares it', async () => {
  const [row] = await db.superuser.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    return await tx`
      insert into public.refunds (tenant_id, invoice_id, amount, currency, provider, ordered_at)
      values (${tenant}, 'in_1', 500, 'BRL', 'asaas', now() - interval '16 minutes') returning id`;
  });
  expect([...(await monitor`select kind, orders from monitor.unknown_orders`)]).toEqual([
    { kind: 'refund', orders: '1' },
  ]);
  const measured = await db.sql`select value from app.measure_payments() where labels = '{"kind": "refund"}'`;
  expect([...measured]).toEqual([{ value: 1 }]);
  expect(await readSums({ sql: db.sql } as never, tenant)).toMatchObject({ 'open refunds': '1' });
  await db.superuser.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`delete from public.refunds where id = ${row?.id}`;
  });
});

test('connections', async () => {
  const rows = () => monitor`select * from monitor.connections`;
  expect([...(await rows())]).toEqual([]);
  const [allowed] = await db.sql<
    { most: number }[]
  >`select current_setting('max_connections')::integer as most`;
  const more = Array.from({ length: Math.ceil((allowed?.most ?? 0) * 0.8) }, () =>
    postgres(db.url, { max: 1 }),
  );
  await Promise.all(more.map((one) => one`select 1`));
  expect([...(await rows())]).toMatchObject([{ used: expect.any(String), allowed: expect.any(Number) }]);
  await Promise.all(more.map((one) => one.end()));
  await waitFor(async () => (await rows()).length === 0);
});

test('long_transactions, with a threshold of zero', async () => {
  const [view] = await db.sql`select pg_get_viewdef('monitor.long_transactions'::regclass) as definition`;
  const definition: string = view?.definition;
  expect(definition).toContain("'00:10:00'::interval");
  await db.sql.unsafe(
    `create view monitor.open_transactions as ${definition.replace('00:10:00', '00:00:00')}`,
  );
  await db.sql`grant select on monitor.open_transactions to placar_monitor`;
  await db.superuser.begin(async (tx) => {
    await tx`select 1`;
    const rows = await monitor`select * from monitor.open_transactions where state = 'idle in transaction'`;
    expect([...rows]).toEqual([
      { role: expect.any(String), since: expect.any(Date), state: 'idle in transaction' },
    ]);
  });
  await db.sql`drop view monitor.open_transactions`;
});

test('no alert is active, and the heartbeat has a row', async () => {
  expect([...(await monitor`select alert from monitor.alerts`)]).toEqual([]);
  expect(await monitor`select at from monitor.heartbeat`).toMatchObject([{ at: expect.any(Date) }]);
  for (const block of blocks) await monitor.unsafe(block);
});

describe('the monitoring login must not', () => {
  test.each([
    ['read a table', 'select * from public.tenants'],
    ['read a view of admins', 'select * from admin.tenants'],
    ['call a function of admins', `select admin.create_tenant('x', 'x', 'starter')`],
    ['write', 'create table public.x (y integer)'],
    [
      'write with another setting',
      'set default_transaction_read_only = off; create table public.x (y integer)',
    ],
    [
      'make a temporary table',
      'set default_transaction_read_only = off; create temporary table x (y integer)',
    ],
    ['read Vault', 'select * from vault.decrypted_secrets'],
    ['become the owner', 'set role postgres'],
    ['become a role of requests', 'set role api'],
  ])('%s', async (_, statement) => {
    await expect(monitor.unsafe(statement)).rejects.toThrow(/permission denied|read-only/);
  });
});

test('rejects names that exist or are invalid', async () => {
  await expect(db.sql`select admin.create_monitor()`).rejects.toThrow(/exists already/);
  await expect(db.sql`select admin.create_monitor('postgres2')`).rejects.toThrow(/not a valid name/);
});
