// GET callbacks/metrics: figures of known requests, jobs and deliveries. Runs on its own Postgres.
import type postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { createCallbacks } from '../../functions/callbacks/app.ts';
import { METRICS } from '../../shared/platform/metrics/catalog.ts';
import { startOwnFunction } from '../support/functions.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PlatformDatabase, startMigratedDatabase } from './platform-database.ts';

const METRICS_TOKEN = 'metrics-token-of-32-characters-or-more';
const authorized = { Authorization: `Bearer ${METRICS_TOKEN}` };

let db: PlatformDatabase;
beforeAll(async () => {
  db = await startMigratedDatabase();
  // As a replica it can change append-only tables.
  await db.superuser`set session_replication_role = replica`;
});
afterAll(() => db?.stop());
beforeEach(() => {
  const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => quiet.mockRestore();
});

/** A worker of `callbacks` that keeps no answer yet. */
const startWorker = (env: Record<string, string> = {}) =>
  startOwnFunction('callbacks', { SUPABASE_DB_URL: db.url, METRICS_TOKEN, ...env });

/** The same within this process. */
function createWorker({ url = db.url, token = METRICS_TOKEN } = {}) {
  const { QSTASH_URL = '', QSTASH_TOKEN = '', FUNCTIONS_URL = '' } = inject('env');
  return createCallbacks(
    {
      ...{
        APP_ENV: 'staging',
        LOG_LEVEL: 'error',
        CLIENT_ADDRESS_HEADER: '',
        UNKNOWN_CALLER_ROWS: 60,
        DOCS_URL: 'https://placar.dev',
      },
      ...{ SUPABASE_DB_URL: url, DATABASE_POOLER: 'auto', DATABASE_POOL_SIZE: 4 },
      ...{ DATABASE_READ_TIMEOUT_MS: 10_000, DATABASE_TIMEOUT_MS: 30_000 },
      ...{ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL, SWEEP_MAX_JOBS: 20_000 },
      ...{ QSTASH_CURRENT_SIGNING_KEY: 'x', QSTASH_NEXT_SIGNING_KEY: 'x' },
      ...{ OTEL_SERVICE_NAME: 'placar', OTEL_TRACES_SAMPLER_ARG: 1 },
      ...(token && { METRICS_TOKEN: token }),
    },
    () => ({ jobs: {} }),
  );
}

type Series = Record<string, number>;

/** Values by name and labels, as written in the text. Fails for a line that is not in Prometheus format. */
function parse(text: string): Series {
  const series: Series = {};
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (HELP|TYPE) placar_\w+ \S/.test(line)) continue;
    const [, name, value] = /^(placar_\w+(?:\{(?:\w+="[^"]*",?)+\})?) (\S+)$/.exec(line) ?? [];
    expect([line, Number.isFinite(Number(value))]).toEqual([line, true]);
    series[name ?? ''] = Number(value);
  }
  return series;
}

async function scrape(app = createWorker()): Promise<Series> {
  const response = await app.request('/callbacks/metrics', { headers: authorized });
  expect(response.status).toBe(200);
  return parse(await response.text());
}

/** The series that changed, with their difference. */
const grown = (before: Series, after: Series, prefix: string) =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => name.startsWith(prefix) && value !== (before[name] ?? 0))
      .map(([name, value]) => [name.slice(prefix.length), value - (before[name] ?? 0)]),
  );

/** Without the scrapes. */
const ofRecords = (series: Series) =>
  Object.fromEntries(Object.entries(series).filter(([name]) => name.includes('function="v1"')));

/** Moves logged requests and finished jobs into the past, and sums them. */
async function sumUp() {
  await db.superuser.unsafe(`
    update public.request_log set at = at - interval '3 minutes';
    update public.jobs set finished_at = finished_at - interval '3 minutes';
    update private.metric_sums set value = extract(epoch from date_trunc('minute', now()) - interval '6 minutes')
    where metric = 'placar_metrics_summed_timestamp_seconds'`);
  await db.sql`select app.roll_up_metrics()`;
  await db.superuser`delete from public.request_log`;
  await db.superuser`update public.jobs set finished_at = finished_at - interval '1 hour'`;
}

const logRow = (more: Record<string, unknown>) => db.sql`
  insert into public.request_log ${db.sql({
    ...{ request_id: 'r', function: 'v1', method: 'GET', path: '/v1/leads', status: 200, duration_ms: 7 },
    ...more,
  })}`;

