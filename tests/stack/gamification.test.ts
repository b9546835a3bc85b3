// From a request to its later effects: through the API, QStash and the deployed worker.
import { expect, inject, onTestFinished, test } from 'vitest';
import { createQueue } from '../../shared/platform/jobs/publish.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { connectDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { createWorkspace, type Workspace } from '../support/gamification/gamification.ts';
import { createToken, records } from '../support/records/records.ts';
import { waitFor } from '../support/wait-for.ts';
import { startEndpoint } from '../support/webhooks/webhooks.ts';
import { startTcpProxy } from '../support/wire/tcp-proxy.ts';

const sql = connectDatabase();
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A client of the workspace that sends requests; a rejection fails the test. */
async function client(w: Workspace) {
  const { token } = await createToken(sql, w.id);
  return async (method: string, path: string, body?: unknown) => {
    const reply = await records(token, method, path, body);
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body.data;
  };
}

test('a won deal causes badge, challenge and ranking events at a webhook within seconds', async () => {
  const w = await createWorkspace(sql);
  const send = await client(w);
  await w.rule('deal.won', 100);
  await sql`select admin.create_tier(${w.id}, 'Bronze', 0), admin.create_tier(${w.id}, 'Silver', 150)`;
  const badge = await w.badge('deals_won', 1, 'First win');
  const [challenge] = await sql`
    select admin.create_challenge(tenant_id => ${w.id}, name => 'A big one', metric => 'revenue_closed', target => 1000,
      starts_at => '2026-01-01T00:00:00Z', ends_at => '2099-01-01T00:00:00Z', reward_points => 50) as id`;
  // The initial positions are announced before any webhook exists.
  await w.recount();
  await sql`update jobs set finished_at = now() where tenant_id = ${w.id} and name = 'recount'`;
  const events = ['badge.earned', 'challenge.completed', 'ranking.changed'];
  const endpoint = await startEndpoint();
  await send('POST', '/webhooks', { url: endpoint.url, events });

  const [ana, bia] = [await w.userId('ana'), await w.userId('bia')];
  const deal = await send('POST', '/deals', { name: 'Fleet', value: 1, owner_id: bia });
  await send('POST', `/deals/${deal.id}/close`, { result: 'won', final_value: 1200.5 });
  await waitFor(() => endpoint.received.length >= 3);

  const payloads = Object.fromEntries(
    endpoint.received.map(({ body }) => JSON.parse(body)).map((payload) => [payload.type, payload]),
  );
  const frame = { id: expect.stringMatching(/^evt_/), created_at: expect.any(String) };
  const whom = { user_id: bia, email: 'bia@example.com' };
  expect(payloads).toEqual({
    'badge.earned': {
      ...{ ...frame, type: 'badge.earned' },
      data: {
        ...whom,
        badge: { id: badge, name: 'First win', metric: 'deals_won', threshold: 1 },
        earned_at: expect.stringMatching(TIME),
      },
    },
    'challenge.completed': {
      ...{ ...frame, type: 'challenge.completed' },
      data: {
        ...whom,
        challenge: {
          ...{
            id: challenge?.id,
            name: 'A big one',
            metric: 'revenue_closed',
            target: 1000,
            reward_points: 50,
          },
          ...{ starts_at: '2026-01-01T00:00:00.000000Z', ends_at: '2099-01-01T00:00:00.000000Z' },
        },
        completed_at: expect.stringMatching(TIME),
      },
    },
    'ranking.changed': {
      ...{ ...frame, type: 'ranking.changed' },
      data: { changes: [{ user_id: ana, from: 1, to: 2 }] },
    },
  });
  expect(await send('GET', `/users/${bia}`)).toMatchObject({ total_points: 150, ranking_tier: 'Silver' });
  expect(await send('GET', `/users/${bia}/stats`)).toMatchObject({ badges_earned: 1, points: 150 });
  // The reward has everyone counted once more, and that is the end of it.
  await waitFor(
    async () =>
      (
        await w.sql`select from admin.jobs where tenant_id = ${w.id} and name = 'recount' and status <> 'finished'`
      ).length === 0,
  );
  expect(await w.events('badge.earned')).toHaveLength(1);
  expect(await w.events('challenge.completed')).toHaveLength(1);
  expect(await w.events('ranking.changed')).toHaveLength(2);
});

test('an automation runs within seconds, and admins can see its result', async () => {
  const w = await createWorkspace(sql);
  const send = await client(w);
  const tag = { type: 'add_tag', tag: 'big' };
  await w.automation('deal.created', [tag], [{ field: 'value', op: 'gt', value: 500 }], 'Big deals');
  await w.automation('deal.updated', [{ type: 'award_points', points: 7 }], [], 'Thanks');
  const deal = await send('POST', '/deals', { name: 'Fleet', value: 900, owner_id: await w.userId('ana') });
  const small = await send('POST', '/deals', { name: 'Small', value: 500 });
  const runs = await waitFor(async () => {
    const rows = await w.runs();
    return rows.length === 3 && rows;
  });
  const said = runs.map(({ automation, depth, matched, outcome }) => [automation, depth, matched, outcome]);
  expect(said.sort()).toEqual([
    ['Big deals', 0, false, 'not_matched'],
    ['Big deals', 0, true, 'done'],
    ['Thanks', 1, true, 'done'],
  ]);
  expect((await send('GET', `/deals/${deal.id}`)).tags).toEqual(['big']);
  expect((await send('GET', `/deals/${small.id}`)).tags).toEqual([]);
  expect(await w.points()).toEqual({ ana: 7, bia: 0 });
});

