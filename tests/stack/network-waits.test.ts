// How often a request waits on the network, counted by proxies that delay what passes.
import { expect, inject, test } from 'vitest';
import { connectDatabase, createTenant } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { activity, collaborator, sync, syncCollaborators } from '../support/sync.ts';

const sql = connectDatabase();
const DELAY_MS = 100;
const ROUND_TRIP_MS = 2 * DELAY_MS;

test('a sync waits twice, for one activity as for a thousand: authenticate, then work', async () => {
  const tenant = await createTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  const env = inject('env');
  const database = await proxyBefore(env.SUPABASE_DB_URL ?? '');
  const redis = await proxyBefore(env.UPSTASH_REDIS_REST_URL ?? '');
  const { baseUrl } = await startOwnFunction('default-integration', {
    SUPABASE_DB_URL: database.url,
    DATABASE_POOL_SIZE: '1',
    UPSTASH_REDIS_REST_URL: redis.url,
  });
  let sent = 0;
  const send = (size: number) => {
    const activities = Array.from({ length: size }, () => activity(`w${sent++}`, 'ana@example.com'));
    return sync(tenant.apiKey, { action: 'sync_activities', activities }, { baseUrl });
  };
  // Connections are made and statements prepared; the caller becomes one that is expected again.
  for (let i = 0; i < 3; i++) expect((await send(1)).status).toBe(200);

  database.proxy.delayMs = DELAY_MS;
  redis.proxy.delayMs = DELAY_MS;
  for (const size of [1, 1000]) {
    database.proxy.roundTrips = 0;
    redis.proxy.roundTrips = 0;
    expect((await send(size)).body.data.processed).toBe(size);
    expect([size, database.proxy.roundTrips, redis.proxy.roundTrips]).toEqual([size, 2, 1]);
  }

  // Redis is asked beside the database: all three round trips take the time of two.
  const startedAt = performance.now();
  expect((await send(1)).status).toBe(200);
  expect(Math.floor((performance.now() - startedAt) / ROUND_TRIP_MS)).toBe(2);
});