describe('values', () => {
  test('of requests that a worker served survive its restart and the deletion of their rows', async () => {
    const { baseUrl, edge } = await startWorker();
    const ask = (path: string, init?: RequestInit) => fetch(`${baseUrl}/callbacks${path}`, init);
    const read = async () => parse(await (await ask('/metrics', { headers: authorized })).text());
    const before = await read();
    await Promise.all([ask('/nothing'), ask('/nothing'), ask('/metrics'), ask('/sweep', { method: 'POST' })]);
    await waitFor(async () => {
      const [row] =
        await db.sql`select count(*)::integer as n from public.request_log where function = 'callbacks'`;
      return row?.n === 5;
    });
    await sumUp();
    // The answer is kept.
    expect(await read()).toEqual(before);
    edge.crash();
    const after = await waitFor(() => read().catch(() => undefined));
    expect(grown(before, after, 'placar_requests_total')).toEqual({
      '{status="200",function="callbacks"}': 1,
      '{status="401",function="callbacks"}': 2,
      '{status="404",function="callbacks"}': 2,
    });
    expect(grown(before, after, 'placar_requests_refused_total')).toEqual({
      '{reason="missing",function="callbacks"}': 2,
      '{reason="not_found",function="callbacks"}': 2,
    });
    expect(after['placar_request_duration_seconds_count{function="callbacks"}']).toBe(5);
    expect(after['placar_database_wait_seconds_count{function="callbacks"}']).toBeGreaterThan(0);
  });

  test('of requests by duration, wait and number', async () => {
    const before = await scrape();
    await logRow({ duration_ms: 5 });
    await logRow({ duration_ms: 6, waited_ms: 2000 });
    await logRow({ duration_ms: 30_001, status: 503, reason: 'database_away' });
    await logRow({ request_id: 'sum', duration_ms: 0, requests: 40, status: 401, reason: 'unknown_key' });
    await sumUp();
    const after = await scrape();
    const named = (name: string, unit: string) =>
      ofRecords(grown(before, after, `placar_${name}_seconds_${unit}`));
    expect(ofRecords(grown(before, after, 'placar_requests_total'))).toEqual({
      '{status="200",function="v1"}': 2,
      '{status="401",function="v1"}': 40,
      '{status="503",function="v1"}': 1,
    });
    const bounds = [
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.1',
      '0.25',
      '0.5',
      '1',
      '2.5',
      '5',
      '10',
      '30',
      '+Inf',
    ];
    const buckets = (from: string, counts: number[]) =>
      Object.fromEntries(
        bounds
          .slice(bounds.indexOf(from))
          .map((le, i) => [`{le="${le}",function="v1"}`, counts[i] ?? counts.at(-1)]),
      );
    expect(named('request_duration', 'bucket')).toEqual({
      ...buckets('0.005', [1, 2]),
      '{le="+Inf",function="v1"}': 3,
    });
    expect(named('request_duration', 'sum')).toEqual({ '{function="v1"}': 30.012 });
    expect(named('request_duration', 'count')).toEqual({ '{function="v1"}': 3 });
    expect(named('database_wait', 'bucket')).toEqual(buckets('2.5', [1]));
    expect(named('database_wait', 'sum')).toEqual({ '{function="v1"}': 2 });
    expect(named('database_wait', 'count')).toEqual({ '{function="v1"}': 1 });
  });

  test('of jobs, deliveries, accounts, payouts and alerts', async () => {
    const before = await scrape();
    await db.superuser.unsafe(`
      insert into public.tenants (id, name, slug, plan) values ('00000000-0000-4000-8000-00000000000a', 'A', 'a', 'starter');
      insert into public.webhook_endpoints (id, tenant_id, interface, url, paused_at)
      select gen_random_uuid(), '00000000-0000-4000-8000-00000000000a', interface, 'https://hooks.example', paused
      from (values ('payments', null), ('payments', now()), ('records', null)) as w (interface, paused);
      insert into public.webhook_deliveries (id, tenant_id, endpoint_id, event_id, status, next_at)
      select 'whd_' || n, w.tenant_id, w.id, 'evt_' || n, (array['delivered', 'failed', 'pending'])[n], case n when 3 then now() end
      from public.webhook_endpoints w, generate_series(1, 3) as n where w.interface = 'payments' and w.paused_at is null;
      insert into public.jobs (name, key, lane, finished_at)
      select 'deliver-webhook', d.id, 'webhook-' || d.endpoint_id, case d.status when 'pending' then null else now() end
      from public.webhook_deliveries d;
      insert into public.jobs (name, key, due_at, locked_until, failed_at) values
        ('recount', '1', now() - interval '1 hour', null, null), ('recount', '2', now(), now() + interval '1 minute', null),
        ('recount', '3', now(), null, now()), ('recount', '4', now() + interval '1 hour', null, null);
      insert into public.provider_accounts (tenant_id, id, provider, status, reason)
      values ('00000000-0000-4000-8000-00000000000a', 'pacc_1', 'wise', 'failing', 'x');
      insert into public.payouts (tenant_id, id, amount, currency, region, beneficiary, purpose, provider, our_number, status, approval, created, ordered_at)
      select '00000000-0000-4000-8000-00000000000a', 'po_' || p.number, 500, 'BRL', 'BR', '{}', 'prize', 'sandbox', 'PO-' || p.number, p.status,
             p.approval, now(), p.ordered_at
      from (values (1, 'creating', null, now() - interval '2 minutes'), (2, 'created', 'waiting', null),
                   (3, 'incoming_payment_waiting', null, now())) as p (number, status, approval, ordered_at)`);
    await sumUp();
    const after = await scrape();
    expect(after['placar_jobs_oldest_due_seconds{name="recount"}']).toBeGreaterThan(3599);
    expect(after['placar_webhook_oldest_pending_seconds{interface="payments"}']).toBeGreaterThan(0);
    expect(after.placar_metrics_summed_timestamp_seconds).toBeLessThanOrEqual(Date.now() / 1000 - 30);
    const changed = grown(before, after, 'placar_');
    expect(changed).toMatchObject({
      'jobs_due{name="recount"}': 1,
      'jobs_due{name="deliver-webhook"}': 1,
      'jobs_running{name="recount"}': 1,
      'jobs_given_up{name="recount"}': 1,
      'jobs_finished_total{name="deliver-webhook"}': 2,
      'webhook_deliveries_pending{interface="payments"}': 1,
      'webhook_deliveries_total{outcome="delivered",interface="payments"}': 1,
      'webhook_deliveries_total{outcome="failed",interface="payments"}': 1,
      'webhook_endpoints{status="active",interface="payments"}': 1,
      'webhook_endpoints{status="paused",interface="payments"}': 1,
      'webhook_endpoints{status="active",interface="records"}': 1,
      'provider_accounts{status="failing",provider="wise"}': 1,
      'orders_unknown{kind="payout"}': 1,
      'payouts_waiting{waits_for="approval"}': 1,
      'payouts_waiting{waits_for="funding"}': 1,
      'alerts{alert="failing_provider_accounts",severity="page"}': 1,
      'tenants{plan="starter"}': 1,
    });
    // Deleting finished jobs does not change the counters.
    await db.superuser`delete from public.jobs where finished_at is not null`;
    await sumUp();
    expect(await scrape()).toMatchObject({ 'placar_jobs_finished_total{name="deliver-webhook"}': 2 });
  });

  test('of the database', async () => {
    await db.superuser.unsafe(
      `do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$`,
    );
    const series = await scrape();
    await db.superuser.unsafe(
      `do $$ begin execute format('alter database %I reset default_transaction_read_only', current_database()); end $$`,
    );
    expect(series).toMatchObject({
      placar_database_read_only: 1,
      'placar_alerts{alert="read_only",severity="page"}': 1,
      'placar_database_connections{state="active"}': expect.any(Number),
    });
    expect(series.placar_database_size_bytes).toBeGreaterThan(1_000_000);
    expect(series.placar_database_connections_max).toBeGreaterThan(10);
    const tables = Object.keys(series).filter((name) => name.startsWith('placar_table_size_bytes'));
    expect(tables).toHaveLength(20);
    expect(tables).toContain('placar_table_size_bytes{table="public.request_log"}');
    expect((await scrape()).placar_database_read_only).toBe(0);
  });
});

