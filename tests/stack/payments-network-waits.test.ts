// How often a request of payments waits for the network, counted by proxies.
import { expect, test } from 'vitest';
import { connectDatabase, createApiKey, noteUse } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { createInvoice, createPayTenant } from '../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay, pixPayout } from '../support/payments/payments.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWires } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

test('a read waits twice (key, rows), an order four times (key, claim, provider, finish); Redis in parallel', async () => {
  const tenant = await createPayTenant(sql);
  // Such a small limit is counted one by one.
  const { apiKey } = await createApiKey(sql, tenant.id, { scopes: PAYMENT_SCOPES, requestsPerHour: 190 });
  await noteUse(sql, tenant);
  const { id } = await createInvoice(apiKey);
  const wires = await startWires();
  const { baseUrl } = await startOwnFunction('payments', wires.env);
  const replayed = { key: crypto.randomUUID(), baseUrl };
  /** Reads and replays write their log row after the response. This is one more round trip, which nobody waits for. */
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
  /** Waits until the request is in the log: then it no longer uses the database. */
  const logged = ({ headers }: { headers: Headers }) => {
    const requestId = headers.get('x-request-id');
    return waitFor(
      async () => (await sql`select from request_log where request_id = ${requestId}`).length === 1,
    );
  };
  for (const [name, status, { waits, after }, send] of cases) {
    // Connections exist, statements are prepared, and the caller is known.
    for (let i = 0; i < 3; i++) {
      const reply = await send();
      await logged(reply);
      expect([name, reply.status]).toEqual([name, status]);
    }
    const { reply, database, redis } = await wires.count(waits, send, logged);
    expect([name, reply.status, database, redis]).toEqual([name, status, waits + after, 1]);
  }
});
