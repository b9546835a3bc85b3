// Orders that are rejected before Asaas receives them, and their errors. Also Asaas when it is overloaded or rejects our key.
import { describe, expect, test } from 'vitest';
import { type AsaasTenant, connectAsaasTenant, sent } from '../../../support/payments/asaas-tenant.ts';
import { connectAdmin, reconcile, untilAccount } from '../../../support/payments/connected-tenant.ts';
import {
  bodyOf,
  createInvoice,
  createPayout,
  createPayTenant,
  faultsOf,
  get,
  NFSE,
  untilStatus,
} from '../../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout } from '../../../support/payments/payments.ts';
import { sweepNow } from '../../../support/sweep.ts';
import { waitFor } from '../../../support/wait-for.ts';

const sql = connectAdmin();

const left = ({ id }: { id: string }) => sql`
  select id from invoices where tenant_id = ${id} union all select id from payouts where tenant_id = ${id}
  union all select kind from document_numbers where tenant_id = ${id}`;

const again = (name: string, tenant: AsaasTenant) => sql`
  update jobs set due_at = now(), published_at = null where tenant_id = ${tenant.id} and name = ${name} and locked_until is null`;

describe('missing requirements', () => {
  test('a tax number, and an amount that is too small: 422, and nothing is left', async () => {
    const tenant = await connectAsaasTenant(sql);
    const { tax_id: _, ...nameless } = invoice().customer;
    const send = (more: object) => pay(tenant.apiKey, '/invoices', invoice({ ...more }));
    expect(faultsOf(await send({ customer: nameless }), 422, 'validation_error')).toEqual([
      'customer.tax_id',
    ]);
    expect(faultsOf(await send({ amount: 499 }), 422, 'validation_error')).toEqual(['amount']);
    expect(await left(tenant)).toEqual([]);
    expect(await sent(tenant, 'POST', '/*')).toHaveLength(1); // our webhook
    const made = await createInvoice(tenant.apiKey, { amount: 500 });
    expect(made.our_number).toMatch(/000001$/);
  });

  test('a capability: 501 that explains what to set up', async () => {
    const tenant = await connectAsaasTenant(sql, { options: { pixKey: false, fiscalInfo: false } });
    const refusal = bodyOf(await pay(tenant.apiKey, '/invoices', invoice()), 501);
    expect(refusal).toMatchObject({
      code: 'provider_not_configured',
      detail: expect.stringContaining('PIX key'),
    });
    expect(
      bodyOf(await pay(tenant.apiKey, '/invoices', invoice({ payment_method: { type: 'bolepix' } })), 501)
        .detail,
    ).toContain('PIX key');
    const made = await createInvoice(tenant.apiKey, { payment_method: { type: 'boleto' } });
    const document = await pay(tenant.apiKey, `/invoices/${made.id}/tax-documents`, NFSE);
    expect(bodyOf(document, 501).detail).toContain('no fiscal settings');
  });

  test('rejected and unanswered orders are listed for admins', async () => {
    const tenant = await connectAsaasTenant(sql, { balance: 1 });
    const refused = await pay(tenant.apiKey, '/payouts', pixPayout({ amount: 5000 }));
    expect([refused.status, refused.body.retryable]).toEqual([502, false]);
    const listed = () => sql`
      select kind, amount::integer, outcome from admin.unfinished_orders where tenant_id = ${tenant.id}`;
    // It may have just begun.
    expect(await listed()).toEqual([]);
    await sql`update payouts set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
    expect(await listed()).toEqual([{ kind: 'payout', amount: 5000, outcome: 'not_taken' }]);
    await tenant.fault({ kind: 'cut_after', method: 'POST', path: '/payments' });
    // Lookups do not find it during the test.
    await tenant.fault({ kind: 'error_before', method: 'GET', path: '/payments*', times: 1000 });
    await pay(tenant.apiKey, '/invoices', invoice());
    await sql`update invoices set created = created - interval '2 minutes' where tenant_id = ${tenant.id}`;
    expect(await listed()).toContainEqual({
      kind: 'invoice',
      amount: 10000,
      outcome: 'unknown',
    });
  });

  test('without an account, and after one is disconnected, orders go to the sandbox', async () => {
    const none = await createPayTenant(sql);
    const made = await createInvoice(none.apiKey);
    expect(await sql`select provider from invoices where id = ${made.id}`).toEqual([{ provider: 'sandbox' }]);
    const tenant = await connectAsaasTenant(sql);
    const before = await createInvoice(tenant.apiKey);
    await sql`select admin.disconnect_provider(${tenant.accountId})`;
    const after = await createInvoice(tenant.apiKey);
    expect(await sql`select provider from invoices where id = ${after.id}`).toEqual([
      { provider: 'sandbox' },
    ]);
    // The open order is completed. Then the key and the webhook are deleted.
    await tenant.payment(before.id, 'pay');
    await untilStatus(tenant.apiKey, `/invoices/${before.id}`, 'paid');
    await waitFor(async () => {
      await again('disconnect-provider', tenant);
      await sweepNow();
      const { webhooks } = await tenant.control.account(tenant.asaasId);
      return webhooks.length === 0;
    });
    await waitFor(async () => {
      const [row] =
        await sql`select api_key from private.provider_secrets where account_id = ${tenant.accountId}`;
      return row?.api_key === null;
    });
  });
});

describe('in bursts', () => {
  test('429: 502 with Retry-After, and one of each at the end', async () => {
    const tenant = await connectAsaasTenant(sql);
    const orders: [string, object][] = [
      ['/invoices', invoice()],
      ['/payouts', pixPayout()],
    ];
    for (const [path, body] of orders) {
      const key = crypto.randomUUID();
      const send = () => pay(tenant.apiKey, path, body, { key });
      await tenant.fault({ kind: 'rate_limited' });
      const busy = await send();
      expect([busy.status, busy.body.code, busy.body.retryable]).toEqual([502, 'provider_error', true]);
      expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
      const { id } = bodyOf(await send(), 201);
      expect(await tenant.there(path === '/invoices' ? 'payments' : 'transfers', id)).toHaveLength(1);
    }
  });

  test('5xx before and after: nothing is duplicated, and everything succeeds', async () => {
    const tenant = await connectAsaasTenant(sql);
    await createInvoice(tenant.apiKey);
    const made: string[] = [];
    for (const kind of ['error_before', 'error_after'] as const) {
      await tenant.fault({ kind, status: 503, method: 'POST', path: '/payments', times: 2 });
      const keys = [crypto.randomUUID(), crypto.randomUUID()];
      const send = (key: string) => pay(tenant.apiKey, '/invoices', invoice(), { key });
      for (const reply of await Promise.all(keys.map(send)))
        expect([reply.status, reply.body.retryable]).toEqual([502, true]);
      for (const reply of await Promise.all(keys.map(send))) made.push(bodyOf(reply, 201).id);
    }
    for (const id of made) {
      expect(await tenant.there('payments', id)).toHaveLength(1);
      await tenant.payment(id, 'pay');
    }
    // Webhooks cannot be processed for a while.
    await tenant.fault({ kind: 'error_before', status: 500, method: 'GET', times: 5 });
    await waitFor(async () => {
      await again('apply-provider-event', tenant);
      await sweepNow();
      const paid = await sql`select from invoices where tenant_id = ${tenant.id} and status = 'paid'`;
      return paid.length === made.length;
    });
    await tenant.control.clearFaults();
    await reconcile(sql, tenant);
    expect(
      await sql`select from balance_transactions where tenant_id = ${tenant.id} and type = 'charge'`,
    ).toHaveLength(4);
  });
});

test('a revoked key: failing, one email, 502 and never the sandbox; then working again', async () => {
  const tenant = await connectAsaasTenant(sql);
  await tenant.control.key(tenant.asaasId, tenant.asaasKey, { enabled: false });
  const refusedCharge = await pay(tenant.apiKey, '/invoices', invoice());
  const check = (reply: typeof refusedCharge) =>
    expect([reply.status, reply.body.code, reply.body.retryable, reply.headers.get('retry-after')]).toEqual([
      502,
      'provider_error',
      true,
      '60',
    ]);
  check(refusedCharge);
  const account = await untilAccount(sql, tenant.accountId, 'failing');
  expect(account.reason).toContain('key');
  check(await pay(tenant.apiKey, '/invoices', invoice()));
  check(await pay(tenant.apiKey, '/payouts', pixPayout()));
  await again('check-provider', tenant);
  await sweepNow();
  const mails = () => sql`
    select from jobs where tenant_id = ${tenant.id} and name = 'send-mail' and key like ${`provider-failing:${tenant.accountId}%`}`;
  expect(await mails()).toHaveLength(1);
  await tenant.control.key(tenant.asaasId, tenant.asaasKey, { enabled: true });
  await waitFor(async () => {
    await again('check-provider', tenant);
    await sweepNow();
    const [now] = await sql`select status from admin.provider_accounts where id = ${tenant.accountId}`;
    return now?.status === 'active';
  });
  const { id } = await createInvoice(tenant.apiKey);
  expect(await tenant.there('payments', id)).toHaveLength(1);
  expect(await sql`select from invoices where tenant_id = ${tenant.id} and provider = 'sandbox'`).toEqual([]);
  expect(await mails()).toHaveLength(1);
  await createPayout(tenant.apiKey);
  expect((await get(tenant.apiKey, `/invoices/${id}`)).status).toBe('open');
});