test('200 tenants add no series, and the text contains nothing of theirs', async () => {
  await logRow({ tenant_id: crypto.randomUUID(), path: '/v1/leads' });
  await sumUp();
  const before = await scrape();
  await db.superuser.unsafe(`
    insert into public.tenants (name, slug, plan) select 'Customer ' || n, 'customer-' || n, 'starter' from generate_series(1, 200) as n;
    insert into public.request_log (tenant_id, request_id, function, method, path, status, duration_ms)
    select t.id, 'r', 'v1', 'GET', '/v1/leads/' || t.slug, 200, 7 from public.tenants t;
    insert into public.request_log (tenant_id, request_id, function, method, path, status, reason, duration_ms)
    select t.id, 'r', 'v1', 'GET', '/', 500, 'Reason of ' || t.slug, 7 from public.tenants t;
    insert into public.jobs (tenant_id, name, key) select t.id, 'recount', t.slug from public.tenants t`);
  await sumUp();
  const after = await scrape();
  expect(Object.keys(ofRecords(grown(before, after, 'placar_requests'))).sort()).toEqual([
    '_refused_total{reason="other",function="v1"}',
    '_total{status="200",function="v1"}',
    '_total{status="500",function="v1"}',
  ]);
  expect(after['placar_tenants{plan="starter"}']).toBe((before['placar_tenants{plan="starter"}'] ?? 0) + 200);
  const alerts = (series: Series) => Object.keys(series).filter((name) => name.startsWith('placar_alerts'));
  const added =
    Object.keys(after).length - Object.keys(before).length - alerts(after).length + alerts(before).length;
  expect(added).toBe(2);
  expect(JSON.stringify(after)).not.toMatch(/customer|[0-9a-f]{8}-[0-9a-f]{4}/i);
});

