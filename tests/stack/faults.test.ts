// Responses to callers while a service is unavailable, and after it recovers.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { activity, collaborator, sync, syncCollaborators } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';
import { wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();
const body = { action: 'sync_activities', activities: [] };
const health = { method: 'GET', target: '/default-integration/health' };

describe('Redis unreachable', () => {
  test.each(['cut', 'freeze'] as const)('serves requests uncounted, with a warning (%s)', async (fault) => {
    const { apiKey } = await createTenant(sql, { requestsPerHour: 1 });
    const { proxy, url } = await proxyBefore(inject('env').UPSTASH_REDIS_REST_URL ?? '');
    const { baseUrl, lines } = await startOwnFunction('default-integration', {
      UPSTASH_REDIS_REST_URL: url,
      REDIS_TIMEOUT_MS: '250',
    });
    expect((await sync(apiKey, body, { baseUrl })).status).toBe(200);
    expect((await sync(apiKey, body, { baseUrl })).status).toBe(429);
    proxy[fault]();
    expect((await sync(apiKey, body, { baseUrl })).status).toBe(200);
    expect(lines.some((line) => line.includes('request not counted'))).toBe(true);
    proxy.restore();
    await waitFor(async () => (await sync(apiKey, body, { baseUrl })).status === 429);
  });
});

describe('the database unreachable', () => {
  test('returns 503 with Retry-After immediately, health returns 503, and it recovers without a restart', async () => {
    const { id, apiKey } = await createTenant(sql);
    await syncCollaborators(apiKey, [collaborator('ana')]);
    const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
    const { baseUrl, edge } = await startOwnFunction('default-integration', { SUPABASE_DB_URL: url });
    const pid = edge.pid();
    const send = (name: string) =>
      sync(
        apiKey,
        { action: 'sync_activities', activities: [activity(name, 'ana@example.com')] },
        { baseUrl },
      );
    expect((await send('before')).status).toBe(200);

    proxy.cut();
    const replies = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`away-${i}`)));
    for (const { status, headers, body: answer } of replies) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^[2-5]$/);
      expect(answer.error).toMatchObject({
        code: 'SERVER_ERROR',
        retry_after: Number(headers.get('retry-after')),
      });
    }
    expect((await sync('', undefined, { ...health, baseUrl })).status).toBe(503);

    proxy.restore();
    await waitFor(async () => (await sync('', undefined, { ...health, baseUrl })).status === 200);
    const after = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`back-${i}`)));
    expect(after.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(edge.pid()).toBe(pid);
    const names =
      await sql`select external_id from activities where tenant_id = ${id} and external_id like 'away%'`;
    expect(names).toHaveLength(0);
  });

  test('an unresponsive database returns 503 after DATABASE_TIMEOUT_MS', async () => {
    const { apiKey } = await createTenant(sql);
    const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
    const settings = { SUPABASE_DB_URL: url, DATABASE_TIMEOUT_MS: '500' };
    const { baseUrl, lines } = await startOwnFunction('default-integration', settings);
    expect((await sync(apiKey, body, { baseUrl })).status).toBe(200);
    proxy.freeze();
    const replies = await Promise.all(Array.from({ length: 10 }, () => sync(apiKey, body, { baseUrl })));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(503));
    await waitFor(() => lines.filter((line) => line.includes('no response within 500 ms')).length === 10);
    proxy.restore();
    await waitFor(async () => (await sync(apiKey, body, { baseUrl })).status === 200);
  });

  test('a connection that is lost at its first statement affects only its own request, not the process', async () => {
    const { apiKey } = await createTenant(sql);
    const { wire, env } = await wireToDatabase();
    const { baseUrl, edge, lines } = await startOwnFunction('default-integration', env);
    const pid = edge.pid();
    wire.watch({ answer: () => false });
    const sending = sync(apiKey, body, { baseUrl });
    await waitFor(() => wire.standstill().some((text) => text.includes('requests_per_hour')));
    wire.drop();
    wire.open();
    const { status, body: answer } = await sending;
    expect([status, answer.error.message]).toEqual([
      503,
      expect.stringMatching(/Nothing was done; please retry\.$/),
    ]);
    await waitFor(async () => (await sync(apiKey, body, { baseUrl })).status === 200);
    expect([edge.pid(), lines.filter((line) => /ended|Uncaught/.test(line))]).toEqual([pid, []]);
  });

  test('a terminated backend affects at most its own request', async () => {
    const { apiKey } = await createTenant(sql);
    // A separate name, so that the connections of other tests are not closed.
    const application = `terminated-${crypto.randomUUID()}`;
    const { baseUrl } = await startOwnFunction('default-integration', {
      DATABASE_POOL_SIZE: '2',
      SUPABASE_DB_URL: `${inject('env').SUPABASE_DB_URL}?application_name=${application}`,
    });
    expect((await sync(apiKey, body, { baseUrl })).status).toBe(200);
    const ended = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${application}`;
    expect(ended.length).toBeGreaterThan(0);
    await waitFor(async () => (await sync(apiKey, body, { baseUrl })).status === 200);
  });
});

test('a lock causes 503 for its tenant after a while, and does not delay other tenants', async () => {
  const [held, other] = [await createTenant(sql), await createTenant(sql)];
  for (const { apiKey } of [held, other]) await syncCollaborators(apiKey, [collaborator('ana')]);
  const [mission] = await sql`select admin.create_mission(${held.id}, 'Calls', 1) as id`;
  const send = (apiKey: string, name: string) =>
    sync(apiKey, { action: 'sync_activities', activities: [activity(name, 'ana@example.com')] });
  await sql.begin(async (tx) => {
    await tx`select admin.map_activity_code(${held.id}, '001', ${mission?.id})`;
    const waiting = Array.from({ length: 4 }, (_, i) => send(held.apiKey, `held-${i}`));
    const unheld = await send(other.apiKey, 'free');
    expect(unheld.status).toBe(200);
    for (const reply of await Promise.all(waiting)) {
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([
        503,
        expect.stringMatching(/^[2-5]$/),
      ]);
    }
  });
  expect((await send(held.apiKey, 'held-0')).body.data.processed).toBe(1);
});

describe('a killed function', () => {
  test('during requests: answered requests are stored, others are stored completely or not at all', async () => {
    const { id, apiKey } = await createTenant(sql);
    await syncCollaborators(apiKey, [collaborator('ana')]);
    const { baseUrl, edge } = await startOwnFunction('default-integration');
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 100 }, (_, i) => activity(`b${batch}-${i}`, 'ana@example.com')),
    );
    const sending = batches.map((activities, batch) =>
      sync(apiKey, { action: 'sync_activities', activities }, { baseUrl }).then(
        ({ status }) => (status === 200 ? batch : undefined),
        () => undefined,
      ),
    );
    await Promise.race(sending);
    edge.crash();
    const answered = (await Promise.all(sending)).filter((batch) => batch !== undefined);

    await waitFor(
      async () => (await sync('', undefined, { ...health, baseUrl }).catch(() => undefined))?.status === 200,
    );
    const again = await Promise.all(
      batches.map((activities) => sync(apiKey, { action: 'sync_activities', activities }, { baseUrl })),
    );
    // Running work may be stored only after the kill, so each batch is checked by sending it again.
    const processed = again.map((reply) => reply.body.data.processed);
    for (const batch of answered) expect(processed[batch]).toBe(0);
    for (const count of processed) expect([0, 100]).toContain(count);
    const [stored] = await sql`select count(*)::integer as n from activities where tenant_id = ${id}`;
    expect(stored?.n).toBe(2000);
  });
});
