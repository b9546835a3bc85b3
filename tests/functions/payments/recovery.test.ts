// What the sweep does for orders whose outcome is unknown: each attempt is looked up, however many others wait.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createPayTenant } from '../../support/payment-flows.ts';
import { invoice, pay } from '../../support/payments.ts';
import { sweepNow } from '../../support/sandbox.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

test('a later attempt is looked up too, when an earlier one never reached the provider', async () => {
  const tenant = await createPayTenant(sql);
  const options = { key: crypto.randomUUID() };
  const send = () => pay(tenant.apiKey, '/invoices', invoice({ amount: 10013 }), options);
  expect((await send()).status).toBe(502);
  const [row] = await sql`
    update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id} returning id`;
  const lookUps = () => sql`
    select key from jobs where name = 'recover-order' and tenant_id = ${tenant.id} and finished_at is not null`;
  await sweepNow();
  await waitFor(async () => (await lookUps()).length === 1);
  await sweepNow();
  expect(await lookUps()).toHaveLength(1);

  await sql`update idempotency_keys set claimed_by = gen_random_uuid() where tenant_id = ${tenant.id}`;
  await sql`select app.sandbox_accept('charge', ${row?.id}, 10013, 'pix', 'open', 100)`;
  await sweepNow();
  await waitFor(async () => (await lookUps()).length === 2);
  const replay = await send();
  expect([replay.status, replay.body.id, replay.headers.get('idempotent-replay')]).toEqual([
    201,
    row?.id,
    'true',
  ]);
});

test('many that stay unfinished hold up nobody', async () => {
  const tenant = await createPayTenant(sql);
  const { length } = await sql`
    insert into invoices (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method, provider, expires_at, created)
    select ${tenant.id}, '{"name": "Maria"}', 10000, 'BRL', 'br', '', 'pix', '{}', 'sandbox', now(), now() - interval '1 day'
    from generate_series(1, 130)
    returning id`;
  const ordered = () => sql`select from jobs where name = 'recover-order' and tenant_id = ${tenant.id}`;
  await sweepNow();
  await waitFor(async () => (await ordered()).length >= 100);
  await sweepNow();
  await waitFor(async () => (await ordered()).length === length);
});
