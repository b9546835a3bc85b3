// How often an order to a tenant's own provider account waits.
import { expect, test } from 'vitest';
import { connectDatabase, createApiKey, noteUse } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { atAsaas, connectAsaas, untilAccountIs } from '../support/payments/accounts-at-fakes.ts';
import { createPayTenant } from '../support/payments/payment-flows.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWires } from '../support/wire/network-waits.ts';

const sql = connectDatabase(undefined, { announces: true });

test('a Pix charge at Asaas: the database three times (key, claim, finish), Asaas three times, Redis in parallel', async () => {
  const tenant = await createPayTenant(sql);
  const { id, apiKey: atTheirs } = await atAsaas().createAccount();
  const account = await connectAsaas(sql, tenant.id, atTheirs);
  await untilAccountIs(sql, account, ({ status }) => status === 'active');
  // Such a small limit is counted one by one.
  const { apiKey } = await createApiKey(sql, tenant.id, { scopes: PAYMENT_SCOPES, requestsPerHour: 190 });
  await noteUse(sql, tenant);
  const wires = await startWires();
  const { baseUrl } = await startOwnFunction('payments', wires.env);
  const send = () => pay(apiKey, '/invoices', invoice(), { baseUrl });
  const logged = ({ headers }: { headers: Headers }) => {
    const requestId = headers.get('x-request-id');
    return waitFor(
      async () =>
        (await sql`select request_id from request_log where request_id = ${requestId}`).length === 1,
    );
  };
  // Connections exist, statements are prepared, and Asaas has the customer.
  for (let i = 0; i < 3; i++) {
    const reply = await send();
    await logged(reply);
    expect(reply.status).toBe(201);
  }
  const asked = async () =>
    (await atAsaas().requests({ account: id }))
      .filter(({ method, path }) => `${method} ${path}`.match(/customers|payments/))
      .map(({ method, path }) => `${method} ${path.replace(/pay_\w+/, ':id')}`);
  const before = await asked();
  const { reply, database, redis } = await wires.count(3, send, logged);
  expect([reply.status, database, redis]).toEqual([201, 3, 1]);
  expect((await asked()).slice(before.length)).toEqual([
    'GET /v3/customers',
    'POST /v3/payments',
    'GET /v3/payments/:id/pixQrCode',
  ]);
});
