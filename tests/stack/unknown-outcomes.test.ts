// The response when the database connection is lost during a request: it reports no effect only if that is certain.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant, noteUse } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { collaborator, sync } from '../support/gamification/sync.ts';
import { invoice, PAYMENT_SCOPES, pay } from '../support/payments/payments.ts';
import { newEmail } from '../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { logRow } from '../support/records/records-answers.ts';
import { waitFor } from '../support/wait-for.ts';
import { wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

const NOTHING = /Nothing was done; please retry\.$/;

test('activity sync: the response to the commit is lost, and the rows are stored', async () => {
  const tenant = await createTenant(sql);
  await noteUse(sql, tenant);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('default-integration', env);
  const body = (name: string) => ({ action: 'sync_collaborators', collaborators: [collaborator(name)] });
  expect((await sync(tenant.apiKey, body('first'), { baseUrl })).status).toBe(200);

  // The lookup of the caller, then the work, whose response is held back.
  wire.watch({ answer: (nth) => nth < 2 });
  const sending = sync(tenant.apiKey, body('ana'), { baseUrl });
  const stored = () =>
    sql`select from collaborators where tenant_id = ${tenant.id} and external_id = 'crm-ana'`;
  await waitFor(async () => (await stored()).length === 1);
  wire.cut();
  const { status, headers, body: answer } = await sending;
  expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[2-5]$/)]);
  expect(answer.error.message).toContain('It is not known whether this was done. Send it again');

  // Now nothing can be sent.
  const away = await sync(tenant.apiKey, body('eva'), { baseUrl });
  expect(away.body.error.message).toMatch(NOTHING);
});

test('activity sync: a response that takes too long leaves the outcome unknown', async () => {
  const tenant = await createTenant(sql);
  await noteUse(sql, tenant);
  const { wire, env } = await wireToDatabase();
  const settings = { ...env, DATABASE_TIMEOUT_MS: '3000' };
  const { baseUrl } = await startOwnFunction('default-integration', settings);
  const body = { action: 'sync_collaborators', collaborators: [collaborator('ana')] };
  await waitFor(async () => (await sync(tenant.apiKey, body, { baseUrl })).status === 200);
  wire.watch({ answer: (nth) => nth < 2 });
  const { status, body: answer } = await sync(tenant.apiKey, body, { baseUrl });
  expect(status).toBe(503);
  expect(answer.error.message).toContain('It is not known whether this was done.');
});

test('records: the response to a write says that the outcome is unknown, that to a read that nothing was done', async () => {
  const { token } = await createRecordsTenant(sql);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('v1', env);
  const create = () => records(token, 'POST', '/leads', { name: 'Ana', email: newEmail() }, { baseUrl });
  expect((await create()).status).toBe(201);
  const read = () => records(token, 'GET', '/leads', undefined, { baseUrl });
  const before = await read();
  expect(before.status).toBe(200);
  // A read is logged after its response, on the same connection.
  await logRow(sql, before);

  // One exchange authenticates the client and does the work.
  wire.watch({ answer: () => false });
  const writing = create();
  await waitFor(() => wire.asked() === 1);
  wire.drop();
  wire.open();
  const written = await writing;
  expect(written.status).toBe(503);
  expect(written.body.error.message).toContain('It is not known whether this was done. Check before');

  const after = await waitFor(async () => {
    const reply = await read();
    return reply.status === 200 && reply;
  });
  await logRow(sql, after);
  wire.watch({ answer: () => false });
  const reading = read();
  await waitFor(() => wire.asked() > 0);
  wire.drop();
  expect((await reading).body.error.message).toMatch(NOTHING);
});

test('payments: a retry with the same Idempotency-Key returns what was created', async () => {
  const tenant = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  await noteUse(sql, tenant);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('payments', env);
  const key = crypto.randomUUID();
  const send = () => pay(tenant.apiKey, '/invoices', invoice(), { key, baseUrl });
  expect((await pay(tenant.apiKey, '/invoices', invoice(), { baseUrl })).status).toBe(201);

  // The caller, the claim, the provider, and then the work whose response is lost.
  wire.watch({ answer: (nth) => nth < 4 });
  const sending = send();
  await waitFor(async () => {
    const [row] = await sql`
      select from idempotency_keys where tenant_id = ${tenant.id} and key = ${key} and response_status is not null`;
    return row !== undefined;
  });
  wire.drop();
  wire.open();
  const { status, body } = await sending;
  expect(status).toBe(503);
  expect(body.detail).toContain(
    'It is not known whether this was done. Send it again with the same Idempotency-Key',
  );

  const again = await waitFor(async () => {
    const reply = await send();
    return reply.status === 201 ? reply : undefined;
  });
  expect(again.headers.get('idempotent-replay')).toBe('true');
  expect((await pay(tenant.apiKey, '/invoices', undefined, { baseUrl })).body.data).toHaveLength(2);
});

test('payments: the database becomes unreachable after the claim and before the provider call', async () => {
  const tenant = await createTenant(sql, { scopes: PAYMENT_SCOPES });
  await noteUse(sql, tenant);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('payments', env);
  expect((await pay(tenant.apiKey, '/invoices', invoice(), { baseUrl })).status).toBe(201);

  // The sandbox delays storing an order. Nothing more is sent, but something is stored.
  wire.watch();
  const sending = pay(tenant.apiKey, '/invoices', invoice({ amount: 10021 }), { baseUrl });
  await waitFor(() => wire.asked() === 2 && wire.settled());
  wire.cut();
  const { status, body } = await sending;
  expect(status).toBe(503);
  expect(body.detail).toContain('It is not known whether this was done. Send it again with the same');
});
