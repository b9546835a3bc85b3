// A limit that many concurrent requests of several workers reach: exactly the limit is allowed if requests are counted one by one,
// and never more and hardly fewer if workers reserve several at a time.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { type Reply, sync } from '../support/gamification/sync.ts';
import { untilMinuteHas } from '../support/limits/windows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { createPlan } from '../support/records/records-furnish.ts';

const sql = connectDatabase();
const LIMIT = 100;
const REQUESTS = 400;

/** Sends all of them at once, distributed across the workers. Returns the number of responses by status. */
async function flood(workers: string[], send: (baseUrl: string) => Promise<Reply>, requests = REQUESTS) {
  const replies = await Promise.all(
    Array.from({ length: requests }, (_, i) => send(workers[i % workers.length] ?? '')),
  );
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const exactly = { 200: LIMIT, 429: REQUESTS - LIMIT };

test('of an API key', async () => {
  const name = 'default-integration';
  const workers = [await startOwnFunction(name), await startOwnFunction(name)];
  const { apiKey } = await createTenant(sql, { requestsPerHour: LIMIT });
  // The window of an API key is one hour.
  if (new Date().getMinutes() === 59) await untilMinuteHas(30);
  const body = { action: 'sync_activities', activities: [] };
  const addresses = workers.map(({ baseUrl }) => baseUrl);
  expect(await flood(addresses, (baseUrl) => sync(apiKey, body, { baseUrl }))).toEqual(exactly);
});

test('of a tenant’s plan', async () => {
  const workers = [await startOwnFunction('v1'), await startOwnFunction('v1')];
  const { token } = await createRecordsTenant(sql, { plan: await createPlan(sql, LIMIT) });
  const addresses = workers.map(({ baseUrl }) => baseUrl);
  await untilMinuteHas(10);
  const read = (baseUrl: string) => records(token, 'GET', '/stages', undefined, { baseUrl });
  expect(await flood(addresses, read)).toEqual(exactly);
});

test('of a plan that is large enough for leases', async () => {
  const limit = 300;
  // Enough workers that none has more waiting requests than it allows.
  const workers = await Promise.all(Array.from({ length: 4 }, () => startOwnFunction('v1')));
  const { token } = await createRecordsTenant(sql, { plan: await createPlan(sql, limit) });
  const addresses = workers.map(({ baseUrl }) => baseUrl);
  const read = (baseUrl: string) => records(token, 'GET', '/stages', undefined, { baseUrl });
  await untilMinuteHas(20);
  const counts = await flood(addresses, read, 2000);
  const { 200: letIn = 0, 429: refused = 0 } = counts;
  expect(letIn + refused, JSON.stringify(counts)).toBe(2000);
  expect(letIn).toBeLessThanOrEqual(limit);
  // Reservations that workers did not use are lost: at most one percent each, and less than a fifth in total.
  expect(letIn).toBeGreaterThanOrEqual(limit - workers.length * (limit / 100));
});