test('every metric is described, and the database measures no others', async () => {
  const app = createWorker();
  const response = await app.request('/callbacks/metrics', { headers: authorized });
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  const described = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => [name, type]);
  expect(described).toEqual(METRICS.map(({ name, type }) => [name, type]));
  const measured = await db.sql`
    select distinct regexp_replace(metric, '_(bucket|sum|count)$', '') as name from (
      select metric from app.measure_counters() union all select metric from app.measure_jobs()
      union all select metric from app.measure_webhooks() union all select metric from app.measure_payments()
      union all select metric from app.measure_database() union all select metric from app.measure_alerts()
      union all select metric from app.measure_tenants()) as all_metrics`;
  const names = METRICS.map(({ name }) => name);
  expect(measured.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([]);
});

describe('the response is', () => {
  const NOWHERE = 'postgres://postgres@127.0.0.1:1/postgres';

  test.each([
    ['without a token', {}, 'Bearer realm="placar"'],
    ['with another token', { Authorization: `Bearer ${METRICS_TOKEN}x` }, 'Bearer realm="placar"'],
    ['with another scheme', { Authorization: METRICS_TOKEN }, 'Bearer realm="placar"'],
  ])('401 %s, without a database query', async (_, headers, challenge) => {
    const response = await createWorker({ url: NOWHERE }).request('/callbacks/metrics', { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, challenge]);
  });

  test('404 without the setting', async () => {
    const response = await createWorker({ token: '' }).request('/callbacks/metrics', {
      headers: authorized,
    });
    expect(response.status).toBe(404);
  });

  test.each(['HEAD', 'POST'])('405 for %s', async (method) => {
    const response = await createWorker().request('/callbacks/metrics', { method, headers: authorized });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });

  test('503 without a database, and while it is slow', async () => {
    const ask = (app: ReturnType<typeof createWorker>) =>
      app.request('/callbacks/metrics', { headers: authorized });
    expect((await ask(createWorker({ url: NOWHERE }))).status).toBe(503);
    const app = createWorker();
    await db.superuser.begin(async (tx) => {
      await tx`lock table private.metric_sums in access exclusive mode`;
      const response = await ask(app);
      expect([response.status, Number(response.headers.get('retry-after'))]).toEqual([
        503,
        expect.any(Number),
      ]);
      // It does not go on in the database.
      await waitFor(async () => {
        const rows =
          await tx`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%measure_counters%'`;
        return rows.length === 0;
      });
    });
    expect((await ask(app)).status).toBe(200);
  });
});

test('concurrent sums count every row once, and a long gap is closed in steps', async () => {
  const before = await scrape();
  await db.superuser.unsafe(`
    update private.metric_sums set value = extract(epoch from date_trunc('minute', now()) - interval '25 minutes')
    where metric = 'placar_metrics_summed_timestamp_seconds'`);
  await logRow({ at: new Date(Date.now() - 20 * 60_000), function: 'oauth' });
  const sum = async (sql: postgres.ISql) => (await sql`select app.roll_up_metrics() as minutes`)[0]?.minutes;
  await db.sql.begin(async (tx) => {
    expect(await sum(tx)).toBe(10);
    expect(await sum(db.sql)).toBe(0);
  });
  expect(await sum(db.sql)).toBe(10);
  await sum(db.sql);
  expect(grown(before, await scrape(), 'placar_requests_total{status="200",function="oauth"}')).toEqual({
    '': 1,
  });
});
