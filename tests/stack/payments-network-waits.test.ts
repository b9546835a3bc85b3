// How often a request of payments waits on the network, counted by proxies that delay what passes.
import { expect, inject, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { proxyBefore, startOwnFunction } from '../support/functions.ts';
import { createInvoice, createPayTenant } from '../support/payment-flows.ts';
import { invoice, pay, pixPayout } from '../support/payments.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const DELAY_MS = 100;
const ROUND_TRIP_MS = 2 * DELAY_MS;

test('a read waits twice (key, rows); what is ordered four times (key, claim, provider, finish); Redis beside', async () => {
  const { apiKey } = await createPayTenant(sql);
  const { id } = await createInvoice(apiKey);
  const env = inject('env');
  const database = await proxyBefore(env.SUPABASE_DB_URL ?? '');
  const redis = await proxyBefore(env.UPSTASH_REDIS_REST_URL ?? '');
  const { baseUrl } = await startOwnFunction('payments', {
    SUPABASE_DB_URL: database.url,
    DATABASE_POOL_SIZE: '1',
    UPSTASH_REDIS_REST_URL: redis.url,
  });
  const replayed = { key: crypto.randomUUID(), baseUrl };
  /** Reads and replays write their log row after the answer; that is one more round trip, which nobody waits for. */
  const cases: [string, number, { waits: number; after: number }, () => ReturnType<typeof pay>][] = [
    ['get', 200, { waits: 2, after: 1 }, () => pay(apiKey, `/invoices/${id}`, undefined, { baseUrl })],
    ['list', 200, { waits: 2, after: 1 }, () => pay(apiKey, '/invoices?limit=100', undefined, { baseUrl })],
    [
      'ledger',
      200,
      { waits: 2, after: 1 },
      () => pay(apiKey, '/balance-transactions', undefined, { baseUrl }),
    ],
    ['invoice', 201, { waits: 4, after: 0 }, () => pay(apiKey, '/invoices', invoice(), { baseUrl })],
    ['payout', 201, { waits: 4, after: 0 }, () => pay(apiKey, '/payouts', pixPayout(), { baseUrl })],
    ['replay', 201, { waits: 2, after: 1 }, () => pay(apiKey, '/invoices', invoice(), replayed)],
  ];
  /** Sends, and waits until the request is in the log: then nothing of it uses the database any more. */
  const sendAndSettle = async (send: () => ReturnType<typeof pay>) => {
    const startedAt = performance.now();
    const { status, headers } = await send();
    const waits = Math.floor((performance.now() - startedAt) / ROUND_TRIP_MS);
    const requestId = headers.get('x-request-id');
    await waitFor(
      async () => (await sql`select from request_log where request_id = ${requestId}`).length === 1,
    );
    return { status, waits };
  };
  for (const [name, status, expected, send] of cases) {
    // Connections are made and statements prepared; the caller becomes one that is expected again.
    for (let i = 0; i < 3; i++) expect([name, (await sendAndSettle(send)).status]).toEqual([name, status]);
    for (const { proxy } of [database, redis]) Object.assign(proxy, { delayMs: DELAY_MS, roundTrips: 0 });
    expect([name, await sendAndSettle(send)]).toEqual([name, { status, waits: expected.waits }]);
    const trips = [database.proxy.roundTrips, redis.proxy.roundTrips];
    expect([name, ...trips]).toEqual([name, expected.waits + expected.after, 1]);
    for (const { proxy } of [database, redis]) proxy.delayMs = 0;
  }
});
