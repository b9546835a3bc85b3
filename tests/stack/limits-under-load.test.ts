// A limit that many requests come to at once, of several workers: exactly so many are let in.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { createRecordsTenant, records } from '../support/records.ts';
import { createPlan } from '../support/records-furnish.ts';
import { type Reply, sync } from '../support/sync.ts';
import { untilMinuteHas } from '../support/windows.ts';

const sql = connectDatabase();
const LIMIT = 100;
const REQUESTS = 400;

/** Sends all of them at once, to the workers in turn; gives how many there were of each status. */
async function flood(workers: string[], send: (baseUrl: string) => Promise<Reply>) {
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, (_, i) => send(workers[i % workers.length] ?? '')),
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
  // A key's window is an hour.
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