test('many automations of one workspace do not delay those of another', async () => {
  const [busy, quiet] = await Promise.all([createWorkspace(sql), createWorkspace(sql)]);
  const call = { type: 'create_activity', activity_type: 'call', description: 'x' };
  await busy.automation('lead.created', Array(20).fill(call), [], 'busy');
  await quiet.automation('lead.created', [{ type: 'add_tag', tag: 'seen' }]);
  const send = await client(busy);
  const operations = Array.from({ length: 500 }, (_, n) => ({
    method: 'create',
    data: { name: 'L', email: `l${n}@busy.example` },
  }));
  await send('POST', '/leads/batch', { operations });
  const left = async () => {
    const [row] = await sql`
      select count(*)::integer as jobs from jobs where tenant_id = ${busy.id} and name = 'run-automations' and finished_at is null`;
    return row?.jobs;
  };
  // By then, QStash has all messages.
  await waitFor(async () => (await left()) < 450);
  const lead = await (await client(quiet))('POST', '/leads', { name: 'Quiet', email: 'quiet@quiet.example' });
  await waitFor(
    async () => (await sql`select from leads where id = ${lead.id} and 'seen' = any (tags)`).length === 1,
  );
  expect(await left()).toBeGreaterThan(100);
  await sql`update automations set active = false where tenant_id = ${busy.id}`;
});

/** A separate worker with the shared QStash; no other worker runs the tenant's jobs. */
async function startWorker() {
  const target = { host: '127.0.0.1', port: 0 };
  const proxy = await startTcpProxy(target);
  onTestFinished(() => proxy.close());
  const url = `http://127.0.0.1:${proxy.port}`;
  const { edge } = await startOwnFunction('callbacks', { FUNCTIONS_URL: url });
  target.port = edge.port;
  const { QSTASH_URL = '', QSTASH_TOKEN = '' } = inject('env');
  const queue = createQueue({ QSTASH_URL, QSTASH_TOKEN, FUNCTIONS_URL: url });
  return {
    crash: () => edge.crash(),
    publish: (name: string, id: string) => queue.publish([{ name, id }], createLogger('error')),
  };
}

/** Locked by the test, so that the worker stops in the middle of its work. */
const locks: Record<string, (w: Workspace, tx: Workspace['sql']) => Promise<unknown>> = {
  recount: ({ id }, tx) => tx`select pg_advisory_xact_lock(hashtextextended(${`recount:${id}`}, 0))`,
  'run-automations': ({ id }, tx) => tx`select from players where tenant_id = ${id} for update`,
};

test.each(Object.keys(locks))(
  'a worker that dies in the middle of %s loses nothing and does nothing twice',
  async (name) => {
    const w = await createWorkspace(sql, ['ana']);
    const worker = await startWorker();
    await w.badge('deals_created', 1);
    await w.automation('deal.created', [{ type: 'award_points', points: 7 }]);
    await sql.begin(async (tx) => {
      const [stage] = await tx`select id from pipeline_stages where tenant_id = ${w.id} limit 1`;
      await tx`
      insert into deals (tenant_id, name, value, stage_id, owner_id)
      values (${w.id}, 'Deal', 1, ${stage?.id}, ${await w.userId('ana')})`;
      await tx`
      update jobs set due_at = now(), published_at = '2999-01-01'
      where tenant_id = ${w.id} and finished_at is null and name in ('recount', 'run-automations')`;
    });
    // A sweep may order another one at any time.
    const id = (await w.jobs(name)).at(-1)?.id;
    const attempts = async () => (await sql`select attempts from jobs where id = ${id}`)[0]?.attempts;

    await sql.begin(async (tx) => {
      await locks[name]?.(w, tx);
      await worker.publish(name, id);
      await waitFor(async () => (await attempts()) === 1);
      // It waits for the lock by now, or is about to.
      worker.crash();
    });
    const [row] = await sql`select finished_at, locked_until > now() as locked from jobs where id = ${id}`;
    expect(row).toEqual({ finished_at: null, locked: true });

    // The lease ends, and another worker runs the job.
    await sql`update jobs set locked_until = now() where id = ${id}`;
    await waitFor(async () => {
      await worker.publish(name, id);
      return (await sql`select from jobs where id = ${id} and finished_at is not null`).length === 1;
    });
    if (name === 'recount') expect(await w.events('badge.earned')).toHaveLength(1);
    else {
      expect((await w.runs()).map(({ outcome }) => outcome)).toEqual(['done']);
      expect(await w.points()).toEqual({ ana: 7 });
    }
  },
);
