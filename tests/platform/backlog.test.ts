// How the sweep publishes a backlog of overdue jobs, as after a long outage. Runs on its own Postgres.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { dailyMaintenance } from '../../shared/platform/jobs/daily-maintenance.ts';
import type { JobMessage } from '../../shared/platform/jobs/publish.ts';
import { sweep } from '../../shared/platform/jobs/sweep.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { openDatabase } from '../support/database.ts';
import { type PlatformDatabase, startMigratedDatabase, urlForFunctions } from './platform-database.ts';

let db: PlatformDatabase;
let functionsUrl: string;
beforeAll(async () => {
  db = await startMigratedDatabase();
  functionsUrl = await urlForFunctions(db);
  // Migrations create jobs, too.
  await db.sql`delete from jobs`;
});
afterAll(() => db?.stop());
afterEach(() => db.sql`delete from jobs`);

/** Runs a sweep whose messages QStash accepts or rejects. Returns the published jobs by round. */
async function sweepOnce({
  maxJobs = 20_000,
  accepts = () => true,
}: {
  maxJobs?: number;
  accepts?: () => boolean;
} = {}) {
  await db.sql`insert into jobs (name, key, finished_at) values ('daily-maintenance', current_date::text, now()) on conflict do nothing`;
  const rounds: JobMessage[][] = [];
  const queue = {
    publish: async (jobs: JobMessage[]) => {
      if (!accepts()) return false;
      rounds.push(jobs);
      return true;
    },
    handOff: async () => true,
  };
  const database = openDatabase({ SUPABASE_DB_URL: functionsUrl });
  await sweep({ database, queue, log: silentLogger }, { scheduleUnfinished: () => [], maxJobs });
  return rounds;
}

async function addTenant(jobs: number, dueSecondsAgo: number): Promise<string> {
  const slug = `t${crypto.randomUUID()}`;
  const [tenant] = await db.sql`select admin.create_tenant('T', ${slug}) as id`;
  // Without triggers: one of them collects the jobs of a transaction, which is slow for so many.
  await db.superuser.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.jobs (tenant_id, name, key, due_at)
      select ${tenant?.id}, 'backlog', ${slug} || n, now() - make_interval(secs => ${dueSecondsAgo})
      from generate_series(1, ${jobs}) as n`;
  });
  return tenant?.id;
}

const announced = () =>
  db.sql`select id, announcements from jobs where name = 'backlog' and published_at is not null`;

test('publishes 30 000 jobs of one tenant once each; a job of another tenant is in the first round', async () => {
  await addTenant(30_000, 3600);
  const small = await addTenant(1, 1);
  const rounds = await sweepOnce();
  const [own] = await db.sql`select id from jobs where tenant_id = ${small}`;
  expect(rounds[0]?.map(({ id }) => id)).toContain(own?.id);
  // Further sweeps on slow machines: a sweep stops after 20 s.
  for (let more = await sweepOnce(); more.flat().length > 0; more = await sweepOnce()) rounds.push(...more);
  const all = rounds.flat().map(({ id }) => id);
  expect(all).toHaveLength(30_001);
  expect(new Set(all).size).toBe(30_001);
});

test('concurrent sweeps publish no job twice', async () => {
  await addTenant(3000, 60);
  const both = await Promise.all([sweepOnce(), sweepOnce()]);
  const ids = both.flat(2).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  await sweepOnce();
  expect(await announced()).toHaveLength(3000);
});

test('a sweep stops at its maximum', async () => {
  await addTenant(1500, 60);
  expect((await sweepOnce({ maxJobs: 600 })).flat()).toHaveLength(600);
});

test('the next sweep publishes jobs that QStash did not accept', async () => {
  await addTenant(700, 60);
  let calls = 0;
  expect((await sweepOnce({ accepts: () => ++calls === 1 })).flat()).toHaveLength(500);
  expect(await announced()).toHaveLength(500);
  expect((await sweepOnce()).flat()).toHaveLength(200);
});

test('publishes a lost message again after 60 s, then after 120, 240 and at most 300 s', async () => {
  await addTenant(1, 3600);
  expect((await sweepOnce()).flat()).toHaveLength(1);
  for (const [announcements, seconds] of [60, 120, 240, 300, 300].entries()) {
    const after = (secondsAgo: number) =>
      db.sql`update jobs set published_at = now() - make_interval(secs => ${secondsAgo}) where name = 'backlog'`;
    await after(seconds - 5);
    expect((await sweepOnce()).flat()).toEqual([]);
    await after(seconds + 1);
    expect((await sweepOnce()).flat()).toHaveLength(1);
    expect(await announced()).toMatchObject([{ announcements: announcements + 2 }]);
  }
});

test('publishing and claiming a job write no index entries, and busy tables are vacuumed early', async () => {
  await addTenant(2000, 60);
  await db.sql`vacuum jobs`;
  const updates = async () => {
    await db.superuser`select pg_stat_force_next_flush()`;
    const [row] = await db.superuser<{ all: number; hot: number }[]>`
      select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables where relid = 'public.jobs'::regclass`;
    return row ?? { all: 0, hot: 0 };
  };
  const before = await updates();
  // Like workers: some jobs at a time, each from its publication to its end.
  for (let group = 0; group < 40; group++) {
    const own = db.superuser`name = 'backlog' and hashtext(key) % 40 in (${group}, ${-group})`;
    await db.superuser`update public.jobs set published_at = now(), announcements = announcements + 1 where ${own}`;
    await db.superuser`update public.jobs set locked_until = now(), attempts = attempts + 1, announcements = 0 where ${own}`;
    await db.superuser`update public.jobs set finished_at = now(), locked_until = null where ${own}`;
  }
  const after = await updates();
  expect(after.all - before.all).toBe(6000);
  expect((after.hot - before.hot) / 6000).toBeGreaterThanOrEqual(0.4);
  const options = await db.sql`
    select relname, reloptions from pg_class
    where relnamespace = 'public'::regnamespace and reloptions is not null and relkind = 'r'
      and relname not like 'request_log%' and relname not like 'admin_changes%'
    order by relname`;
  expect(options.map(({ relname }) => relname)).toEqual([
    'event_feeds',
    'idempotency_keys',
    'jobs',
    'players',
    'point_days',
    'request_answers',
    'webhook_deliveries',
  ]);
  for (const { reloptions } of options) expect(reloptions).toContain('autovacuum_vacuum_scale_factor=0.02');
});

test('rows of past months of the request log are frozen immediately', async () => {
  const frozen = async () =>
    (
      await db.sql`select relname as name from pg_class where reloptions @> '{autovacuum_freeze_min_age=0}' order by 1`
    ).map(({ name }) => name);
  await db.sql`select private.create_request_log_partition(now()::date - 70)`;
  const { run } = dailyMaintenance;
  const database = openDatabase({ SUPABASE_DB_URL: functionsUrl });
  const job = {
    id: crypto.randomUUID(),
    tenantId: null,
    name: 'daily-maintenance',
    payload: {},
    attempts: 1,
    failures: 0,
  };
  const queue = { publish: async () => true, handOff: async () => true };
  await run({}, { ...job, signal: AbortSignal.timeout(60_000) }, { database, queue, log: silentLogger });
  const [ended] = await db.sql`select 'request_log_' || to_char(now()::date - 70, 'YYYY_MM') as name`;
  expect(await frozen()).toEqual([ended?.name]);
  expect(await db.sql`select app.freeze_ended_months() as changed`).toEqual([{ changed: 0 }]);
  expect(await db.sql`select app.freeze_ended_months(now() + interval '1 month') as changed`).toEqual([
    { changed: 1 },
  ]);
});
