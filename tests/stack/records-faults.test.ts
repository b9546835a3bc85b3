// Responses to callers of records while a service is unavailable, and after it recovers.
import { describe, expect, inject, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { untilMinuteHas } from '../support/limits/windows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { expectError, limitOf } from '../support/records/records-answers.ts';
import { createPlan, furnish } from '../support/records/records-furnish.ts';
import { sweepNow } from '../support/sweep.ts';
import { waitFor } from '../support/wait-for.ts';
import { startEndpoint } from '../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const FAULTS = ['cut', 'freeze'] as const;
const newLead = (name: string) => ({ name, email: `${name}@example.com` });

describe('Redis unreachable', () => {
  test.each(FAULTS)('serves requests uncounted, with a warning (%s)', async (fault) => {
    const { token } = await createRecordsTenant(sql, { plan: await createPlan(sql, 2) });
    const { proxy, url } = await proxyBefore(inject('env').UPSTASH_REDIS_REST_URL ?? '');
    const { baseUrl, lines } = await startOwnFunction('v1', {
      UPSTASH_REDIS_REST_URL: url,
      REDIS_TIMEOUT_MS: '250',
    });
    const read = () => records(token, 'GET', '/leads', undefined, { baseUrl });
    await untilMinuteHas(20);
    for (const status of [200, 200, 429]) expect((await read()).status).toBe(status);

    proxy[fault]();
    const calls = [
      [200, await read()],
      [201, await records(token, 'POST', '/leads', newLead('ana'), { baseUrl })],
      [404, await records(token, 'GET', '/nothing', undefined, { baseUrl })],
    ] as const;
    for (const [status, reply] of calls) {
      expect([reply.status, limitOf(reply)]).toEqual([
        status,
        expect.objectContaining({ limit: 2, remaining: 2 }),
      ]);
    }
    await waitFor(() => lines.some((line) => line.includes('request not counted')));

    proxy.restore();
    await waitFor(async () => (await read()).status === 429);
  });
});

describe('QStash unreachable', () => {
  test.each(FAULTS)('writes succeed, and their webhooks arrive after the sweep (%s)', async (fault) => {
    const endpoint = await startEndpoint();
    const { token } = await createRecordsTenant(sql);
    const { proxy, url } = await proxyBefore(inject('env').QSTASH_URL ?? '');
    const { baseUrl, lines } = await startOwnFunction('v1', { QSTASH_URL: url });
    const webhook = { url: endpoint.url, events: ['lead.created'] };
    expect((await records(token, 'POST', '/webhooks', webhook, { baseUrl })).status).toBe(201);

    proxy[fault]();
    // A frozen QStash never responds: nobody waits for the message.
    const replies = await Promise.all(
      ['ana', 'bia'].map((name) => records(token, 'POST', '/leads', newLead(name), { baseUrl })),
    );
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    if (fault === 'cut') await waitFor(() => lines.some((line) => line.includes('jobs not published')));

    await waitFor(async () => {
      await sweepNow();
      return endpoint.received.length >= 2;
    });
    const names = endpoint.received.map(({ body }) => JSON.parse(body).data.name);
    expect(names.sort()).toEqual(['ana', 'bia']);
  });
});

describe('the database unreachable', () => {
  test('returns 503 with Retry-After immediately, health returns 503, and it recovers without a restart', async () => {
    const { tenant, ids } = await furnish(sql);
    const { id, token } = tenant;
    const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
    const { baseUrl, edge } = await startOwnFunction('v1', { SUPABASE_DB_URL: url });
    const pid = edge.pid();
    const send = (i: number) =>
      i % 2
        ? records(token, 'GET', `/leads/${ids.lead}`, undefined, { baseUrl })
        : records(token, 'POST', '/leads', newLead(`${pid}-${i}`), { baseUrl });
    const sendMany = (from: number) => Promise.all(Array.from({ length: 20 }, (_, i) => send(from + i)));
    const health = () => records(null, 'GET', '/health', undefined, { baseUrl });
    expect([(await send(0)).status, (await send(1)).status, (await health()).status]).toEqual([
      201, 200, 200,
    ]);

    proxy.cut();
    for (const reply of await sendMany(100)) {
      expectError(reply, 503, 'SERVER_ERROR');
      expect(reply.headers.get('retry-after')).toMatch(/^[2-5]$/);
    }
    // A response is cached for a second.
    await waitFor(async () => (await health()).status === 503);
    // Requests that need no database still succeed.
    expectError(await records('garbage', 'GET', '/leads', undefined, { baseUrl }), 401, 'UNAUTHORIZED');
    expectError(await records(token, 'PUT', '/leads', undefined, { baseUrl }), 405, 'METHOD_NOT_ALLOWED');
    expectError(await records(token, 'GET', '/nothing', undefined, { baseUrl }), 404, 'NOT_FOUND');

    proxy.restore();
    await waitFor(async () => (await health()).status === 200);
    const after = await sendMany(200);
    expect(after.map(({ status }) => status)).toEqual(after.map((_, i) => (i % 2 ? 200 : 201)));
    expect(edge.pid()).toBe(pid);
    const made = await sql`select name from leads where tenant_id = ${id} and name like ${`${pid}-1__`}`;
    expect(made).toEqual([]);
  });

  test('an unresponsive database returns 503 after DATABASE_TIMEOUT_MS', async () => {
    const { token } = await createRecordsTenant(sql);
    const { proxy, url } = await proxyBefore(inject('env').SUPABASE_DB_URL ?? '');
    const settings = { SUPABASE_DB_URL: url, DATABASE_TIMEOUT_MS: '500' };
    const { baseUrl, lines } = await startOwnFunction('v1', settings);
    const send = () => records(token, 'GET', `/leads/${crypto.randomUUID()}`, undefined, { baseUrl });
    expect((await send()).status).toBe(404);
    proxy.freeze();
    const replies = await Promise.all(Array.from({ length: 10 }, send));
    for (const reply of replies) expectError(reply, 503, 'SERVER_ERROR');
    await waitFor(() => lines.filter((line) => line.includes('no response within 500 ms')).length === 10);
    proxy.restore();
    await waitFor(async () => (await send()).status === 404);
  });
});
